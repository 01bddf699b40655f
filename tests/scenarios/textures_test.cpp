// SPDX-License-Identifier: Apache-2.0
// Tests textures at twice their size with the real programs: command line, daemon and worker.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kernels/texture/formats.h"
#include "server/media/image/image.h"
#include "server/media/texture/texture.h"
#include "tests/scenarios/scenario.h"
#include "tests/server/filters/texture/reference_blocks.h"
#include "weft/v1/picture_service.grpc.pb.h"

namespace weft::scenarios {
namespace {

namespace plain = filters::texture::plain;
using media::TextureFormat;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns texels that are valid as colours and, nearly, as unit normals.
std::string slopes(int width, int height) {
  std::string texels;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double a = 0.5 * std::sin(x / 4.0), b = 0.5 * std::cos(y / 5.0),
                   length = std::sqrt(1 + a * a + b * b);
      for (const double v : {a, b, 1.0}) texels += char(std::lround(127.5 * (1 + v / length)));
      texels += char(255);
    }
  return texels;
}

// Returns a texture in RGBA8 with `levels` levels of slopes without noise.
media::Texture make_rgba8(int width, int height, int faces, int levels) {
  media::TextureInfo info;
  info.width = width;
  info.height = height;
  info.faces = faces;
  info.levels = levels;
  info.is_srgb = true;
  media::Texture texture = media::make_texture(info).value();
  for (int level = 0; level < levels; level++)
    for (int face = 0; face < faces; face++) {
      const std::string texels = slopes(media::level_side(width, level), media::level_side(height, level));
      const std::span<char> place = texture.writable_image(level, 0, face);
      for (size_t i = 0; i < texels.size(); i++) place[i] = char(texels[i] + face * 3);
    }
  return texture;
}

class TexturesTest : public ScenarioTest {
 protected:
  TexturesTest() : daemon_(path("daemon")) {}

  int weft(std::vector<std::string> words, std::string* output) {
    words.insert(words.begin(), {WEFT, "--server", daemon_.address()});
    return run(words, output);
  }
  // Submits a job, waits for its end, and reads its output.
  media::Texture upsample(const std::string& input, const std::string& output,
                          std::vector<std::string> words) {
    words.insert(words.begin(), {"submit", "upsample", path(input), "-o", path(output), "--follow"});
    std::string said;
    EXPECT_EQ(weft(words, &said), 0) << said;
    StatusOr<media::Texture> texture = media::read_texture(read_file(path(output)), output);
    EXPECT_TRUE(texture.ok()) << texture.status();
    EXPECT_THAT(leftovers(), IsEmpty());
    return texture.ok() ? *std::move(texture) : media::Texture();
  }
  void write_texture(const std::string& name, const media::Texture& texture,
                     const media::TextureStorage& encoding) {
    write_file(path(name), media::encode_texture(texture, encoding).value());
  }

  Daemon daemon_;
};

// Returns the largest difference between code values.
int difference(const std::string& a, std::string_view b) {
  EXPECT_EQ(a.size(), b.size());
  int most = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); i++)
    most = std::max(most, std::abs(int(uint8_t(a[i])) - int(uint8_t(b[i]))));
  return most;
}

std::string means_of_four(const std::string& texels, int width, int height) {
  std::string means;
  for (int y = 0; y < height; y += 2)
    for (int x = 0; x < width; x += 2)
      for (int c = 0; c < 4; c++) {
        const auto at = [&](int i, int j) {
          return int(uint8_t(texels[size_t(((y + j) * width + x + i) * 4 + c)]));
        };
        means += char((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4);
      }
  return means;
}

TEST_F(TexturesTest, Rgba8BecomesBc7AndItsBlocksStay) {
  ASSERT_TRUE(daemon_.start());
  const media::Texture source = make_rgba8(40, 24, 1, 6);
  write_texture("in.dds", source, {});
  const media::Texture bc7 =
      upsample("in.dds", "once.dds", {"--kind", "albedo", "--format", "bc7", "--quality", "fast"});
  EXPECT_EQ(media::summary_of(bc7.info), "BC7 sRGB 80x48, 7 levels");
  // Level 1 has the input's texels, and the means of four texels of the first level are those
  // texels, within the precision of BC7.
  constexpr int kMostOff = 8;  // code values
  EXPECT_LE(difference(plain::decode_image(BLOCKS_BC7, 40, 24, bc7.image(1, 0, 0)), source.image(0, 0, 0)),
            kMostOff);
  EXPECT_LE(difference(means_of_four(plain::decode_image(BLOCKS_BC7, 80, 48, bc7.image(0, 0, 0)), 80, 48),
                       source.image(0, 0, 0)),
            kMostOff);

  // All levels of a BC7 input are kept, byte for byte.
  const media::Texture twice =
      upsample("once.dds", "twice.ktx2", {"--quality", "fast", "--supercompression", "zstd"});
  EXPECT_EQ(media::summary_of(twice.info), "BC7 sRGB 160x96, 8 levels");
  for (int level = 0; level < 7; level++)
    EXPECT_TRUE(twice.levels[size_t(level) + 1] == bc7.levels[size_t(level)]) << level;

  // Each level can be regenerated, or left out.
  const media::Texture made = upsample("once.dds", "made.dds", {"--quality", "fast", "--levels", "make"});
  EXPECT_TRUE(made.levels[0] == twice.levels[0]);
  EXPECT_FALSE(made.levels[2] == twice.levels[2]);
  const media::Texture alone = upsample("once.dds", "alone.dds", {"--quality", "fast", "--no-mips"});
  EXPECT_EQ(alone.info.levels, 1);
  EXPECT_TRUE(alone.levels[0] == twice.levels[0]);
}

TEST_F(TexturesTest, EveryFaceAndFormat) {
  ASSERT_TRUE(daemon_.start());
  const media::Texture cube = make_rgba8(12, 12, 6, 1);
  write_texture("cube.ktx2", cube, {.container = media::TextureContainer::kKtx2});
  const media::Texture plain_cube = upsample("cube.ktx2", "rgba8.dds", {"--kind", "mask", "--no-mips"});
  EXPECT_EQ(media::summary_of(plain_cube.info), "RGBA8 sRGB 24x24, cube map");
  for (int face = 0; face < 6; face++) {
    const std::string_view small = cube.image(0, 0, face), large = plain_cube.image(0, 0, face);
    for (int y = 0; y < 12; y++)
      for (int x = 0; x < 12; x++)
        for (int c = 0; c < 4; c++) {
          const auto at = [&](int i, int j) {
            return int(uint8_t(large[size_t(((2 * y + j) * 24 + 2 * x + i) * 4 + c)]));
          };
          ASSERT_EQ(at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1),
                    4 * int(uint8_t(small[size_t((y * 12 + x) * 4 + c)])));
        }
  }
  constexpr std::pair<const char*, const char*> kFormats[] = {{"bc1", "BC1 sRGB 24x24, 5 levels, cube map"},
                                                              {"bc3", "BC3 sRGB 24x24, 5 levels, cube map"},
                                                              {"bc4", "BC4 24x24, 5 levels, cube map"},
                                                              {"bc5", "BC5 24x24, 5 levels, cube map"},
                                                              {"bc7", "BC7 sRGB 24x24, 5 levels, cube map"}};
  for (const auto& [format, summary] : kFormats) {
    const media::Texture texture =
        upsample("cube.ktx2", fmt::format("{}.dds", format), {"--format", format, "--quality", "fast"});
    EXPECT_EQ(media::summary_of(texture.info), summary);
  }
}

TEST_F(TexturesTest, ImagesAreTaken) {
  ASSERT_TRUE(daemon_.start());
  ASSERT_EQ(run({"ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=50x30", "-frames:v", "1",
                 "-pix_fmt", "rgb24", path("in.png")}),
            0);
  const media::Texture texture =
      upsample("in.png", "out.ktx2", {"--kind", "normal", "--format", "bc5", "--quality", "fast"});
  EXPECT_EQ(media::summary_of(texture.info), "BC5 100x60, 7 levels");
}

TEST_F(TexturesTest, WhatIsWrongIsSaidAtSubmit) {
  ASSERT_TRUE(daemon_.start());
  std::string said;
  std::string bytes = media::encode_texture(make_rgba8(8, 8, 1, 1), {}).value();
  write_file(path("in.dds"), bytes);
  EXPECT_NE(weft({"submit", "upsample", path("in.dds"), "-o", path("out.png")}, &said), 0);
  EXPECT_THAT(said, HasSubstr(".dds or .ktx2"));
  EXPECT_NE(weft({"submit", "upsample", path("in.dds"), "-o", path("out.dds"), "--supercompression", "zstd"},
                 &said),
            0);
  EXPECT_THAT(said, HasSubstr("not supercompressed"));
  write_file(path("cut.dds"), bytes.substr(0, bytes.size() - 1));
  EXPECT_NE(weft({"submit", "upsample", path("cut.dds"), "-o", path("out.dds")}, &said), 0);
  EXPECT_THAT(said, HasSubstr("is damaged"));
  bytes[128] = 95;  // BC6H
  write_file(path("half.dds"), bytes);
  EXPECT_NE(weft({"submit", "upsample", path("half.dds"), "-o", path("out.dds")}, &said), 0);
  EXPECT_THAT(said, HasSubstr("BC6H"));
  // Other kinds of jobs do not accept a texture.
  EXPECT_NE(weft({"submit", "video", path("in.dds"), "-o", path("out.mkv")}, &said), 0);
  EXPECT_THAT(said, HasSubstr("submit it as a job 'upsample'"));
  EXPECT_THAT(leftovers(), IsEmpty());
}

// The error of one file is reported and the other files are made. A retry processes that file
// alone.
TEST_F(TexturesTest, AFolderIsOneJob) {
  ASSERT_TRUE(daemon_.start());
  std::filesystem::create_directory(path("in"));
  std::filesystem::create_directory(path("2x"));
  write_texture("in/rock_albedo.dds", make_rgba8(24, 16, 1, 1), {});
  write_texture("in/rock_n.ktx2", make_rgba8(16, 16, 1, 1), {.container = media::TextureContainer::kKtx2});
  const std::string whole = media::encode_texture(make_rgba8(16, 16, 1, 1), {}).value();
  write_file(path("in/rock_mask.dds"), whole.substr(0, 500));
  write_file(path("in/readme.txt"), "no texture");
  std::string said;
  EXPECT_EQ(weft({"submit", "upsample", path("in"), "-o", path("2x"), "--dry-run"}, &said), 0) << said;
  EXPECT_THAT(
      said,
      HasSubstr(
          "2 textures, the largest RGBA8 sRGB 24x16; 1 that cannot be read; by name 1 albedo, 1 normal"));
  EXPECT_THAT(said, HasSubstr("160 in, 160 out"));
  EXPECT_EQ(weft({"submit", "upsample", path("in"), "-o", path("2x"), "--kind", "auto", "--follow"}, &said),
            1)
      << said;
  EXPECT_THAT(said, HasSubstr("rock_mask.dds"));
  EXPECT_THAT(said, HasSubstr("is damaged"));
  const auto albedo = media::read_texture(read_file(path("2x/rock_albedo.dds")), "albedo");
  ASSERT_THAT(albedo, IsOk());
  EXPECT_EQ(media::summary_of(albedo->info), "RGBA8 sRGB 48x32, 6 levels");
  EXPECT_THAT(media::read_texture(read_file(path("2x/rock_n.ktx2")), "normals"), IsOk());
  EXPECT_FALSE(std::filesystem::exists(path("2x/rock_mask.dds")));
  const v1::Job failed = daemon_.list().jobs(0);
  EXPECT_EQ(failed.state(), v1::JOB_STATE_FAILED);
  EXPECT_EQ(failed.settings().job_class(), v1::JOB_CLASS_SPARE);
  // The outputs of the other files can be displayed.
  v1::ReadPictureRequest picture;
  picture.set_job_id(failed.id());
  picture.set_side(v1::PICTURE_SIDE_OUTPUT);
  const auto stub = v1::PictureService::NewStub(daemon_.new_channel());
  const auto context = call_context();
  const auto reader = stub->ReadPicture(context.get(), picture);
  v1::ReadPictureResponse response;
  ASSERT_TRUE(reader->Read(&response)) << reader->Finish().error_message();
  EXPECT_EQ(response.description().width(), 48);
  EXPECT_EQ(response.description().pictures(), 3);
  EXPECT_THAT(response.description().file(), HasSubstr("2x/rock_albedo.dds"));
  while (reader->Read(&response)) continue;
  EXPECT_TRUE(reader->Finish().ok());
  write_file(path("in/rock_mask.dds"), whole);
  EXPECT_EQ(weft({"retry", failed.id()}, &said), 0) << said;
  EXPECT_EQ(daemon_.wait_for_end_of(failed.id()).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_THAT(media::read_texture(read_file(path("2x/rock_mask.dds")), "mask"), IsOk());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(TexturesTest, FilesOfAFolderAreOneJob) {
  ASSERT_TRUE(daemon_.start());
  for (const char* name : {"a.dds", "b.dds", "c.dds"}) write_texture(name, make_rgba8(16, 8, 1, 1), {});
  std::string said;
  EXPECT_EQ(
      weft({"submit", "upsample", path("a.dds"), path("b.dds"), "-o", path("{stem}_2x.{ext}"), "--follow"},
           &said),
      0)
      << said;
  EXPECT_THAT(media::read_texture(read_file(path("b_2x.dds")), "b"), IsOk());
  EXPECT_FALSE(std::filesystem::exists(path("c_2x.dds")));
  EXPECT_EQ(weft({"submit", "upsample", path("*.dds"), "-o", path("*.dds")}, &said), 4);
  EXPECT_THAT(said, HasSubstr("A file of the output is a file of the input"));
  EXPECT_EQ(weft({"submit", "upsample", path("a.dds"), path("b.dds"), "-o", path("{stem}_2x.{ext}")}, &said),
            4);
  EXPECT_THAT(said, HasSubstr("is there already"));
}

// The results of the check are printed as lines of a table. A job with that table reports no
// further texture.
TEST_F(TexturesTest, ATableIsFilledByTheCheck) {
  ASSERT_TRUE(daemon_.start());
  media::Texture spoiled = make_rgba8(48, 48, 1, 1);
  for (int i = 0; i < 48 * 48; i++)
    for (int c = 0; c < 4; c++)  // texels of red, green and blue in turn
      spoiled.levels[0][size_t(4 * i + c)] = char(c == 3 || (i % 48 + i / 48 + c) % 3 == 0 ? 255 : 0);
  write_texture("a.dds", spoiled, {});
  media::Texture white = spoiled;
  std::fill(white.levels[0].begin(), white.levels[0].end(), char(255));
  write_texture("b.dds", white, {});
  std::vector<std::string> words = {
      "submit",   "upsample", path("a.dds"), path("b.dds"), "-o", path("{stem}_2x.{ext}"),
      "--follow", "--model",  "small",       "--format",    "bc7"};
  std::string said;
  ASSERT_EQ(weft(words, &said), 0) << said;
  EXPECT_THAT(said, HasSubstr("'a.dds' was spoiled by a network and made without. Its colours shift by"));
  EXPECT_THAT(leftovers(), IsEmpty());
  std::string first, again;
  ASSERT_EQ(weft({"list", "--json"}, &said), 0);
  const auto id_at = [&](std::string_view list) {
    const size_t at = list.find("\"id\": \"") + 7;
    return std::string(list.substr(at, 26));
  };
  ASSERT_EQ(weft({"show", "--exceptions", id_at(said)}, &first), 0);
  EXPECT_THAT(first, ::testing::StartsWith("a.dds\tIts colours shift by "));
  write_file(path("table.txt"), first);
  const std::string replaced = read_file(path("a_2x.dds"));
  words.insert(words.end(), {"-y", "--exceptions", path("table.txt")});
  ASSERT_EQ(weft(words, &said), 0) << said;
  EXPECT_THAT(said, HasSubstr("What the table of exceptions names is made without a network."));
  EXPECT_TRUE(read_file(path("a_2x.dds")) == replaced);
  ASSERT_EQ(weft({"list", "--json"}, &said), 0);
  ASSERT_EQ(weft({"show", "--exceptions", id_at(said)}, &again), 0);
  EXPECT_EQ(again, "");

  write_file(path("table.txt"), "# seen\na.dds\n");
  EXPECT_NE(weft(words, &said), 0);
  EXPECT_THAT(said, HasSubstr("Line 2 of the table of exceptions"));
}

// Tests `weft pipe upsample`, which reads and writes concatenated files.
class TexturePipeTest : public TexturesTest {
 protected:
  // Runs "pipe upsample" with the arguments `words` and the concatenated `files` as its input.
  // Returns its exit status.
  int pipe(const std::vector<std::string>& files, const std::string& words, const std::string& output,
           std::string* said) {
    std::string command = "cat";
    for (const std::string& file : files) command += " " + path(file);
    command +=
        fmt::format(" | {} --server {} pipe upsample {} > {}", WEFT, daemon_.address(), words, path(output));
    return run({"sh", "-c", command}, said);
  }
};

TEST_F(TexturePipeTest, AStreamGivesWhatJobsGive) {
  ASSERT_TRUE(daemon_.start());
  write_texture("a.dds", make_rgba8(40, 24, 1, 6), {});
  write_texture("b.ktx2", make_rgba8(16, 16, 6, 2),
                {.container = media::TextureContainer::kKtx2, .zstd_level = 3});
  upsample("a.dds", "a7.dds", {"--format", "bc7", "--quality", "fast"});
  upsample("b.ktx2", "b5.ktx2", {"--format", "bc5", "--quality", "fast", "--kind", "normal"});
  upsample("a7.dds", "a7_2x.dds", {"--quality", "fast"});
  upsample("b5.ktx2", "b5_2x.ktx2", {"--quality", "fast"});
  std::string said;
  // Sizes, formats and containers change between the files.
  ASSERT_EQ(pipe({"a7.dds", "a7.dds", "b5.ktx2", "a7.dds"}, "--quality fast", "all", &said), 0) << said;
  EXPECT_THAT(said, HasSubstr("4 textures"));
  const std::string a = read_file(path("a7_2x.dds")), b = read_file(path("b5_2x.ktx2"));
  EXPECT_TRUE(read_file(path("all")) == a + a + b + a);
  ASSERT_EQ(pipe({"a7.dds"}, "--quality fast --transport messages --no-mips --format bc1", "one", &said), 0)
      << said;
  const auto one = media::read_texture(read_file(path("one")), "one");
  ASSERT_THAT(one, IsOk());
  EXPECT_EQ(media::summary_of(one->info), "BC1 sRGB 160x96");
}

// The levels go down to a single texel. One format is signed.
TEST_F(TexturePipeTest, LevelsThatAreMadeAreThoseOfJobs) {
  ASSERT_TRUE(daemon_.start());
  write_texture("a.dds", make_rgba8(40, 24, 1, 1), {});
  for (const char* format : {"bc5s", "bc5", "bc1", "bc7", "rgba8"}) {
    std::filesystem::remove(path("job.dds"));
    upsample("a.dds", "job.dds", {"--format", format, "--quality", "fast", "--levels", "make"});
    std::string said;
    ASSERT_EQ(pipe({"a.dds"}, fmt::format("--format {} --quality fast", format), "piped", &said), 0) << said;
    // The first level below the new one has the input's own texels. A job that makes this level
    // computes the same texels from the new one.
    EXPECT_TRUE(read_file(path("piped")) == read_file(path("job.dds"))) << format;
  }
}

TEST_F(TexturePipeTest, GlossIsThatOfJobs) {
  ASSERT_TRUE(daemon_.start());
  write_texture("a.dds", make_rgba8(40, 24, 1, 6), {});
  upsample("a.dds", "job.dds", {"--kind", "normal", "--gloss"});
  std::string said;
  ASSERT_EQ(pipe({"a.dds"}, "--kind normal --gloss", "piped", &said), 0) << said;
  EXPECT_TRUE(read_file(path("piped")) == read_file(path("job.dds")));
  EXPECT_EQ(pipe({"a.dds"}, "--gloss", "piped", &said), 4);
  EXPECT_THAT(said, HasSubstr("Only normals gain gloss"));
}

TEST_F(TexturePipeTest, WhatIsWrongIsSaid) {
  ASSERT_TRUE(daemon_.start());
  ASSERT_TRUE(wait_until([&] {  // unlike a job, a stream does not wait for a device
    const auto device = daemon_.device("cpu");
    return device && device->state() == v1::DEVICE_STATE_IN_SERVICE;
  }));
  write_texture("a.dds", make_rgba8(8, 8, 1, 1), {});
  const std::string whole = read_file(path("a.dds"));
  write_file(path("cut.dds"), whole.substr(0, whole.size() - 1));
  write_file(path("text"), "this is no texture");
  write_file(path("none"), "");
  std::string said;
  EXPECT_EQ(pipe({"a.dds", "cut.dds"}, "", "out", &said), 1);
  EXPECT_THAT(said, HasSubstr("ends within a texture (number 2 of the input"));
  EXPECT_EQ(pipe({"text"}, "", "out", &said), 1);
  EXPECT_THAT(said, HasSubstr("no texture that is known"));
  EXPECT_EQ(pipe({"a.dds", "text"}, "", "out", &said), 1);
  EXPECT_THAT(said, HasSubstr("number 2 of the input"));
  EXPECT_EQ(pipe({"none"}, "", "out", &said), 1);
  EXPECT_THAT(said, HasSubstr("The input is empty"));
  EXPECT_NE(pipe({"a.dds"}, "--kind auto", "out", &said), 0);
  EXPECT_THAT(said, HasSubstr("cannot be derived from a name; set the kind"));
}

}  // namespace
}  // namespace weft::scenarios
