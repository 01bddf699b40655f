// SPDX-License-Identifier: Apache-2.0
// Tests that pictures read in any order equal those read one after another.
#include "server/worker/picture_reader.h"

#include <random>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server/channel/status_message.h"
#include "server/media/image/image_file.h"
#include "server/media/read/pictures/picture_rgb.h"
#include "server/media/texture/texture.h"
#include "tests/server/media/clips.h"

namespace weft::worker {
namespace {

struct Shown {
  Status status;
  v1::PictureDescription description;
  std::string samples;
};

class PictureReaderTest : public ::testing::Test {
 protected:
  Shown ask(const std::string& path, int64_t index, int64_t most_bytes = 1 << 30, int longest_side = 0) {
    internal::v1::ReadPicture request;
    request.set_request(7);
    request.set_file(path);
    request.set_index(index);
    request.set_most_bytes(most_bytes);
    request.set_longest_side(longest_side);
    const int memory = ::memfd_create("picture", MFD_CLOEXEC);
    std::vector<channel::FileDescriptor> files;
    files.emplace_back(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    files.emplace_back(::dup(memory));
    const internal::v1::FromWorker answer = reader_.answer(request, std::move(files));
    EXPECT_EQ(answer.picture_answer().request(), 7u);
    Shown shown;
    shown.status = channel::to_status(answer.picture_answer().error());
    shown.description = answer.picture_answer().description();
    shown.samples.resize(size_t(::lseek(memory, 0, SEEK_END)));
    EXPECT_EQ(::pread(memory, shown.samples.data(), shown.samples.size(), 0), ssize_t(shown.samples.size()));
    ::close(memory);
    return shown;
  }

  media::TestFolder folder_;
  PictureReader reader_;
};

std::vector<std::string> all_pictures(const std::string& path) {
  std::vector<std::string> pictures;
  const auto source = media::open_source(path, {.hardware = false}).value();
  while (const auto frame = source->next().value()) {
    const VideoFormat& format = frame->picture.format;
    std::vector<uint8_t> rgb(size_t(format.width) * size_t(format.height) * 3);
    EXPECT_THAT(media::to_rgb(frame->picture, source->info().video.colour, frame->interlaced, rgb), IsOk());
    pictures.emplace_back(rgb.begin(), rgb.end());
  }
  return pictures;
}

TEST_F(PictureReaderTest, AnyOrderGivesThePicturesOfTheFile) {
  const std::string path =
      make_clip(folder_, "a.ts",
                "-f lavfi -i testsrc2=size=96x64:rate=50,tinterlace=interleave_top -frames:v 100 "
                "-c:v mpeg2video -flags +ildct+ilme -bf 2 -g 12");
  const std::string other = make_clip(
      folder_, "b.mkv", "-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 70 -c:v libx264 -bf 3 -g 20");
  const std::vector<std::string> pictures = all_pictures(path), others = all_pictures(other);
  ASSERT_GE(pictures.size(), 90u);
  std::mt19937 random(3);
  for (int i = 0; i < 40; i++) {
    const auto index = size_t(random()) % pictures.size();
    const Shown shown = ask(path, int64_t(index));
    ASSERT_THAT(shown.status, IsOk());
    EXPECT_EQ(shown.samples, pictures[index]) << index;
    EXPECT_TRUE(shown.description.interlaced());
    EXPECT_EQ(shown.description.width(), 96);
    EXPECT_EQ(shown.description.samples(), v1::PICTURE_SAMPLES_BYTE);
    const auto beside = size_t(random()) % others.size();
    EXPECT_EQ(ask(other, int64_t(beside)).samples, others[beside]) << beside;
  }
}

// The jumps go beyond the frames that are decoded at once, to seek points of the container, forward
// and back.
TEST_F(PictureReaderTest, FarJumpsGiveThePicturesOfTheFile) {
  constexpr int kMany = 4 * int(kFarFrames);
  const std::string path =
      make_clip(folder_, "a.ts",
                fmt::format("-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v {} -c:v libx264 -preset "
                            "ultrafast -bf 2 -g 25",
                            kMany));
  const std::vector<std::string> pictures = all_pictures(path);
  ASSERT_EQ(pictures.size(), size_t(kMany));
  const int last = kMany - 1, far = int(kFarFrames) + 1;
  for (const int index : {last, 2, last - 1, 3 * far, 3 * far + 1, far, last, last - far, 0})
    EXPECT_EQ(ask(path, index).samples, pictures[size_t(index)]) << index;
  EXPECT_THAT(ask(path, kMany).status, StatusIs(StatusCode::kOutOfRange, fmt::format("it has {}", kMany)));
  EXPECT_EQ(ask(path, last).samples, pictures[size_t(last)]);
}

TEST_F(PictureReaderTest, MoreThan8BitsAreKept) {
  const std::string path = make_clip(
      folder_, "a.mkv",
      "-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 2 -vf setsar=8/9 -pix_fmt yuv422p10 -c:v ffv1");
  const Shown shown = ask(path, 1);
  ASSERT_THAT(shown.status, IsOk());
  EXPECT_EQ(shown.description.samples(), v1::PICTURE_SAMPLES_SHORT);
  EXPECT_NEAR(shown.description.pixel_aspect(), 8.0 / 9, 1e-9);
  const std::string bytes = all_pictures(path)[1];
  ASSERT_EQ(shown.samples.size(), bytes.size() * 2);
  std::vector<uint16_t> shorts(bytes.size());
  std::memcpy(shorts.data(), shown.samples.data(), shown.samples.size());
  size_t between = 0;
  for (size_t i = 0; i < bytes.size(); i++) {
    EXPECT_NEAR(shorts[i] / 257.0, uint8_t(bytes[i]), 0.51) << i;
    between += shorts[i] % 257 == 0 ? 0 : 1;
  }
  EXPECT_GT(between, bytes.size() / 2) << "most colours of 10 bits are none of 8";
}

TEST_F(PictureReaderTest, BeyondTheEndIsSaidWithTheNumberThereIs) {
  const std::string path =
      make_clip(folder_, "a.mkv", "-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 9 -c:v ffv1");
  EXPECT_THAT(ask(path, 9).status, StatusIs(StatusCode::kOutOfRange, "it has 9"));
  EXPECT_THAT(ask(path, -1).status, StatusIs(StatusCode::kOutOfRange, "no picture -1"));
  const Shown last = ask(path, 8);
  EXPECT_THAT(last.status, IsOk());
  EXPECT_EQ(last.description.pictures(), 9);
}

TEST_F(PictureReaderTest, WhatIsTooLargeIsRefused) {
  const std::string path =
      make_clip(folder_, "a.mkv", "-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 2 -c:v ffv1");
  const Shown shown = ask(path, 0, 64 * 48 * 3 - 1);
  EXPECT_THAT(shown.status, StatusIs(StatusCode::kResourceExhausted, "(9216 bytes, at most 9215)"));
  EXPECT_EQ(shown.samples, "");
}

TEST_F(PictureReaderTest, ImagesComeInLinearLight) {
  const std::string path = folder_.path("a.hdr");
  media::ImageInfo info;
  info.data = info.display = {0, 0, 2, 1};
  info.samples = media::SampleType::kFloat;
  media::Image image = media::make_image(info).value();
  const std::array<float, 8> samples = {0.5f, 1, 2, 1, 4, 8, 16, 1};
  std::copy(samples.begin(), samples.end(), image.float_samples().begin());
  media::write_file(path, media::encode_image(image, {.format = media::ImageFormat::kRadiance}).value());
  const Shown shown = ask(path, 0);
  ASSERT_THAT(shown.status, IsOk());
  ASSERT_EQ(shown.description.samples(), v1::PICTURE_SAMPLES_FLOAT);
  ASSERT_EQ(shown.samples.size(), 6 * sizeof(float));
  std::array<float, 6> found{};
  std::memcpy(found.data(), shown.samples.data(), shown.samples.size());
  EXPECT_THAT(found, ::testing::ElementsAre(0.5f, 1, 2, 4, 8, 16));
  EXPECT_THAT(ask(path, 1).status, StatusIs(StatusCode::kOutOfRange, "one picture only"));
}

TEST_F(PictureReaderTest, AFileThatIsNoneIsRefusedAndTheNextOneIsRead) {
  const std::string broken = folder_.path("broken.ts");
  media::write_file(broken, std::string(5000, 'x'));
  EXPECT_THAT(ask(broken, 0).status, StatusIs(StatusCode::kInvalidArgument, "broken.ts"));
  const std::string path =
      make_clip(folder_, "a.mkv", "-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 2 -c:v ffv1");
  const std::vector<std::string> before = all_pictures(path);
  EXPECT_EQ(ask(path, 1).samples, before[1]);
  // A job that runs again replaces the file by another one of the same name.
  make_clip(folder_, "a.mkv", "-f lavfi -i testsrc=size=64x48:rate=25 -frames:v 2 -c:v ffv1");
  EXPECT_NE(ask(path, 1).samples, before[1]);
}

TEST_F(PictureReaderTest, TexturesAreDecodedWithTheModesOfTheirBlocks) {
  media::TextureInfo info;
  info.format = media::TextureFormat::kBc7;
  info.width = 10;
  info.height = 8;
  info.layers = 2;
  info.is_array = true;
  info.levels = 2;
  media::Texture texture = media::make_texture(info).value();
  // A block of mode 5 with zeros is black. One of mode 6 with ones in all bits of red is red.
  for (size_t block = 0; block < texture.levels[0].size() / 16; block++) texture.levels[0][block * 16] = 0x20;
  char* red = texture.writable_image(0, 1, 0).data() + 16;  // second block of the second layer
  red[0] = char(0x40 | 0x80);
  red[1] = char(0xff);
  red[2] = char(0x1f);
  for (size_t block = 0; block < texture.levels[1].size() / 16; block++) texture.levels[1][block * 16] = 0x20;
  media::write_file(folder_.path("in.dds"), media::encode_texture(texture, {}).value());
  const Shown second = ask(folder_.path("in.dds"), 1);
  ASSERT_THAT(second.status, IsOk());
  EXPECT_EQ(second.description.width(), 10);
  EXPECT_EQ(second.description.pictures(), 2);
  EXPECT_TRUE(second.description.has_block_modes());
  ASSERT_EQ(second.samples.size(), size_t(10 * 8 * 3 + 6));
  EXPECT_EQ(second.samples.substr(240), std::string({5, 6, 5, 5, 5, 5}));
  EXPECT_EQ(second.samples.substr(0, 3), std::string(3, '\0'));
  EXPECT_GE(uint8_t(second.samples[4 * 3]), 250);
  EXPECT_EQ(second.samples[4 * 3 + 1], '\0');
  // For a smaller size the matching mip level is shown, without block modes.
  const Shown small = ask(folder_.path("in.dds"), 0, 1 << 30, 6);
  ASSERT_THAT(small.status, IsOk());
  EXPECT_EQ(small.description.width(), 5);
  EXPECT_FALSE(small.description.has_block_modes());
  EXPECT_EQ(small.samples.size(), size_t(5 * 4 * 3));
  const Shown tiny = ask(folder_.path("in.dds"), 0, 1 << 30, 3);
  EXPECT_EQ(tiny.description.width(), 2);
  EXPECT_THAT(ask(folder_.path("in.dds"), 2).status, StatusIs(StatusCode::kOutOfRange, "it has 2"));
  EXPECT_THAT(ask(folder_.path("in.dds"), 0, 10).status, StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace weft::worker
