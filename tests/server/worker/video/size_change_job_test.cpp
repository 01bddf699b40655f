// SPDX-License-Identifier: Apache-2.0
// Tests jobs on videos with a change of the picture format in the middle. The ffmpeg program scales
// the expected pictures.
#include <atomic>
#include <cmath>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/video/frame_scaler.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using internal::v1::STOP_KIND_PAUSE;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr int kFirst = 30, kSecond = 45;  // number of frames of each size

constexpr const char* kMpeg2Stream = "-c:v mpeg2video -flags +ildct+ilme -b:v 3M -bf 0 -f mpeg2video";
constexpr const char* kH264Stream = "-c:v libx264 -flags +ildct+ilme -bf 0 -f h264";

// Makes two concatenated streams. `filter`, and the encoder's options in `more`, apply to the
// second.
std::string make_changing(const media::TestFolder& folder, const std::string& name, const std::string& filter,
                          const std::string& codec = kMpeg2Stream, const std::string& more = "") {
  std::string bytes;
  for (const bool is_second : {false, true})
    bytes += media::read_file(media::make_clip(
        folder, "piece",
        fmt::format("-f lavfi -i testsrc2=size=176x144:rate=50,format=yuv420p,tinterlace=interleave_top{} "
                    "-frames:v {} {} {}",
                    is_second ? "," + filter : "", is_second ? kSecond : kFirst, is_second ? more : "",
                    codec)));
  media::write_file(folder.path("both"), bytes);
  return media::make_clip(folder, name,
                          fmt::format("-fflags +genpts -r 25 -f {} -i '{}' -c copy",
                                      codec == kMpeg2Stream ? "mpegvideo" : "h264", folder.path("both")));
}

double psnr(std::string_view one, std::string_view other, int maximum, bool is_deep) {
  EXPECT_EQ(one.size(), other.size());
  double sum = 0;
  const size_t step = is_deep ? 2 : 1, samples = std::min(one.size(), other.size()) / step;
  const auto at = [&](std::string_view bytes, size_t i) {
    return is_deep ? uint8_t(bytes[2 * i]) + 256 * uint8_t(bytes[2 * i + 1]) : uint8_t(bytes[i]);
  };
  for (size_t i = 0; i < samples; i++) sum += std::pow(at(one, i) - at(other, i), 2);
  return 10 * std::log10(double(maximum) * maximum * double(samples) / std::max(sum, 1e-9));
}

std::string packed(const media::PictureView& picture) {
  std::string bytes;
  for (int plane = 0; plane < picture.format.planes(); plane++)
    for (int row = 0; row < picture.format.plane_height(plane); row++)
      bytes.append(reinterpret_cast<const char*>(picture.plane[size_t(plane)]) +
                       row * picture.stride_bytes[size_t(plane)],
                   size_t(picture.format.plane_width(plane) * picture.format.sample_bytes()));
  return bytes;
}

struct ScaleCase {
  const char* name;
  std::string source;
  std::string pixel_format;
  VideoFormat to;
  const char* scale;
};
class ScaledFrame : public testing::TestWithParam<ScaleCase> {};

TEST_P(ScaledFrame, IsNearFfmpegs) {
  const media::TestFolder folder;
  const ScaleCase& test = GetParam();
  const std::string path = media::make_clip(
      folder, "in.mkv",
      fmt::format("-f lavfi -i {} -frames:v 3 -c:v ffv1 -pix_fmt {}", test.source, test.pixel_format));
  const auto source = media::open_source(path).value();
  FrameScaler scaler(test.to, graph::ChromaSiting::kLeft);
  std::string scaled;
  while (auto frame = source->next().value()) {
    ASSERT_THAT(scaler.scale(*frame), IsOk());
    ASSERT_EQ(frame->picture.format, test.to);
    scaled += packed(frame->picture);
  }
  const std::string expected = media::run(
      "ffmpeg -nostdin -v error -i '" + path + "' -vf 'scale=" + test.scale +
      ":flags=lanczos+accurate_rnd+full_chroma_inp' -pix_fmt " + test.pixel_format + " -f rawvideo -");
  const int maximum = (1 << test.to.bit_depth) - 1;
  EXPECT_GT(psnr(scaled, expected, maximum, test.to.bit_depth > 8), 38);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, ScaledFrame,
    testing::Values(
        ScaleCase{"Progressive", "testsrc2=size=160x120", "yuv420p", {120, 96}, "120:96"},
        ScaleCase{"Larger", "testsrc2=size=96x64", "yuv420p", {160, 120}, "160:120"},
        ScaleCase{"Deep", "testsrc2=size=160x120", "yuv422p10le", {120, 96, Chroma::k422, 10}, "120:96"}),
    [](const auto& test) { return test.param.name; });

// A ramp remains a ramp after scaling: the lines of each field keep their positions in the frame,
// also in chroma.
TEST(ScaledFrame, KeepsFieldsInTheirPlaces) {
  const VideoFormat from{32, 96, Chroma::k420, 8}, to{32, 64, Chroma::k420, 8};
  const double ratio = 1.5;
  std::string bytes;
  media::SourceFrame frame;
  for (int plane = 0; plane < 3; plane++)
    for (int y = 0; y < from.plane_height(plane); y++)
      bytes.append(size_t(from.plane_width(plane)), char(plane == 0 ? 2 * y : 4 * y));
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  frame.picture = {from, {at, at + 32 * 96, at + 32 * 96 + 16 * 48}, {32, 16, 16}};
  for (const bool interlaced : {false, true}) {
    media::SourceFrame scaled = frame;
    scaled.interlaced = interlaced;
    FrameScaler scaler(to, graph::ChromaSiting::kLeft);
    ASSERT_THAT(scaler.scale(scaled), IsOk());
    for (int y = 12; y < 52; y++)
      EXPECT_NEAR(scaled.picture.plane[0][y * scaled.picture.stride_bytes[0]], 2 * ((y + 0.5) * ratio - 0.5),
                  1.01)
          << y;
    for (int y = 8; y < 24; y++)  // at line 2y + 0.5 of luma
      EXPECT_NEAR(scaled.picture.plane[1][y * scaled.picture.stride_bytes[1]],
                  4 * ((((2 * y + 1) * ratio - 0.5) - 0.5) / 2), 1.01)
          << y;
  }
}

TEST(SizeChangeJob, FailsAndSaysWhere) {
  const media::TestFolder folder;
  const std::string clip = make_changing(folder, "in.ts", "scale=240x144,setsar=44/60");
  const TestJob job(folder, "fail", clip);
  EXPECT_THAT(estimate_video(job.spec, job.start().inputs),
              StatusIs(StatusCode::kInvalidArgument, "176x144 at first and 240x144 from about 1."));
  const Ran ran = run_attempt(job);
  EXPECT_THAT(ran.end.status,
              StatusIs(StatusCode::kInvalidArgument,
                       "changes from 176x144 8-bit 4:2:0 to 240x144 8-bit 4:2:0 at frame 30 (1.200 s)"));
  EXPECT_FALSE(ran.end.retriable);
}

// The part may end before the change.
TEST(SizeChangeJob, RefusesNoPart) {
  const media::TestFolder folder;
  TestJob job(folder, "part", make_changing(folder, "in.ts", "scale=240x144,setsar=44/60"));
  job.video().set_to("30f");
  EXPECT_THAT(estimate_video(job.spec, job.start().inputs), IsOk());
  EXPECT_THAT(run_attempt(job).end.status, IsOk());
}

TEST(SizeChangeJob, ScalesToTheFirstSize) {
  const media::TestFolder folder;
  const std::string clip = make_changing(folder, "in.ts", "scale=240x144:interl=1,setsar=44/60");
  const auto make = [&](const std::string& name) {
    TestJob job(folder, name, clip);
    job.video().mutable_decoding()->set_on_size_change(v1::SIZE_CHANGE_SCALE);
    job.video().mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
    job.video().mutable_encoding()->set_segment_frames(20);
    return job;
  };
  const TestJob whole = make("whole");
  EXPECT_THAT(estimate_video(whole.spec, whole.start().inputs), IsOk());
  const Ran ran = run_attempt(whole);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_EQ(ran.end.result.units_out(), 2 * (kFirst + kSecond));
  EXPECT_EQ(
      media::ffprobe(whole.finished_path(), "-select_streams v -show_entries frame=width,height").size(),
      2u * (kFirst + kSecond));
  const auto notes = [](const Ran& of) {
    return std::vector<std::string>(of.end.result.notes().begin(), of.end.result.notes().end());
  };
  EXPECT_THAT(notes(ran),
              Contains(HasSubstr("From frame 30 (1.200 s) on pictures are 240x144, before it 176x144.")));
  EXPECT_THAT(notes(ran), Contains(HasSubstr("scaled to 176x144")));
  // A job that is stopped after each segment has the same bytes, and the notes of all attempts.
  const TestJob stopped = make("stopped");
  for (int attempt = 0; attempt < 3; attempt++)
    run_attempt(stopped, [](VideoRunner& runner, int) { runner.stop(STOP_KIND_PAUSE); });
  const Ran last = run_attempt(stopped);
  ASSERT_THAT(last.end.status, IsOk());
  EXPECT_GT(last.end.result.segments_resumed(), 1);
  EXPECT_THAT(notes(last), Contains(HasSubstr("From frame 30 (1.200 s) on")));
  EXPECT_TRUE(same_bytes(media::read_file(stopped.finished_path()), media::read_file(whole.finished_path())));
}

// The input has three sizes; the third equals the first. Each output file equals that of a job on
// these pictures alone.
TEST(SizeChangeJob, SplitsIntoAFileOfEachSize) {
  const media::TestFolder folder;
  constexpr const char* kSizes[] = {"", ",scale=240x144:interl=1,setsar=44/60", ""};
  constexpr int kCounts[] = {kFirst, kSecond, 25};
  std::string bytes;
  std::vector<std::string> alone;
  for (size_t i = 0; i < 3; i++) {
    const std::string piece =
        media::make_clip(folder, fmt::format("piece{}.m2v", i),
                         fmt::format("-f lavfi -i testsrc2=size=176x144:rate=50,format=yuv420p,hue=h={},"
                                     "tinterlace=interleave_top{} -frames:v {} {}",
                                     40 * i, kSizes[i], kCounts[i], kMpeg2Stream));
    bytes += media::read_file(piece);
    alone.push_back(
        media::make_clip(folder, fmt::format("alone{}.ts", i),
                         fmt::format("-fflags +genpts -r 25 -f mpegvideo -i '{}' -c copy", piece)));
  }
  media::write_file(folder.path("all"), bytes);
  const std::string clip = media::make_clip(
      folder, "in.ts",
      fmt::format(
          "-fflags +genpts -r 25 -f mpegvideo -i '{}' -f lavfi -i sine=duration=4:sample_rate=48000 -c:v "
          "copy -c:a mp2",
          folder.path("all")));
  const auto make = [&](const std::string& name, const std::string& input) {
    TestJob job(folder, name, input);
    job.video().mutable_decoding()->set_on_size_change(v1::SIZE_CHANGE_SPLIT);
    job.video().mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
    job.video().mutable_encoding()->set_segment_frames(20);
    return job;
  };
  const auto finished = [](const TestJob& job, int piece) {
    return piece == 1 ? job.finished_path() : fmt::format("{}.{}", job.finished_path(), piece);
  };
  const TestJob whole = make("whole", clip);
  EXPECT_THAT(estimate_video(whole.spec, whole.start().inputs), IsOk());
  const Ran ran = run_attempt(whole);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_EQ(ran.end.result.units_in(), kFirst + kSecond + 25);
  ASSERT_EQ(ran.end.result.output_hashes_size(), 3);
  for (int i = 0; i < 3; i++)
    EXPECT_EQ(ran.end.result.output_hashes(i).sha256(), sha256sum(finished(whole, i + 1)));
  EXPECT_EQ(ran.end.result.units_out(), 2 * (kFirst + kSecond + 25));
  EXPECT_EQ(ran.end.result.segments(), 2 + 3 + 2);
  EXPECT_THAT(ran.end.result.notes(),
              Contains(HasSubstr("From the input's frame 30 on pictures are 240x144: they are in ")));
  double audio = 0;
  for (int piece = 1; piece <= 3; piece++) {
    const TestJob single = make(fmt::format("single{}", piece), alone[size_t(piece - 1)]);
    ASSERT_THAT(run_attempt(single).end.status, IsOk());
    const auto hashes = [](const std::string& path) {
      return media::decode_all(*media::open_source(path).value()).hashes;
    };
    const auto frames = [](const std::string& path) {
      return media::ffprobe(path, "-select_streams v -show_entries frame=width,height,sample_aspect_ratio");
    };
    EXPECT_EQ(frames(finished(whole, piece)), frames(single.finished_path())) << piece;
    EXPECT_EQ(hashes(finished(whole, piece)), hashes(single.finished_path())) << piece;
    audio +=
        double(media::ffprobe(finished(whole, piece), "-select_streams a -show_entries packet=pts").size());
  }
  EXPECT_NEAR(audio, 4 * 48000 / 1152.0, 4);  // The cut is between packets.
  EXPECT_FALSE(std::filesystem::exists(finished(whole, 4)));

  const TestJob stopped = make("stopped", clip);
  media::write_file(finished(stopped, 4), "of an earlier attempt");
  int attempts = 0;
  while (
      !run_attempt(stopped, [](VideoRunner& runner, int) { runner.stop(STOP_KIND_PAUSE); }).end.status.ok())
    ASSERT_LT(++attempts, 12);
  EXPECT_GE(attempts, 6);
  for (int piece = 1; piece <= 3; piece++)
    EXPECT_TRUE(
        same_bytes(media::read_file(finished(stopped, piece)), media::read_file(finished(whole, piece))))
        << piece;
  EXPECT_FALSE(std::filesystem::exists(finished(stopped, 4)));
}

// Stops the runner during the analysis of the second file.
class CheckpointInTheSecondAnalysis final : public JobEvents {
 public:
  explicit CheckpointInTheSecondAnalysis(const TestJob& job)
      : runner_(job.start(), {cpu_device(), loop_, caches()}, *this) {}

  JobEnd run() { return runner_.run(); }
  void on_segment_finished(int, int64_t) override {}
  void on_log(std::string_view, std::string_view text) override {
    if (text.starts_with("From the input's frame")) is_second_ = true;
    // This line describes the nodes of a network. The analysis of its pictures follows.
    if (is_second_ && text.find("batches of") != text.npos && !is_stopped_.exchange(true))
      runner_.stop(internal::v1::STOP_KIND_CHECKPOINT);
  }

 private:
  DeviceLoop loop_;
  VideoRunner runner_;
  std::atomic<bool> is_second_{false}, is_stopped_{false};
};

TEST(SizeChangeJob, ACheckpointStopsTheAnalysisOfALaterFile) {
  const media::TestFolder folder;
  const std::string clip = make_changing(folder, "in.ts", "scale=240x144,setsar=44/60");
  const auto make = [&](const std::string& name) {
    TestJob job(folder, name, clip);
    set_filters(job.video(), "yadif,decimate");
    job.video().mutable_decoding()->set_on_size_change(v1::SIZE_CHANGE_SPLIT);
    return job;
  };
  const TestJob stopped = make("stopped");
  EXPECT_THAT(CheckpointInTheSecondAnalysis(stopped).run().status,
              StatusIs(StatusCode::kCancelled, "The worker stops; the job resumes from its finished part."));
  EXPECT_THAT(run_attempt(stopped).end.status, IsOk());
  const TestJob whole = make("whole");
  EXPECT_THAT(run_attempt(whole).end.status, IsOk());
  for (const std::string end : {"", ".2"})
    EXPECT_TRUE(same_bytes(media::read_file(stopped.finished_path() + end),
                           media::read_file(whole.finished_path() + end)));
}

TEST(SizeChangeJob, NotesAChangeOfAspectAndOfColours) {
  const media::TestFolder folder;
  const auto notes = [&](const std::string& name, const std::string& filter, const std::string& codec,
                         const std::string& more = "") {
    const TestJob job(folder, name, make_changing(folder, name + ".ts", filter, codec, more));
    const Ran ran = run_attempt(job);
    EXPECT_THAT(ran.end.status, IsOk());
    return std::vector<std::string>(ran.end.result.notes().begin(), ran.end.result.notes().end());
  };
  EXPECT_THAT(notes("aspect", "setsar=16/11", kMpeg2Stream),
              Contains(HasSubstr(
                  "From frame 30 (1.200 s) on the picture's aspect is 16:9 (pixels 16:11), before it")));
  EXPECT_THAT(notes("colours", "null", kH264Stream, "-color_trc arib-std-b67"),
              Contains(HasSubstr("From frame 30 (1.200 s) on the colours are primaries 2, transfer 18")));
  EXPECT_THAT(notes("same", "null", kMpeg2Stream), Not(Contains(HasSubstr("From frame"))));
}

}  // namespace
}  // namespace weft::worker
