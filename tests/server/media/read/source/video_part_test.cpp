// SPDX-License-Identifier: Apache-2.0
// Tests that a part of a video has the frames that ffmpeg's trim selects, by frames and by times,
// in many kinds of files.
#include "server/media/read/source/video_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr int64_t kClipFrames = 200;  // 8 s of video

std::string make_part_clip(const TestFolder& folder, const std::string& file, const std::string& arguments) {
  return make_clip(folder, file,
                   fmt::format("-f lavfi -i testsrc2=size=64x48:rate=25,format=yuv420p -frames:v {} {}",
                               kClipFrames, arguments));
}

std::unique_ptr<VideoPart> open_part(const std::string& path, const PartBounds& bounds) {
  auto part = VideoPart::open(InputFile::open(path).value(), {.hardware = false}, bounds);
  EXPECT_THAT(part, IsOk());
  return *std::move(part);
}

// Decodes the rest of a part. `first` is the index of its first frame.
Decoded decode_rest(VideoPart& part, int64_t first = 0) {
  Decoded decoded;
  while (true) {
    auto frame = part.next();
    EXPECT_THAT(frame, IsOk());
    if (!frame.ok() || !*frame) return decoded;
    EXPECT_EQ((*frame)->index, first + int64_t(decoded.frames.size()));
    decoded.hashes.push_back(hash_packed((*frame)->picture));
    (*frame)->owner.reset();
    decoded.frames.push_back(**frame);
  }
}

struct PartCase {
  const char* name;
  const char* file;
  const char* arguments;
  bool is_countable = true;
};
class PartTest : public testing::TestWithParam<PartCase> {
 protected:
  PartTest() : path_(make_part_clip(folder_, GetParam().file, GetParam().arguments)) {}

  std::vector<uint64_t> trimmed(const std::string& trim) {
    return hashes_by_ffmpeg(path_, {.width = 64, .height = 48, .chroma = Chroma::k420, .bit_depth = 8},
                            "yuv420p", "trim=" + trim);
  }

  TestFolder folder_;
  std::string path_;
};

TEST_P(PartTest, FramesAreThoseThatFfmpegsTrimLeaves) {
  struct Part {
    PartBounds bounds;
    std::string trim;
  };
  const std::vector<Part> parts = {
      {{.from = 0}, "start_frame=0"},
      {{.from = 1, .to = 2}, "start_frame=1:end_frame=2"},
      {{.from = 77, .to = 140}, "start_frame=77:end_frame=140"},
      {{.from = 150, .to = 1000}, "start_frame=150"},
      {{.from = 199}, "start_frame=199"},
      {{.to = 30}, "end_frame=30"},
      {{.from = 0s}, "start=0"},
      {{.from = 5s, .to = 6s}, "start=5:end=6"},
      {{.from = 5990ms, .to = 7010ms}, "start=5.99:end=7.01"},
      {{.from = 4s, .to = 120}, "start=4:end_frame=120"},
      {{.to = 2s}, "end=2"},
  };
  for (const Part& each : parts) {
    SCOPED_TRACE(each.trim);
    const auto part = open_part(path_, each.bounds);
    ASSERT_THAT(part->begin(), IsOk());
    const Decoded decoded = decode_rest(*part);
    EXPECT_EQ(decoded.hashes, trimmed(each.trim));
    if (each.bounds.from) {
      EXPECT_EQ(part->start().pts, decoded.frames.at(0).pts);
    }
    // Skipped frames begin at the second newest position at which decoding can start.
    if (GetParam().is_countable) {
      EXPECT_LT(part->frames_skipped(), 70);
    } else {
      EXPECT_EQ(part->frames_skipped(), part->start().index);
    }
  }
}

TEST_P(PartTest, FromAnyPlaceInItTheSameFramesFollow) {
  const PartBounds bounds{.from = 77, .to = 6s};
  const auto whole = open_part(path_, bounds);
  ASSERT_THAT(whole->begin(), IsOk());
  const PartStart start = whole->start();
  EXPECT_EQ(start.index, 77);
  std::vector<std::string> places;
  Decoded decoded;
  while (true) {
    places.push_back(serialise(whole->checkpoint()));
    const auto frame = whole->next();
    ASSERT_THAT(frame, IsOk());
    if (!*frame) break;
    decoded.hashes.push_back(hash_packed((*frame)->picture));
  }
  ASSERT_EQ(decoded.hashes.size(), 73u);
  for (const int64_t at : {1, 2, 5, 40, 72}) {
    const auto part = open_part(path_, bounds);
    ASSERT_THAT(part->resume(*parse_checkpoint(places[size_t(at)]), start), IsOk());
    const Decoded rest = decode_rest(*part, at);
    EXPECT_EQ(rest.hashes, std::vector(decoded.hashes.begin() + at, decoded.hashes.end())) << at;
    EXPECT_EQ(part->end_pts(), whole->end_pts());
  }
}

TEST_P(PartTest, WhereNoFrameLiesIsSaidWithTheLength) {
  for (const PartBounds& bounds : {PartBounds{.from = 200}, PartBounds{.from = 8s}}) {
    const Status begun = open_part(path_, bounds)->begin();
    EXPECT_THAT(begun, StatusIs(StatusCode::kOutOfRange, "behind the video's last frame (200 frames, 8.0"))
        << message_of(begun);
  }
  EXPECT_THAT(
      open_part(path_, {.from = 5010ms, .to = 5030ms})->begin(),
      StatusIs(StatusCode::kOutOfRange, "No frame lies in the part (from 5.01 s to 5.03 s): frame 126"));
  EXPECT_THAT(open_part(path_, {.from = 5s, .to = 100})->begin(),
              StatusIs(StatusCode::kOutOfRange, "(from 5 s to frame 100): frame 125"));
  EXPECT_THAT(open_part(path_, {.to = 0})->begin(),
              StatusIs(StatusCode::kOutOfRange, "(to frame 0): frame 0 is shown at 0.000 s"));
}

INSTANTIATE_TEST_SUITE_P(
    Files, PartTest,
    testing::Values(PartCase{"H264InMatroska", "a.mkv", "-c:v libx264 -bf 3 -g 20"},
                    PartCase{"H264InMp4", "a.mp4", "-c:v libx264 -bf 3 -g 20"},
                    PartCase{"StartsLate", "a.ts", "-c:v libx264 -bf 2 -g 20 -output_ts_offset 100"},
                    PartCase{"OpenGroupsOfHevc", "b.mkv",
                             "-c:v libx265 -x265-params log-level=none:keyint=20:open-gop=1:bframes=3"},
                    PartCase{"Mpeg2InTransportStream", "b.ts", "-c:v mpeg2video -bf 2 -g 12"},
                    PartCase{"ProgramStream", "b.mpg", "-c:v mpeg2video -bf 2 -g 12 -q:v 2", false},
                    PartCase{"Lossless", "c.mkv", "-c:v ffv1 -g 10"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(VideoPart, EndsWhereItsLastFrameEndsOrAtTheTimeThatIsAskedFor) {
  const TestFolder folder;
  const std::string path = make_part_clip(folder, "a.mp4", "-c:v libx264 -bf 2 -video_track_timescale 25000");
  const auto end_of = [&](const PartBounds& bounds) {
    const auto part = open_part(path, bounds);
    EXPECT_THAT(part->begin(), IsOk());
    decode_rest(*part);
    return part->end_pts();
  };
  EXPECT_EQ(end_of({.to = 30}), 30'000);
  EXPECT_EQ(end_of({.from = 50, .to = 51}), 51'000);
  EXPECT_EQ(end_of({.from = 50, .to = 3010ms}), 75'250);
  EXPECT_EQ(end_of({.from = 50}), std::nullopt);
  EXPECT_EQ(end_of({.to = 1000}), std::nullopt);
}

// The source reports "changes at frame 49; cut the file there". A job on the frames up to there
// must be possible.
TEST(VideoPart, NoFrameBehindItsEndIsDecoded) {
  const TestFolder folder;
  const auto piece = [&](const char* name, const char* size) {
    return read_file(
        make_clip(folder, name,
                  fmt::format("-f lavfi -i testsrc2=size={}:rate=25 -frames:v 50 -c:v mpeg2video", size)));
  };
  const std::string path = folder.path("changes.ts");
  write_file(path, piece("a.ts", "64x48") + piece("b.ts", "128x96"));
  const auto part = open_part(path, {.from = 10, .to = 49});
  ASSERT_THAT(part->begin(), IsOk());
  EXPECT_EQ(decode_rest(*part).hashes.size(), 39u);
}

TEST(VideoPart, AStopEndsTheWayToIt) {
  const TestFolder folder;
  const std::string path = make_part_clip(folder, "a.mpg", "-c:v mpeg2video");
  int asked = 0;
  SourceOptions options{.hardware = false};
  options.alive = [&] { return ++asked > 150 ? cancelled("stopped") : ok_status(); };
  const auto part = VideoPart::open(InputFile::open(path).value(), options, {.from = 190});
  ASSERT_THAT(part, IsOk());
  EXPECT_THAT((*part)->begin(), StatusIs(StatusCode::kCancelled));
}

}  // namespace
}  // namespace weft::media
