// SPDX-License-Identifier: Apache-2.0
// Tests the treatment of each property of texture and image files by real jobs: the table of
// docs/guide/textures.md, row by row.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <tiffio.h>

#include "tests/server/media/image/jpeg_files.h"
#include "tests/server/media/image/png_files.h"
#include "tests/server/media/image/tiff_files.h"
#include "tests/server/media/texture/textures.h"
#include "tests/server/worker/texture/texture_jobs.h"

namespace weft::worker {
namespace {

using media::Texture;
using media::TextureAlpha;
using media::TextureFormat;
using media::TextureInfo;

constexpr int kSide = 8;  // side of a source in texels

struct Made {
  Texture texture;
  std::vector<std::string> notes;
};
using Check = std::function<bool(const Made& made)>;

// A row of the table: a file with that property, and the checks of the output.
struct Property {
  std::string file;  // name of the file
  std::string bytes;
  Check is_kept = [](const Made&) { return false; };
  Check is_applied = [](const Made&) { return false; };
  std::string note{};  // words of the note
  std::function<void(v1::TextureJob&)> change{};
};

Texture source_of(const std::function<void(TextureInfo&)>& change = {}) {
  TextureInfo info;
  info.width = info.height = kSide;
  info.is_srgb = true;
  info.alpha = TextureAlpha::kStraight;
  if (change) change(info);
  Texture texture = media::noise_texture(info);
  return texture;
}

std::string dds_of(const std::function<void(TextureInfo&)>& change) {
  return *media::encode_texture(source_of(change), {});
}

std::string key_value(const std::string& key, const std::string& value) {
  const std::string entry = key + '\0' + value + '\0';
  return media::words({uint32_t(entry.size())}) + entry + std::string((4 - entry.size() % 4) % 4, '\0');
}

std::string ktx2_of(const std::function<void(TextureInfo&)>& change, const std::string& key_values = "") {
  Texture texture = source_of(change);
  texture.key_values = key_values;
  return *media::encode_texture(texture, {media::TextureContainer::kKtx2, {}});
}

const std::string kNoiseTexels = source_of().levels[0];

// Returns texel x, y of the source as the level of the source's size contains it.
std::string texel_of(const std::string& texels, int x, int y) {
  return texels.substr(size_t(y * kSide + x) * 4, 4);
}
// Returns true if each texel x, y of the source, after `change`, is at place(x, y) in the level of
// the source's size.
bool is_moved(const Made& made, const std::string& source,
              const std::function<std::pair<int, int>(int, int)>& place,
              const std::function<std::string(const std::string&)>& change = {}) {
  for (int y = 0; y < kSide; y++)
    for (int x = 0; x < kSide; x++) {
      const auto [to_x, to_y] = place(x, y);
      const std::string wanted = texel_of(source, x, y);
      if (texel_of(made.texture.levels[1], to_x, to_y) != (change ? change(wanted) : wanted)) return false;
    }
  return true;
}

Check alpha_is(TextureAlpha alpha) {
  return [alpha](const Made& made) { return made.texture.info.alpha == alpha; };
}
Check is_srgb_as(bool is_srgb) {
  return [is_srgb](const Made& made) { return made.texture.info.is_srgb == is_srgb; };
}
Check primaries_are(int primaries) {
  return [primaries](const Made& made) { return made.texture.info.primaries == primaries; };
}
Check keys_are(const std::string& key_values) {
  return [key_values](const Made& made) { return made.texture.key_values == key_values; };
}

void add_dds(std::map<std::string, Property>& all) {
  all["DDS: sRGB format"] = {"in.dds", dds_of({}), is_srgb_as(true)};
  all["DDS: old header, which states no transfer function"] = {
      "in.dds",
      dds_of([](TextureInfo& info) {
        info.format = TextureFormat::kBc1;
        info.is_srgb = info.is_transfer_known = false;
        info.alpha = TextureAlpha::kUnknown;
      }),
      [](const Made& made) { return !made.texture.info.is_transfer_known; },
      {},
      "the output states that it is linear",
      [](v1::TextureJob& job) { job.set_format(v1::TEXTURE_ENCODING_UNSPECIFIED); }};
  all["DDS: premultiplied alpha (alpha mode)"] = {
      "in.dds", dds_of([](TextureInfo& info) { info.alpha = TextureAlpha::kPremultiplied; }),
      alpha_is(TextureAlpha::kPremultiplied)};
  all["DDS: premultiplied alpha (DXT2, DXT4)"] = {"in.dds", dds_of([](TextureInfo& info) {
                                                    info.format = TextureFormat::kBc3;
                                                    info.is_srgb = info.is_transfer_known = false;
                                                    info.alpha = TextureAlpha::kPremultiplied;
                                                  }),
                                                  alpha_is(TextureAlpha::kPremultiplied)};
  all["DDS: custom alpha"] = {"in.dds",
                              dds_of([](TextureInfo& info) { info.alpha = TextureAlpha::kCustom; }),
                              alpha_is(TextureAlpha::kCustom),
                              {},
                              "stated to be custom"};
  all["DDS: layers and faces"] = {
      "in.dds", dds_of([](TextureInfo& info) {
        info.layers = 2;
        info.is_array = true;
        info.faces = 6;
      }),
      [](const Made& made) { return made.texture.info.layers == 2 && made.texture.info.faces == 6; }};
}

void add_ktx2(std::map<std::string, Property>& all) {
  const std::string orientation = key_value("KTXorientation", "lu"),
                    swizzle = key_value("KTXswizzle", "grb1"), other = key_value("Author", "Ada");
  all["KTX2: sRGB format"] = {"in.ktx2", ktx2_of({}), is_srgb_as(true)};
  all["KTX2: orientation (KTXorientation)"] = {
      "in.ktx2", ktx2_of({}, orientation),
      [orientation](const Made& made) {
        return made.texture.key_values == orientation && made.texture.levels[1] == kNoiseTexels;
      },
      [](const Made& made) {
        return is_moved(made, kNoiseTexels,
                        [](int x, int y) { return std::pair(kSide - 1 - x, kSide - 1 - y); });
      }};
  all["KTX2: swizzle (KTXswizzle)"] = {"in.ktx2", ktx2_of({}, swizzle),
                                       [swizzle](const Made& made) {
                                         return made.texture.key_values == swizzle &&
                                                made.texture.levels[1] == kNoiseTexels;
                                       },
                                       [](const Made& made) {
                                         return is_moved(
                                             made, kNoiseTexels, [](int x, int y) { return std::pair(x, y); },
                                             [](const std::string& texel) {
                                               return std::string({texel[1], texel[0], texel[2], char(255)});
                                             });
                                       }};
  all["KTX2: swizzle of BC4, BC5 and normals"] = {"in.ktx2",
                                                  ktx2_of({}, swizzle),
                                                  keys_are(swizzle),
                                                  {},
                                                  "swizzle (grb1) is left out",
                                                  [](v1::TextureJob& job) { job.set_kind(v1::TEXTURE_KIND_NORMAL); }};
  all["KTX2: primaries"] = {"in.ktx2",
                            ktx2_of([](TextureInfo& info) { info.primaries = media::kPrimariesDisplayP3; }),
                            primaries_are(media::kPrimariesDisplayP3),
                            {},
                            "primaries of the input's colours (Display P3)"};
  all["KTX2: premultiplied alpha"] = {
      "in.ktx2", ktx2_of([](TextureInfo& info) { info.alpha = TextureAlpha::kPremultiplied; }),
      alpha_is(TextureAlpha::kPremultiplied)};
  all["KTX2: other keys and values"] = {"in.ktx2", ktx2_of({}, other), keys_are(other), {}, "Author"};
  all["KTX2: array of one layer"] = {"in.ktx2",
                                     ktx2_of([](TextureInfo& info) { info.is_array = true; }),
                                     [](const Made& made) { return made.texture.info.is_array; },
                                     {},
                                     "An array of one layer"};
}

media::PngRecipe png_recipe(int depth = 8) { return {.width = kSide, .height = kSide, .depth = depth}; }
std::string png_with(const std::string& chunks) {
  return media::with_chunks(media::make_png(png_recipe()), chunks);
}
std::string big_endian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += char(value >> shift);
  return bytes;
}
// Returns an ICC profile of Display P3, with the primaries adapted to D50 as in the ICC's registry
// of profiles.
std::string p3_profile() {
  constexpr double kColours[3][3] = {
      {0.5151, 0.2412, -0.0011}, {0.2920, 0.6922, 0.0419}, {0.1571, 0.0666, 0.7841}};
  constexpr uint32_t kColoursAt = 400;
  std::string profile = media::make_profile(600);
  std::string tags = big_endian(4) + profile.substr(132, 12);
  for (uint32_t i = 0; i < 3; i++) {
    tags += std::string("rgb").substr(i, 1) + "XYZ" + big_endian(kColoursAt + 20 * i) + big_endian(20);
    std::string colour = std::string("XYZ \0\0\0\0", 8);
    for (const double value : kColours[i])
      colour += big_endian(uint32_t(int32_t(std::lround(value * 65536))));
    profile.replace(kColoursAt + 20 * i, 20, colour);
  }
  const std::string text = profile.substr(144, 12) + "A screen" + std::string(80, '\0');
  profile.replace(200, text.size(), text);
  tags.replace(8, 8, big_endian(200) + big_endian(uint32_t(text.size())));
  return profile.replace(128, tags.size(), tags);
}
std::string profile_chunk(const std::string& profile) {
  std::string packed = media::zeros(profile, 0);
  return media::chunk("iCCP", std::string("x\0\0", 3) + packed);
}

void add_images(std::map<std::string, Property>& all) {
  const std::string plain = media::make_png(png_recipe());
  const auto code_at = [](int x, int y, int c) { return char(uint8_t(png_recipe().code(x, y, c))); };
  // Orientation 6: the first column is displayed as the first row, from the right.
  const Check is_turned = [code_at](const Made& made) {
    for (int y = 0; y < kSide; y++)
      for (int x = 0; x < kSide; x++)
        for (int c = 0; c < 3; c++)
          if (texel_of(made.texture.levels[1], x, y)[size_t(c)] != code_at(y, kSide - 1 - x, c)) return false;
    return true;
  };
  all["PNG, JPEG: orientation (EXIF)"] = {
      "in.png", png_with(media::chunk("eXIf", media::make_exif(6, true))), {}, is_turned};
  media::TiffRecipe tiff{.width = kSide, .height = kSide};
  tiff.sample = [code_at](int x, int y, int c) { return double(uint8_t(code_at(x, y, c))); };
  tiff.more = [](TIFF* file) { TIFFSetField(file, TIFFTAG_ORIENTATION, 6); };
  all["TIFF: orientation"] = {"in.tif", media::make_tiff(tiff), {}, is_turned};
  all["PNG, JPEG, TIFF: colour profile (ICC)"] = {
      "in.png", png_with(profile_chunk(media::make_profile(600))), {}, {}, "colour profile (A screen)"};
  all["PNG, JPEG, TIFF: primaries of the profile"] = {"in.png",
                                                      png_with(profile_chunk(p3_profile())),
                                                      primaries_are(media::kPrimariesDisplayP3),
                                                      {},
                                                      "primaries of the input's colours (Display P3)"};
  all["PNG: primaries (cICP, cHRM)"] = {"in.png",
                                        png_with(media::chunk("cICP", std::string("\x09\x0d\x00\x01", 4))),
                                        primaries_are(media::kPrimariesBt2020),
                                        {},
                                        "primaries of the input's colours (BT.2020)"};
  all["PNG: linear codes (gAMA, cICP)"] = {"in.png", png_with(media::chunk("gAMA", big_endian(100000))),
                                           is_srgb_as(false)};
  all["PNG: another gamma"] = {
      "in.png", png_with(media::chunk("gAMA", big_endian(55556))), {}, {}, "states a gamma of 0.5556"};
  all["PNG, TIFF: 16 bits a channel"] = {
      "in.png", media::make_png(png_recipe(16)), {}, {}, "has 16 bits a channel"};
  media::TiffRecipe associated{.width = kSide, .height = kSide, .components = 4};
  associated.extra = {EXTRASAMPLE_ASSOCALPHA};
  all["TIFF: associated alpha"] = {"in.tif", media::make_tiff(associated),
                                   alpha_is(TextureAlpha::kPremultiplied)};
  all["PNG, JPEG, TIFF: EXIF data, XMP data, resolution, text"] = {
      "in.png",
      png_with(media::chunk("pHYs", big_endian(4000) + big_endian(4000) + '\1') +
               media::chunk("tEXt", std::string("Author\0Ada", 10)) +
               media::chunk("eXIf", media::make_exif(1, true))),
      {},
      {},
      "the EXIF data, the resolution, tEXt"};
}

std::string tga_of(char descriptor, int attributes, const std::string& author = "") {
  std::string bytes(18, '\0');
  bytes[2] = 2;
  bytes[12] = bytes[14] = kSide;
  bytes[16] = 32;
  bytes[17] = char(descriptor | 8);
  for (size_t i = 0; i < kNoiseTexels.size(); i += 4)
    bytes += {kNoiseTexels[i + 2], kNoiseTexels[i + 1], kNoiseTexels[i], kNoiseTexels[i + 3]};
  std::string area(495, '\0'), footer = media::words({uint32_t(bytes.size()), 0});
  area.replace(2, author.size(), author);
  area[494] = char(attributes);
  return bytes + area + footer + std::string("TRUEVISION-XFILE.\0", 18);
}

void add_tga(std::map<std::string, Property>& all) {
  constexpr char kFromTop = 0x20, kFromBelow = 0;
  all["TGA: corner where rows begin"] = {
      "in.tga", tga_of(kFromBelow, 3), {}, [](const Made& made) {
        return is_moved(made, kNoiseTexels, [](int x, int y) { return std::pair(x, kSide - 1 - y); });
      }};
  all["TGA: premultiplied alpha (attribute type 4)"] = {"in.tga", tga_of(kFromTop, 4),
                                                        alpha_is(TextureAlpha::kPremultiplied)};
  all["TGA: alpha without meaning (attribute type 1)"] = {
      "in.tga", tga_of(kFromTop, 1), {}, [](const Made& made) {
        return is_moved(
            made, kNoiseTexels, [](int x, int y) { return std::pair(x, y); },
            [](const std::string& texel) { return texel.substr(0, 3) + char(255); });
      }};
  all["TGA: name, author, comments, other fields of the extension area"] = {
      "in.tga", tga_of(kFromTop, 3, "Ada"), {}, {}, "the author's name"};
}

std::map<std::string, Property> all_properties() {
  std::map<std::string, Property> all;
  add_dds(all);
  add_ktx2(all);
  add_images(all);
  add_tga(all);
  return all;
}

struct Row {
  std::string property, dds, ktx2;
};
std::vector<Row> documented() {
  const std::string text = media::read_file(WEFT_TEXTURE_GUIDE);
  std::vector<Row> rows;
  for (size_t at = text.find("| property | in a DDS output"); at < text.size() && text[at] == '|';) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    std::vector<std::string> cells;
    for (size_t begin = 2, bar = 0; (bar = line.find(" |", begin)) != std::string::npos; begin = bar + 3)
      cells.push_back(line.substr(begin, bar - begin));
    if (cells.size() == 3 && cells[0] != "property") rows.push_back({cells[0], cells[1], cells[2]});
  }
  return rows;
}

class TextureProperties : public TextureJobTest {
 protected:
  std::string fate_of(const Property& property, const std::string& output) {
    std::filesystem::remove_all(folder_.path("work"));
    media::write_file(folder_.path(property.file), property.bytes);
    v1::JobSpec wanted = spec(property.file, [&](v1::TextureJob& job) {
      job.set_kind(v1::TEXTURE_KIND_ALBEDO);
      job.set_format(v1::TEXTURE_ENCODING_RGBA8);
      job.set_model(v1::UPSAMPLE_MODEL_NONE);
      if (property.change) property.change(job);
    });
    wanted.mutable_texture()->set_output(folder_.path(output));
    const JobEnd end = TextureRunner(order(wanted), {cpu_device(), loop_, caches_}, events_).run();
    if (!end.status.ok()) return message_of(end.status);
    Made made{result().value(), {end.result.notes().begin(), end.result.notes().end()}};
    const std::string notes = fmt::format("{}", fmt::join(made.notes, "\n"));
    if (!property.note.empty() && notes.find(property.note) != std::string::npos) return "noted";
    if (property.is_kept && property.is_kept(made)) return "kept";
    if (property.is_applied && property.is_applied(made)) return "applied";
    return "lost; the notes are: " + notes;
  }
};

TEST_F(TextureProperties, BecomeWhatTheGuideSays) {
  std::map<std::string, Property> all = all_properties();
  const std::vector<Row> rows = documented();
  EXPECT_EQ(rows.size(), all.size());
  for (const Row& row : rows) {
    ASSERT_TRUE(all.contains(row.property)) << row.property;
    EXPECT_EQ(fate_of(all[row.property], "out.dds"), row.dds) << row.property;
    EXPECT_EQ(fate_of(all[row.property], "out.ktx2"), row.ktx2) << row.property;
  }
}

}  // namespace
}  // namespace weft::worker
