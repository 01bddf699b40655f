// SPDX-License-Identifier: Apache-2.0
// Tests that textures remain the same when written and read, and headers as the texts of the
// formats define them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"
#include "tests/server/media/texture/textures.h"

namespace weft::media {
namespace {

using testing::HasSubstr;

constexpr TextureFormat kFormats[] = {
    TextureFormat::kRgba8, TextureFormat::kBc1,       TextureFormat::kBc2,
    TextureFormat::kBc3,   TextureFormat::kBc4,       TextureFormat::kBc4Signed,
    TextureFormat::kBc5,   TextureFormat::kBc5Signed, TextureFormat::kBc7};

struct Shape {
  int width, height, layers, faces, levels;
};
// Sides that are no multiples of 4, levels of one texel, arrays and cubes.
constexpr Shape kShapes[] = {{64, 64, 1, 1, 7}, {1, 1, 1, 1, 1},   {5, 3, 1, 1, 3},   {37, 130, 1, 1, 8},
                             {12, 7, 3, 1, 4},  {16, 16, 1, 6, 5}, {10, 10, 2, 6, 2}, {6, 1, 1, 1, 1}};

TextureInfo info_of(TextureFormat format, bool is_srgb, const Shape& shape) {
  TextureInfo info;
  info.format = format;
  info.is_srgb = is_srgb;
  info.alpha = TextureAlpha::kStraight;
  info.width = shape.width;
  info.height = shape.height;
  info.layers = shape.layers;
  info.is_array = shape.layers > 1;
  info.faces = shape.faces;
  info.levels = shape.levels;
  return info;
}

void expect_round_trip(const Texture& texture, const TextureStorage& encoding) {
  const StatusOr<std::string> bytes = encode_texture(texture, encoding);
  ASSERT_THAT(bytes, IsOk());
  const StatusOr<Texture> back = read_texture(*bytes, "back");
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ(back->info, texture.info) << summary_of(back->info) << " of " << summary_of(texture.info);
  EXPECT_TRUE(back->levels == texture.levels) << summary_of(texture.info);
}

TEST(TextureFile, EveryFormatAndShapeComesBack) {
  for (const TextureFormat format : kFormats)
    for (const bool is_srgb : {false, true})
      for (const Shape& shape : kShapes) {
        if (is_srgb && !has_srgb(format)) continue;
        const Texture texture = noise_texture(info_of(format, is_srgb, shape));
        ASSERT_EQ(int(texture.levels.size()), shape.levels);
        expect_round_trip(texture, {TextureContainer::kDds, {}});
        expect_round_trip(texture, {TextureContainer::kKtx2, {}});
        expect_round_trip(texture, {TextureContainer::kKtx2, 3});
      }
}

TEST(TextureFile, AlphaComesBack) {
  for (const TextureAlpha alpha :
       {TextureAlpha::kUnknown, TextureAlpha::kStraight, TextureAlpha::kPremultiplied, TextureAlpha::kOpaque,
        TextureAlpha::kCustom}) {
    TextureInfo info = info_of(TextureFormat::kBc7, true, kShapes[0]);
    info.alpha = alpha;
    expect_round_trip(noise_texture(info), {TextureContainer::kDds, {}});
  }
  TextureInfo info = info_of(TextureFormat::kBc1, true, kShapes[0]);
  info.alpha = TextureAlpha::kOpaque;  // VK_FORMAT_BC1_RGB_SRGB_BLOCK
  expect_round_trip(noise_texture(info), {TextureContainer::kKtx2, {}});
  info.format = TextureFormat::kBc7;
  info.alpha = TextureAlpha::kPremultiplied;
  expect_round_trip(noise_texture(info), {TextureContainer::kKtx2, {}});
}

TEST(TextureFile, OldDdsHeadersComeBack) {
  for (const TextureFormat format :
       {TextureFormat::kBc1, TextureFormat::kBc2, TextureFormat::kBc3, TextureFormat::kBc4,
        TextureFormat::kBc4Signed, TextureFormat::kBc5, TextureFormat::kBc5Signed}) {
    TextureInfo info = info_of(format, false, {20, 20, 1, 6, 3});
    info.is_transfer_known = false;
    info.alpha = TextureAlpha::kUnknown;
    const Texture texture = noise_texture(info);
    expect_round_trip(texture, {TextureContainer::kDds, {}});
    EXPECT_EQ(encode_texture(texture, {})->size(),
              128u + 6u * 38u * size_t(block_bytes(format)));  // 25 + 9 + 4 blocks per face
  }
}

// Returns "DDS " and a header as on Microsoft's page.
std::string old_header(uint32_t width, uint32_t height, uint32_t levels,
                       const std::vector<uint32_t>& pixel_format, uint32_t caps2 = 0) {
  std::string bytes = "DDS " + words({124, 0x1007, height, width, 0, 0, levels}) + std::string(44, '\0');
  return bytes + words({32}) + words(pixel_format) + words({0x1000, caps2, 0, 0, 0});
}
constexpr uint32_t kDxt1 = 0x31545844, kDx10 = 0x30315844;

TEST(DdsFile, IsReadAsItsTextHasIt) {
  std::string bytes = old_header(8, 4, 0, {4, kDxt1, 0, 0, 0, 0, 0});
  ASSERT_EQ(bytes.size(), 128u);
  bytes += "AAAAAAAABBBBBBBB";
  StatusOr<Texture> texture = read_texture(bytes, "old");
  ASSERT_THAT(texture, IsOk());
  EXPECT_EQ(texture->info.format, TextureFormat::kBc1);
  EXPECT_EQ(texture->info.levels, 1);
  EXPECT_FALSE(texture->info.is_transfer_known);
  EXPECT_EQ(texture->levels[0], "AAAAAAAABBBBBBBB");

  // Two layers of two levels: the levels of a layer are stored together.
  bytes = old_header(8, 8, 2, {4, kDx10, 0, 0, 0, 0, 0}) + words({99, 3, 0, 2, 3});
  for (const char layer : {'a', 'k'}) bytes += std::string(64, layer) + std::string(16, char(layer + 1));
  texture = read_texture(bytes, "new");
  ASSERT_THAT(texture, IsOk());
  EXPECT_EQ(summary_of(texture->info), "BC7 sRGB 8x8, 2 levels, 2 layers");
  EXPECT_EQ(texture->info.alpha, TextureAlpha::kOpaque);
  EXPECT_EQ(texture->image(0, 1, 0), std::string(64, 'k'));
  EXPECT_EQ(texture->image(1, 0, 0), std::string(16, 'b'));
  EXPECT_EQ(texture->image(1, 1, 0), std::string(16, 'l'));
}

struct DdsVariant {
  const char* name;
  uint32_t caps2, misc, array;
  int stored_faces;  // number of faces of 8x8 texels of BC1, each filled with another byte
  int faces, layers;
};

// Cube maps and arrays with the variants of common tools: only the old flag, faces counted as
// layers, or no array size.
TEST(DdsFile, VariantsOfToolsAreRead) {
  constexpr uint32_t kCube = 0xfe00, kCubeWithoutFaces = 0x200;
  constexpr DdsVariant kVariants[] = {{"a cube by both flags", kCube, 4, 1, 6, 6, 1},
                                      {"a cube by caps2 alone", kCube, 0, 1, 6, 6, 1},
                                      {"a cube by the flag of DX10 alone", 0, 4, 1, 6, 6, 1},
                                      {"a cube whose caps2 names no face", kCubeWithoutFaces, 0, 1, 6, 6, 1},
                                      {"a cube of 6 layers", kCube, 4, 6, 6, 6, 1},
                                      {"a cube of 6 layers by caps2 alone", kCube, 0, 6, 6, 6, 1},
                                      {"a cube of 0 layers", kCube, 4, 0, 6, 6, 1},
                                      {"two cubes", kCube, 4, 2, 12, 6, 2},
                                      {"two cubes of 12 layers", kCube, 4, 12, 12, 6, 2},
                                      {"six cubes", kCube, 4, 6, 36, 6, 6},
                                      {"no array", 0, 0, 0, 1, 1, 1},
                                      {"an array of six", 0, 0, 6, 6, 1, 6}};
  for (const DdsVariant& variant : kVariants) {
    std::string bytes = old_header(8, 8, 1, {4, kDx10, 0, 0, 0, 0, 0}, variant.caps2) +
                        words({71, 3, variant.misc, variant.array, 0});
    for (int face = 0; face < variant.stored_faces; face++) bytes += std::string(32, char('a' + face));
    const StatusOr<Texture> texture = read_texture(bytes, variant.name);
    ASSERT_THAT(texture, IsOk()) << variant.name;
    EXPECT_EQ(texture->info.faces, variant.faces) << variant.name;
    EXPECT_EQ(texture->info.layers, variant.layers) << variant.name;
    EXPECT_EQ(texture->info.is_array, variant.layers > 1) << variant.name;
    const int last = variant.stored_faces - 1;
    EXPECT_EQ(texture->image(0, variant.layers - 1, variant.faces - 1), std::string(32, char('a' + last)))
        << variant.name;
  }
}

TEST(DdsFile, SizesOfHeadersThatToolsWriteAreRead) {
  const std::string plain = old_header(8, 4, 0, {4, kDxt1, 0, 0, 0, 0, 0}) + "AAAAAAAABBBBBBBB";
  for (const auto& [at, size] : {std::pair<size_t, uint32_t>{4, 24}, {76, 0}, {76, 24}}) {
    const StatusOr<Texture> texture = read_texture(with_word(plain, at, size), "variant");
    ASSERT_THAT(texture, IsOk()) << at << ": " << size;
    EXPECT_EQ(texture->levels[0], "AAAAAAAABBBBBBBB");
  }
  const std::string other =
      old_header(8, 4, 0, {4, kDx10, 0, 0, 0, 0, 0}) + words({71, 0, 0, 1, 0}) + "AAAAAAAABBBBBBBB";
  EXPECT_THAT(read_texture(other, "dimension 0"), IsOk());
}

TEST(DdsFile, TexelsOf32BitsBecomeRgba) {
  const std::string texels = "\x01\x02\x03\x04";
  const auto read = [&](const std::vector<uint32_t>& format) {
    const StatusOr<Texture> texture = read_texture(old_header(1, 1, 1, format) + texels, "texel");
    return texture.ok() ? texture->levels[0] : message_of(texture.status());
  };
  EXPECT_EQ(read({0x41, 0, 32, 0xff, 0xff00, 0xff0000, 0xff000000}), "\x01\x02\x03\x04");
  EXPECT_EQ(read({0x41, 0, 32, 0xff0000, 0xff00, 0xff, 0xff000000}), "\x03\x02\x01\x04");
  EXPECT_EQ(read({0x40, 0, 32, 0xff0000, 0xff00, 0xff, 0}), "\x03\x02\x01\xff");
  EXPECT_THAT(read({0x40, 0, 24, 0xff0000, 0xff00, 0xff, 0}), HasSubstr("24 bits"));
}

TEST(Ktx2File, IsReadAsItsTextHasIt) {
  // BC4 of 4x4 texels in two levels; the smaller level is stored first.
  std::string bytes = "\xabKTX 20\xbb\r\n\x1a\n";
  bytes += words({139, 1, 4, 4, 0, 0, 1, 2, 0});
  bytes += words({128, 44, 0, 0, 0, 0, 0, 0});
  bytes += words({184, 0, 8, 0, 8, 0, 176, 0, 8, 0, 8, 0});
  bytes +=
      words({44, 0, 0x280002, 0x010184 - 1, 0x0303, 8, 0, 0x3f0000, 0, 0, 0xffffffff}) + std::string(4, '\0');
  bytes += "smaller.larger..";
  const StatusOr<Texture> texture = read_texture(bytes, "ktx2");
  ASSERT_THAT(texture, IsOk());
  EXPECT_EQ(summary_of(texture->info), "BC4 4x4, 2 levels");
  EXPECT_FALSE(texture->info.is_array);
  EXPECT_EQ(texture->levels[0], "larger..");
  EXPECT_EQ(texture->levels[1], "smaller.");
  EXPECT_EQ(*encode_texture(*texture, {TextureContainer::kKtx2, {}}), bytes);
}

TEST(Ktx2File, KeysAndValuesStay) {
  Texture texture = noise_texture(info_of(TextureFormat::kBc7, true, {20, 20, 1, 1, 1}));
  texture.key_values = words({14}) + std::string("KTXwriter\0Weft\0\0", 16);
  const StatusOr<std::string> bytes = encode_texture(texture, {TextureContainer::kKtx2, {}});
  ASSERT_THAT(bytes, IsOk());
  const StatusOr<Texture> back = read_texture(*bytes, "back");
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ(back->key_values, texture.key_values);
}

std::string key_value(const std::string& key, const std::string& value) {
  const std::string entry = key + '\0' + value;
  return words({uint32_t(entry.size())}) + entry + std::string((4 - entry.size() % 4) % 4, '\0');
}

TEST(Ktx2File, KeysSayHowTexelsLie) {
  const TestFolder folder;
  Texture texture = noise_texture(info_of(TextureFormat::kRgba8, true, {20, 20, 1, 1, 1}));
  texture.info.primaries = kPrimariesDisplayP3;
  // The key-value data lies beyond the first read of the file.
  texture.key_values = key_value("AAnote", std::string(3000, 'x')) +
                       key_value("KTXorientation", std::string("lu\0", 3)) + key_value("KTXswizzle", "rrr1");
  const std::string bytes = *encode_texture(texture, {TextureContainer::kKtx2, {}});
  const std::string path = folder.path("texture");
  ASSERT_THAT(write_whole_file({AT_FDCWD, path}, bytes), IsOk());
  const StatusOr<InputFilePtr> file = InputFile::open(path);
  ASSERT_THAT(file, IsOk());
  for (const StatusOr<TextureInfo>& info :
       {probe_texture(**file), StatusOr<TextureInfo>(read_texture(**file)->info)}) {
    ASSERT_THAT(info, IsOk());
    EXPECT_TRUE(info->arrangement.from_right);
    EXPECT_TRUE(info->arrangement.from_below);
    EXPECT_EQ(std::string_view(info->arrangement.channels.data(), 4), "rrr1");
    EXPECT_EQ(info->primaries, kPrimariesDisplayP3);
    EXPECT_THAT(info->keys, testing::ElementsAre("AAnote"));
  }
  for (const char* value : {"rx", "r", "rdi"}) {
    texture.key_values = key_value("KTXorientation", value);
    EXPECT_THAT(read_texture(*encode_texture(texture, {TextureContainer::kKtx2, {}}), "x"),
                StatusIs(StatusCode::kInvalidArgument, "rd, ru, ld and lu"));
  }
  texture.key_values = key_value("KTXswizzle", "rgbx");
  EXPECT_THAT(read_texture(*encode_texture(texture, {TextureContainer::kKtx2, {}}), "x"),
              StatusIs(StatusCode::kInvalidArgument, "four letters of rgba01"));
}

TEST(Ktx2File, AnArrayOfOneStaysOne) {
  TextureInfo info = info_of(TextureFormat::kBc7, true, kShapes[0]);
  info.is_array = true;
  expect_round_trip(noise_texture(info), {TextureContainer::kKtx2, {}});
}

TEST(TextureFile, HeadersAloneSayTheFacts) {
  const TestFolder folder;
  const Texture texture = noise_texture(info_of(TextureFormat::kBc7, true, {256, 256, 1, 6, 9}));
  for (const TextureContainer container : {TextureContainer::kDds, TextureContainer::kKtx2}) {
    const std::string path = folder.path("texture");
    ASSERT_THAT(write_whole_file({AT_FDCWD, path}, *encode_texture(texture, {container, {}})), IsOk());
    const StatusOr<InputFilePtr> file = InputFile::open(path);
    ASSERT_THAT(file, IsOk());
    EXPECT_TRUE(*is_texture(**file));
    const StatusOr<TextureInfo> info = probe_texture(**file);
    ASSERT_THAT(info, IsOk());
    EXPECT_EQ(*info, texture.info);
    EXPECT_THAT(read_texture(**file), IsOk());
  }
}

TEST(TextureFile, ItsNameChoosesTheContainer) {
  EXPECT_EQ(*texture_container_of("a/rock.DDS"), TextureContainer::kDds);
  EXPECT_EQ(*texture_container_of("rock.ktx2"), TextureContainer::kKtx2);
  EXPECT_THAT(texture_container_of("rock.png"), StatusIs(StatusCode::kInvalidArgument, "use .dds or .ktx2"));
}

// In a stream, the length of a file is known before all of it has arrived, and nothing after the
// file is requested.
TEST(TextureFile, ItsLengthIsInItsHeaders) {
  TextureInfo info;
  info.format = TextureFormat::kBc7;
  info.width = 20;
  info.height = 12;
  info.levels = 3;
  for (const bool is_known : {true, false})
    for (const auto container : {TextureContainer::kDds, TextureContainer::kKtx2})
      for (const std::optional<int> zstd : {std::optional<int>(), std::optional<int>(3)}) {
        info.is_transfer_known = is_known || container == TextureContainer::kKtx2;
        Texture texture = make_texture(info).value();
        const std::string file =
            encode_texture(texture, {container, container == TextureContainer::kKtx2 ? zstd : std::nullopt})
                .value();
        const std::string stream = file + "and another";
        size_t there = 0;
        int steps = 0;
        for (int64_t needed = 0; needed != int64_t(there) || needed == 0; steps++) {
          there = size_t(needed);
          ASSERT_LE(there, file.size());
          const auto next = texture_bytes_needed(std::string_view(stream).substr(0, there), "x");
          ASSERT_THAT(next, IsOk());
          needed = *next;
        }
        EXPECT_EQ(there, file.size());
        EXPECT_LE(steps, 5);
      }
  EXPECT_THAT(texture_bytes_needed("no texture here", "x"), StatusIs(StatusCode::kInvalidArgument));
  std::string lies =
      encode_texture(make_texture(info).value(), {.container = TextureContainer::kKtx2, .zstd_level = 3})
          .value();
  lies[80 + 7] = 0x7f;  // offset of level 0, far beyond the file
  EXPECT_FALSE(texture_bytes_needed(lies, "x").ok());
}

}  // namespace
}  // namespace weft::media
