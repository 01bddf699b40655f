// SPDX-License-Identifier: Apache-2.0
// Tests that the frames after resume() are those of a run without interruption: for many kinds of
// files, at many positions.
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

constexpr int kFrames = 150;
constexpr int kResumePoints[] = {0, 1, 3, 4, 20, 61, 75, 76, 77, 140, 149, 150};

struct WholeRun {
  Decoded decoded;
  std::map<int64_t, std::string> checkpoints;  // serialised checkpoints by frame
  SourceCounters counters;
};

// Decodes everything and takes a checkpoint at every position.
WholeRun run_undisturbed(const std::string& path, const SourceOptions& options) {
  WholeRun run;
  const auto source = open_source(path, options);
  EXPECT_THAT(source, IsOk());
  if (!source.ok()) return run;
  while (true) {
    if (std::ranges::count(kResumePoints, (*source)->counters().frames) > 0)
      run.checkpoints[(*source)->counters().frames] = serialise((*source)->checkpoint());
    auto frame = (*source)->next();
    EXPECT_THAT(frame, IsOk());
    if (!frame.ok() || !*frame) break;
    run.decoded.hashes.push_back(hash_packed((*frame)->picture));
    (*frame)->owner.reset();
    run.decoded.frames.push_back(**frame);
  }
  run.counters = (*source)->counters();
  return run;
}

void expect_same_rest(const WholeRun& whole, size_t from, const Decoded& rest) {
  ASSERT_EQ(rest.frames.size(), whole.decoded.frames.size() - from);
  for (size_t i = 0; i < rest.frames.size(); i++) {
    const SourceFrame& expected = whole.decoded.frames[from + i];
    const SourceFrame& given = rest.frames[i];
    ASSERT_EQ(rest.hashes[i], whole.decoded.hashes[from + i]) << "frame " << from + i;
    ASSERT_EQ(given.index, expected.index);
    ASSERT_EQ(given.pts, expected.pts) << "frame " << from + i;
    ASSERT_EQ(given.duration, expected.duration) << "frame " << from + i;
    ASSERT_EQ(given.discontinuity, expected.discontinuity) << "frame " << from + i;
    ASSERT_EQ(given.interlaced, expected.interlaced);
    ASSERT_EQ(given.top_field_first, expected.top_field_first);
  }
}

// Resumes at every checkpoint. Returns the largest number of frames that a resume decoded and
// discarded.
int64_t expect_exact_resume(const std::string& path, const WholeRun& whole, const SourceOptions& options) {
  int64_t most_skipped = 0;
  for (const auto& [resume_point, bytes] : whole.checkpoints) {
    SCOPED_TRACE(path + " at frame " + std::to_string(resume_point));
    const auto checkpoint = parse_checkpoint(bytes);
    EXPECT_THAT(checkpoint, IsOk());
    const auto source = open_source(path, options);
    EXPECT_THAT(source, IsOk());
    EXPECT_THAT((*source)->resume(*checkpoint), IsOk());
    EXPECT_EQ((*source)->counters().frames, resume_point);
    expect_same_rest(whole, size_t(resume_point), decode_all(**source));
    EXPECT_EQ((*source)->counters().corrupt_packets, whole.counters.corrupt_packets);
    EXPECT_EQ((*source)->counters().repaired_timestamps, whole.counters.repaired_timestamps);
    most_skipped = std::max(most_skipped, (*source)->frames_skipped());
  }
  return most_skipped;
}

struct ResumeCase {
  std::string name;
  std::string arguments;
  bool from_anchor = true;  // resumes from an anchor and not from the start of the file
};

const std::string kMoving =
    "-f lavfi -i testsrc2=size=176x144:rate=50,format=yuv420p,tinterlace=interleave_top -f lavfi -i sine "
    "-frames:v " +
    std::to_string(kFrames) + " -t 6 ";
const std::string kInterlaced = "-flags +ildct+ilme ";

class Resume : public testing::TestWithParam<ResumeCase> {};

TEST_P(Resume, GivesTheFramesOfAnUndisturbedRun) {
  const TestFolder folder;
  const std::string path = make_clip(folder, GetParam().name, kMoving + GetParam().arguments);
  const SourceOptions options{.threads = 3};
  const WholeRun whole = run_undisturbed(path, options);
  ASSERT_GE(whole.decoded.frames.size(), size_t{kFrames} - 2);
  EXPECT_GE(whole.checkpoints.size(), std::size(kResumePoints) - 2);
  const int64_t skipped = expect_exact_resume(path, whole, options);
  if (GetParam().from_anchor) {
    EXPECT_LE(skipped, 60);
  } else {
    EXPECT_GE(skipped, kFrames - 2);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, Resume,
    testing::Values(
        ResumeCase{"mpeg2_open.ts", kInterlaced + "-c:v mpeg2video -bf 2 -g 12 -c:a mp2"},
        ResumeCase{"mpeg2_closed.ts",
                   kInterlaced + "-c:v mpeg2video -bf 2 -g 12 -flags +cgop -sc_threshold 1000000000"},
        ResumeCase{"mpeg2.mpg", kInterlaced + "-c:v mpeg2video -bf 2 -g 12 -c:a mp2"},
        ResumeCase{"mpeg2.mkv", kInterlaced + "-c:v mpeg2video -bf 2 -g 12"},
        ResumeCase{"h264.ts", kInterlaced + "-c:v libx264 -bf 3 -g 15 -c:a mp2"},
        ResumeCase{"h264_open.ts",
                   kInterlaced + "-c:v libx264 -x264-params open-gop=1:bframes=3:keyint=15:b-pyramid=normal"},
        ResumeCase{"h264.mp4", kInterlaced + "-c:v libx264 -bf 3 -g 15"},
        ResumeCase{"h264_open.mkv", "-c:v libx264 -x264-params open-gop=1:bframes=3:keyint=15"},
        ResumeCase{"h264_refresh.ts", "-c:v libx264 -x264-params intra-refresh=1:keyint=15", false},
        ResumeCase{"hevc.mkv", "-c:v libx265 -x265-params log-level=none:keyint=15:open-gop=1"},
        ResumeCase{"hevc.ts", "-c:v libx265 -x265-params log-level=none:keyint=15:open-gop=0"},
        ResumeCase{"ffv1_each.mkv", "-c:v ffv1 -g 1"},
        ResumeCase{"ffv1_groups.mkv", "-c:v ffv1 -g 12 -level 3"}, ResumeCase{"raw.nut", "-c:v rawvideo"},
        ResumeCase{"mjpeg.avi", "-c:v mjpeg -q:v 3"},
        ResumeCase{"prores.mov", "-c:v prores_ks -flags +ildct"},
        ResumeCase{"vp9.webm", "-c:v libvpx-vp9 -cpu-used 8 -g 15 -b:v 300k"},
        ResumeCase{"mpeg4.avi", "-c:v mpeg4 -bf 2 -g 12", false},
        ResumeCase{"elementary.m2v", "-c:v mpeg2video -bf 2 -g 12", false}, ResumeCase{"pictures.y4m", ""}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::ranges::replace(name, '.', '_');
      return name;
    });

// With groups of an odd number of fields, every other group begins with the second field of a
// frame.
TEST(ResumeFields, IsNeverInTheMiddleOfAFrame) {
  const TestFolder folder;
  const SourceOptions options{.threads = 3};
  for (const int group : {30, 15}) {
    const std::string path = make_clip(
        folder, fmt::format("fields{}.ts", group),
        fmt::format("-f lavfi -i testsrc2=size=176x144:rate=50,format=yuv420p,tinterlace=interleave_top,"
                    "separatefields -frames:v {} -c:v libx265 -x265-params "
                    "log-level=none:interlace=tff:keyint={}:open-gop=1",
                    2 * kFrames, group));
    const WholeRun whole = run_undisturbed(path, options);
    ASSERT_EQ(whole.decoded.frames.size(), size_t{kFrames});
    EXPECT_LE(expect_exact_resume(path, whole, options), 60);
    const auto source = open_source(path, options).value();
    EXPECT_FALSE(source->frame_times({})->has_value()) << "packets are fields";
  }
}

TEST(ResumeDamaged, IsExactToo) {
  const TestFolder folder;
  const SourceOptions options{.threads = 3};
  for (const std::string codec : {"mpeg2video -bf 2 -g 12", "libx264 -bf 3 -g 15"}) {
    const std::string path = make_clip(folder, "d.ts", kMoving + kInterlaced + "-b:v 1M -c:v " + codec);
    std::string bytes = read_file(path);
    std::mt19937 random(5);
    for (int i = 0; i < 60; i++)
      bytes[bytes.size() / 10 + random() % (bytes.size() * 8 / 10)] ^= char(1 + random() % 255);
    write_file(path, bytes);
    const WholeRun whole = run_undisturbed(path, options);
    EXPECT_GT(whole.counters.corrupt_packets, 0) << codec;
    const WholeRun again = run_undisturbed(path, options);
    EXPECT_EQ(whole.decoded.hashes, again.decoded.hashes) << "the decoder is not deterministic: " << codec;
    expect_exact_resume(path, whole, options);
  }
}

// Careful decoding ends some time after the damage: a later checkpoint is reached from an anchor
// near it.
TEST(ResumeDamaged, IsQuickAgainLongAfter) {
  const TestFolder folder;
  for (const std::string codec : {"mpeg2video -bf 2 -g 12", "libx264 -bf 3 -g 15"}) {
    const std::string path =
        make_clip(folder, "d.ts", "-f lavfi -i testsrc2=size=96x80 -frames:v 600 -b:v 500k -c:v " + codec);
    std::string bytes = read_file(path);
    for (size_t at = bytes.size() / 5; at < bytes.size() / 5 + 3000; at += 100)
      bytes[at] = char(bytes[at] ^ 0x55);
    write_file(path, bytes);
    const auto whole = open_source(path, {.threads = 3});
    ASSERT_THAT(whole, IsOk());
    std::vector<uint64_t> expected;
    SourceCheckpoint late;
    while (true) {
      if (expected.size() == 560) late = (*whole)->checkpoint();
      const auto frame = (*whole)->next();
      ASSERT_THAT(frame, IsOk());
      if (!*frame) break;
      expected.push_back(hash_packed((*frame)->picture));
    }
    EXPECT_GT((*whole)->counters().corrupt_packets, 0);
    EXPECT_FALSE(late.careful);
    const auto resumed = open_source(path, {.threads = 3});
    ASSERT_THAT((*resumed)->resume(late), IsOk());
    EXPECT_LE((*resumed)->frames_skipped(), 60);
    EXPECT_EQ(decode_all(**resumed).hashes, std::vector<uint64_t>(expected.begin() + 560, expected.end()));
    EXPECT_EQ((*resumed)->counters().corrupt_packets, (*whole)->counters().corrupt_packets);
  }
}

TEST(ResumeRepeated, TellsTheSecondShowingFromTheFirst) {
  const TestFolder folder;
  // The file contains the same bytes twice, so times and pictures repeat.
  const std::string once =
      make_clip(folder, "1.ts", "-f lavfi -i testsrc2=size=176x144 -frames:v 75 -c:v mpeg2video -bf 2 -g 12");
  const std::string twice = folder.path("2.ts");
  write_file(twice, read_file(once) + read_file(once));
  const WholeRun whole = run_undisturbed(twice, {.threads = 2});
  EXPECT_GE(whole.decoded.frames.size(), 146u);
  expect_exact_resume(twice, whole, {.threads = 2});
}

TEST(ResumeOverJump, KeepsTheRepairedTimes) {
  const TestFolder folder;
  const std::string arguments =
      "-f lavfi -i testsrc2=size=176x144 -f lavfi -i sine -t 2.4 -c:v mpeg2video -bf 2 -g 12 -c:a mp2 ";
  const std::string a = make_clip(folder, "a.ts", arguments + "-output_ts_offset 9000");
  const std::string b = make_clip(folder, "b.ts", arguments + "-output_ts_offset 50");
  const std::string both = folder.path("both.ts");
  write_file(both, read_file(a) + read_file(b) + read_file(b) + read_file(a));
  const WholeRun whole = run_undisturbed(both, {.threads = 2});
  EXPECT_GE(whole.decoded.frames.size(), 230u);
  expect_exact_resume(both, whole, {.threads = 2});
}

TEST(ResumeElsewhere, RefusesAnotherFile) {
  const TestFolder folder;
  const auto clip = [&](const char* name, const char* start) {
    return make_clip(folder, name,
                     std::string("-f lavfi -i testsrc2=size=176x144 -vf negate=enable='") + start +
                         "' -frames:v 80 -c:v ffv1");
  };
  const std::string a = clip("a.mkv", "0");
  const WholeRun whole = run_undisturbed(a, {});
  const auto checkpoint = parse_checkpoint(whole.checkpoints.at(61));
  ASSERT_THAT(checkpoint, IsOk());

  std::string bytes = read_file(a);
  write_file(folder.path("longer.mkv"), bytes + "x");
  EXPECT_THAT((*open_source(folder.path("longer.mkv")))->resume(*checkpoint),
              StatusIs(StatusCode::kFailedPrecondition, "bytes"));

  SourceCheckpoint of_another = *checkpoint;
  of_another.seen.back().hash ^= 1;
  EXPECT_THAT((*open_source(a))->resume(of_another),
              StatusIs(StatusCode::kFailedPrecondition, "start the job over"));
}

TEST(Checkpoint, NoticesDamage) {
  SourceCheckpoint checkpoint;
  checkpoint.next_index = 7;
  checkpoint.anchors.push_back({.position = 1, .pts = 2, .dts = 3, .clock = {4, 5}});
  checkpoint.seen.push_back({.pts = 6, .position = 7, .hash = 8});
  const std::string bytes = serialise(checkpoint);
  ASSERT_THAT(parse_checkpoint(bytes), IsOk());
  EXPECT_EQ(serialise(*parse_checkpoint(bytes)), bytes);
  for (size_t i = 0; i < bytes.size(); i++) {
    std::string bad = bytes;
    bad[i] = char(bad[i] ^ 4);
    EXPECT_THAT(parse_checkpoint(bad), StatusIs(StatusCode::kDataLoss)) << i;
    EXPECT_THAT(parse_checkpoint(bytes.substr(0, i)), StatusIs(StatusCode::kDataLoss)) << i;
  }
}

}  // namespace
}  // namespace weft::media
