// SPDX-License-Identifier: Apache-2.0
// Tests bloom of videos as jobs, in this process on the CPU device. The frames equal those of the
// filter alone on the decoded input.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/validate.h"
#include "options/values.h"
#include "server/filters/filter.h"
#include "server/graph/pipeline.h"
#include "server/media/read/probe/probe.h"
#include "server/worker/kinds.h"
#include "tests/server/media/image/images.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr int kFrames = 11;
using Pixels = std::vector<uint8_t>;  // bytes of a frame, planes without gaps

Pixels packed(const VideoFormat& format, const auto& plane_data, const auto& strides) {
  Pixels pixels(format.packed_bytes());
  uint8_t* to = pixels.data();
  for (int plane = 0; plane < format.planes(); plane++) {
    const size_t row_bytes = size_t(format.plane_width(plane)) * size_t(format.sample_bytes());
    for (int row = 0; row < format.plane_height(plane); row++, to += row_bytes)
      std::memcpy(to, plane_data[size_t(plane)] + ptrdiff_t(row) * strides[size_t(plane)], row_bytes);
  }
  return pixels;
}

std::vector<Pixels> frames_of(const std::string& path) {
  const auto source = media::open_source(path).value();
  std::vector<Pixels> frames;
  while (const auto frame = source->next().value())
    frames.push_back(packed(frame->picture.format, frame->picture.plane, frame->picture.stride_bytes));
  return frames;
}

// Filters the frames one at a time, without a job.
std::vector<Pixels> bloomed(const std::string& path, const v1::BloomOptions& options,
                            const filters::RgbPicture* kernel = nullptr) {
  const media::VideoInfo video = media::probe(path).value().video;
  graph::PictureProperties info;
  info.colour = {video.colour.transfer, video.colour.matrix,
                 video.colour.range == media::Colour::Range::kFull};
  graph::Network network;
  const graph::Port source = network.set_source(graph::PortFormat::picture(video.format), info);
  filters::RgbPictures pictures;
  if (kernel != nullptr) pictures["bloom.kernel"] = *kernel;
  filters::FilterContext context;
  context.device = &cpu_device();
  context.caches = &caches();
  context.pictures = &pictures;
  context.path = "bloom";
  const graph::Port glowing = filters::expand_filter(context, options, network, source).value();
  EXPECT_THAT(network.set_outputs({glowing}), IsOk());
  EXPECT_THAT(graph::prepare(cpu_device(), network), IsOk());
  const auto pipeline =
      graph::Pipeline::make(cpu_device(), std::move(network), {.plan = {.batch = 1}}).value();
  std::vector<Pixels> result;
  const auto move_on = [&] {
    if (pipeline->ready() > 0) {
      pipeline->submit(1);
      return;
    }
    const auto picture = pipeline->pop().value();
    if (picture.has_value()) result.push_back(packed(video.format, picture->data, picture->stride_bytes));
  };
  int64_t pts = 0;
  for (const Pixels& frame : frames_of(path)) {
    while (!pipeline->has_capacity()) move_on();
    const graph::StagedUnit staged = pipeline->stage().value();
    const uint8_t* from = frame.data();
    for (int plane = 0; plane < video.format.planes(); plane++) {
      const size_t row_bytes = size_t(video.format.plane_width(plane)) * size_t(video.format.sample_bytes());
      for (int row = 0; row < video.format.plane_height(plane); row++, from += row_bytes)
        std::memcpy(staged.data[plane] + ptrdiff_t(row) * staged.stride_bytes[plane], from, row_bytes);
    }
    pipeline->push({.pts = pts++});
  }
  pipeline->finish();
  while (!pipeline->is_empty()) move_on();
  return result;
}

class VideoBloomJobTest : public testing::Test {
 protected:
  // Makes a progressive clip with audio. `more` are arguments of ffmpeg.
  std::string clip(const std::string& name, const std::string& more = "-pix_fmt yuv420p -c:v ffv1") {
    return media::make_clip(
        folder_, name,
        fmt::format("-f lavfi -i testsrc2=size=98x66:rate=25 -f lavfi -i sine=frequency=440 -frames:v {} "
                    "-shortest -c:a pcm_s16le {}",
                    kFrames, more));
  }
  TestJob job(const std::string& name, const std::string& input, const std::string& output = "out.mkv") {
    TestJob job(folder_, name, input, output);
    set_filters(job.video(), "bloom=intensity=0.5");
    return job;
  }
  static v1::BloomOptions complete(const TestJob& job) {
    v1::BloomOptions options = job.spec.video().filters(0).bloom();
    options::apply_defaults(options);
    return options;
  }

  media::TestFolder folder_;
};

TEST_F(VideoBloomJobTest, FramesAreTheFiltersAndAudioIsCopied) {
  const std::string input = clip("in.mkv");
  const TestJob bloom = job("plain", input);
  const Ran ran = run_attempt(bloom);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_EQ(ran.end.result.units_in(), kFrames);
  EXPECT_EQ(ran.end.result.units_out(), kFrames);
  const std::vector<Pixels> expected = bloomed(input, complete(bloom));
  EXPECT_TRUE(frames_of(bloom.finished_path()) == expected);
  EXPECT_FALSE(expected == frames_of(input)) << "nothing glows";
  EXPECT_EQ(picture_times(bloom.finished_path()), picture_times(input));
  const auto audio = [](const std::string& path) {
    return media::run("ffmpeg -nostdin -v error -i '" + path + "' -map 0:a -c copy -f md5 -");
  };
  EXPECT_EQ(audio(bloom.finished_path()), audio(input));
}

TEST_F(VideoBloomJobTest, ItsOwnColourAndDepthCount) {
  const std::string input =
      clip("deep.mkv",
           "-pix_fmt yuv422p10 -c:v ffv1 -color_trc smpte2084 -colorspace bt2020nc -color_primaries bt2020");
  const TestJob bloom = job("deep", input);
  ASSERT_THAT(run_attempt(bloom).end.status, IsOk());
  ASSERT_EQ(media::probe(input)->video.colour.transfer, 16);
  EXPECT_TRUE(frames_of(bloom.finished_path()) == bloomed(input, complete(bloom)));
  EXPECT_EQ(media::probe(bloom.finished_path())->video.colour, media::probe(input)->video.colour);
}

TEST_F(VideoBloomJobTest, AKernelFromAFileAndItsErrors) {
  const std::string input = clip("in.mkv");
  media::Image image = media::make_image({.data = {0, 0, 9, 9}, .display = {0, 0, 9, 9}}).value();
  filters::RgbPicture kernel{9, 9, {}};
  for (size_t i = 0; i < image.sample_count(); i++) {
    image.float_samples()[i] = i % 4 == 3 ? 1.0f : 0.125f * float(i % 7 + 1);
    if (i % 4 != 3) kernel.rgb.push_back(image.float_samples()[i]);
  }
  media::write_file(folder_.path("star.exr"),
                    media::encode_image(image, {.depth = media::SampleType::kFloat}).value());
  TestJob bloom = job("kernel", input);
  bloom.video().mutable_filters(0)->mutable_bloom()->set_kernel(folder_.path("star.exr"));
  ASSERT_THAT(run_attempt(bloom).end.status, IsOk());
  EXPECT_TRUE(frames_of(bloom.finished_path()) == bloomed(input, complete(bloom), &kernel));

  media::write_file(folder_.path("broken.exr"), "no image");
  TestJob broken = job("broken", input);
  broken.video().mutable_filters(0)->mutable_bloom()->set_kernel(folder_.path("broken.exr"));
  const JobEnd end = run_attempt(broken).end;
  EXPECT_THAT(end.status, StatusIs(StatusCode::kInvalidArgument, "broken.exr"));
  EXPECT_FALSE(end.retriable);
}

TEST_F(VideoBloomJobTest, StoppedAtEverySegmentAndInEitherClassItGivesTheSameBytes) {
  const std::string input = clip("in.mkv", "-pix_fmt yuv420p -c:v libx264 -preset veryfast -g 4 -bf 2");
  const auto with_segments = [&](const std::string& name) {
    TestJob made = job(name, input);
    made.video().mutable_encoding()->set_segment_frames(3);
    return made;
  };
  const TestJob whole = with_segments("whole");
  ASSERT_THAT(run_attempt(whole).end.status, IsOk());
  const std::string bytes = media::read_file(whole.finished_path());

  const TestJob stopped = with_segments("stopped");
  const auto pause = [](VideoRunner& runner, int) { runner.stop(internal::v1::STOP_KIND_PAUSE); };
  for (int attempt = 0; attempt < kFrames && !run_attempt(stopped, pause).end.status.ok(); attempt++) {
  }
  const Ran last = run_attempt(stopped);
  ASSERT_THAT(last.end.status, IsOk());
  EXPECT_GT(last.end.result.segments_resumed(), 0);
  EXPECT_TRUE(same_bytes(media::read_file(stopped.finished_path()), bytes));

  const TestJob spare = with_segments("spare");
  JobOrder order = spare.start();
  order.source.work_class = schedule::SourceClass::kSpare;
  class Silent final : public JobEvents {
    void on_segment_finished(int, int64_t) override {}
    void on_log(std::string_view, std::string_view) override {}
  } silent;
  DeviceLoop loop;
  VideoRunner runner(std::move(order), {cpu_device(), loop, caches()}, silent);
  ASSERT_THAT(runner.run().status, IsOk());
  EXPECT_TRUE(same_bytes(media::read_file(spare.finished_path()), bytes));
}

TEST_F(VideoBloomJobTest, AnInterlacedInputIsToldOf) {
  const TestJob bloom = job("fields", make_interlaced(folder_, "fields.ts", 4));
  const Ran ran = run_attempt(bloom);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.end.result.notes(), Contains(HasSubstr("deinterlace it first")));
}

// The content of a file determines its kind, not its name.
TEST_F(VideoBloomJobTest, AnInputThatIsNoVideoIsRefusedWithAHint) {
  class Silent final : public JobEvents {
    void on_segment_finished(int, int64_t) override {}
    void on_log(std::string_view, std::string_view) override {}
  } silent;
  DeviceLoop loop;
  const auto runner_of = [&](const TestJob& wanted) {
    return make_runner(wanted.start(), {cpu_device(), loop, caches()}, silent);
  };
  const auto runner = runner_of(job("a-video", clip("in.mkv")));
  ASSERT_THAT(runner, IsOk());
  EXPECT_NE(dynamic_cast<VideoRunner*>(runner->get()), nullptr);
  media::write_file(folder_.path("image.mkv"), media::make_exr({}));
  const Status refused = runner_of(job("an-image", folder_.path("image.mkv"))).status();
  EXPECT_THAT(refused,
              StatusIs(StatusCode::kInvalidArgument,
                       "The input is an image, and jobs 'video' take a video; submit it as a job 'image'."));
  ASSERT_EQ(options::violations_of(refused).size(), 1u);
  EXPECT_EQ(options::violations_of(refused)[0].field, "spec.video.input");
}

}  // namespace
}  // namespace weft::worker
