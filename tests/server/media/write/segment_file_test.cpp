// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/segment_file.h"

#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

SegmentHeader a_header() {
  SegmentHeader header;
  header.segment = 3;
  header.first_frame = 1200;
  header.encoder = "x264";
  header.settings = "x264 threads=2 crf=18";
  header.codec = "h264";
  header.format = {.width = 720, .height = 480, .chroma = Chroma::k422, .bit_depth = 10};
  header.pixel_format = "yuv422p10le";
  header.time_base = {1, 180000};
  header.frame_rate = {60000, 1001};
  header.sample_aspect_ratio = {8, 9};
  header.field_order = ScanOrder::kBottomFirst;
  header.colour = {
      .primaries = 6, .transfer = 6, .matrix = 6, .range = Colour::Range::kLimited, .chroma_location = 1};
  header.hdr10.has_display_colours = true;
  for (size_t i = 0; i < 8; i++) header.hdr10.chromaticities[i] = {int(1000 * i), 50000};
  header.hdr10.has_display_light = true;
  header.hdr10.darkest = {50, 10000};
  header.hdr10.brightest = {1000, 1};
  header.hdr10.brightest_pixel = 1000;
  header.hdr10.brightest_frame = 400;
  header.profile = 122;
  header.level = 31;
  header.bit_rate = 5000000;
  header.extradata = {0, 0, 0, 1, 0x67};
  return header;
}

std::vector<uint8_t> some_bytes(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; i++) bytes[i] = uint8_t(i * 31 + count);
  return bytes;
}

Status write_segment(const FileLocation& location) {
  ASSIGN_OR_RETURN(const auto writer, SegmentWriter::create(location, a_header()));
  for (int i = 0; i < 5; i++)
    RETURN_IF_ERROR(writer->add({.pts = i * 10, .duration = 10, .key = i == 0}, some_bytes(size_t(i) * 40)));
  return writer->finish("the caller's");
}

// Reads the whole file and returns the first error.
Status read_all(const FileLocation& location) {
  ASSIGN_OR_RETURN(const auto reader, SegmentReader::open(location));
  return reader->verify();
}

TEST(SegmentFile, GivesBackWhatWasWritten) {
  const TestFolder folder;
  const FileLocation location{.name = folder.path("s")};
  ASSERT_THAT(write_segment(location), IsOk());
  const auto reader = SegmentReader::open(location);
  ASSERT_THAT(reader, IsOk());
  EXPECT_EQ((*reader)->header(), a_header());
  EXPECT_EQ((*reader)->callers_bytes(), "the caller's");
  ASSERT_EQ((*reader)->packets().size(), 5u);
  std::vector<uint8_t> data;
  for (size_t i = 0; i < 5; i++) {
    EXPECT_EQ((*reader)->packets()[i].pts, int64_t(i) * 10);
    EXPECT_EQ((*reader)->packets()[i].key, i == 0);
    ASSERT_THAT((*reader)->read(i, data), IsOk());
    EXPECT_EQ(data, some_bytes(i * 40));
  }
}

TEST(SegmentFile, WorksWithinAnOpenFolder) {
  const TestFolder folder;
  const Descriptor open_folder(::open(folder.path("").c_str(), O_RDONLY | O_DIRECTORY));
  ASSERT_TRUE(open_folder);
  ASSERT_THAT(write_segment({.folder = open_folder.get(), .name = "s"}), IsOk());
  EXPECT_THAT(read_all({.folder = open_folder.get(), .name = "s"}), IsOk());
  EXPECT_TRUE(std::filesystem::exists(folder.path("s")));
}

TEST(SegmentFile, HasNoNameBeforeItIsFinished) {
  const TestFolder folder;
  {
    const auto writer = SegmentWriter::create({.name = folder.path("s")}, a_header());
    ASSERT_THAT(writer, IsOk());
    ASSERT_THAT((*writer)->add({}, some_bytes(10)), IsOk());
    EXPECT_FALSE(std::filesystem::exists(folder.path("s")));
    EXPECT_TRUE(std::filesystem::exists(folder.path("s.partial")));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("s.partial")));
  EXPECT_THAT(SegmentReader::open({.name = folder.path("s")}), StatusIs(StatusCode::kNotFound));
}

TEST(SegmentFile, NoticesAnyChangedByte) {
  const TestFolder folder;
  const FileLocation location{.name = folder.path("s")};
  ASSERT_THAT(write_segment(location), IsOk());
  const std::string good = read_file(location.name);
  for (size_t at = 0; at < good.size(); at++) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ 0x10);
    write_file(location.name, bad);
    ASSERT_THAT(read_all(location), StatusIs(StatusCode::kDataLoss)) << "byte " << at;
  }
}

TEST(SegmentFile, NoticesAnyTruncation) {
  const TestFolder folder;
  const FileLocation location{.name = folder.path("s")};
  ASSERT_THAT(write_segment(location), IsOk());
  const std::string good = read_file(location.name);
  for (size_t size = 0; size < good.size(); size++) {
    write_file(location.name, good.substr(0, size));
    ASSERT_THAT(read_all(location), StatusIs(StatusCode::kDataLoss)) << "size " << size;
  }
}

TEST(SegmentFile, SaysWhereItCannotWrite) {
  EXPECT_THAT(SegmentWriter::create({.name = "/nowhere/s"}, a_header()),
              StatusIs(StatusCode::kNotFound, "/nowhere/s"));
  if (std::filesystem::exists("/dev/full")) {
    const TestFolder folder;
    std::filesystem::create_symlink("/dev/full", folder.path("s.partial"));
    // A symbolic link is not followed.
    EXPECT_FALSE(SegmentWriter::create({.name = folder.path("s")}, a_header()).ok());
  }
}

}  // namespace
}  // namespace weft::media
