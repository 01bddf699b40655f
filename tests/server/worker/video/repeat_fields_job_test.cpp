// SPDX-License-Identifier: Apache-2.0
// Tests jobs on MPEG-2 streams with soft telecine. The judge is ffmpeg's filter repeatfields.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/soft_telecine.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using media::PictureFlags;

class RepeatFieldsJobTest : public testing::Test {
 protected:
  // Makes a clip of 24 progressive pictures with soft telecine. ffmpeg gives the last picture of an
  // elementary stream a wrong time, so that a group of pictures after them is left out.
  std::string telecined(const std::string& name, int b_frames,
                        const std::function<PictureFlags(int)>& flags_of) {
    const std::string plain =
        media::make_clip(folder_, name + ".m2v",
                         fmt::format("-f lavfi -i testsrc2=size=96x64:rate=30000/1001 -frames:v 32 -c:v "
                                     "mpeg2video -g 8 -flags +cgop -sc_threshold 1000000000 -bf {} -q:v 3",
                                     b_frames));
    std::string stream = media::read_file(plain);
    media::flag_pictures(stream, flags_of);
    media::write_file(plain, stream);
    return media::make_clip(folder_, name + ".nut",
                            fmt::format("-fflags +genpts -i {} -c copy -frames:v 24", plain));
  }
  static PictureFlags film(int picture) { return media::kFilmCadence[picture % 4]; }

  media::TestFolder folder_;
};

TEST_F(RepeatFieldsJobTest, FieldsAreRepeatedAsByFfmpeg) {
  if (std::system("ffmpeg -hide_banner -h filter=repeatfields 2>&1 | grep -q '^Filter repeatfields'") != 0)
    GTEST_SKIP() << "there is no ffmpeg program with the filter repeatfields";
  for (const int b_frames : {0, 2}) {
    const std::string input = telecined(fmt::format("b{}", b_frames), b_frames, film);
    const std::vector<std::string> judged = picture_hashes(input, "repeatfields");
    ASSERT_EQ(judged.size(), 30u);
    for (const int segment_frames : {600, 5}) {
      TestJob job(folder_, fmt::format("job-{}-{}", b_frames, segment_frames), input, "out.nut");
      set_filters(job.video(), "repeat_fields");
      job.video().mutable_encoding()->set_segment_frames(segment_frames);
      ASSERT_THAT(run_attempt(job).end.status, IsOk());
      EXPECT_EQ(picture_hashes(job.finished_path()), judged) << segment_frames;
      const std::vector<std::string> times =
          media::ffprobe(job.finished_path(), "-show_entries frame=pts_time");
      double first = -1;
      int pictures = 0;
      for (const std::string& line : times) {
        if (line.empty()) continue;
        if (first < 0) first = std::stod(line);
        // ffmpeg invents times for an elementary stream, and wrong ones with B frames
        if (b_frames == 0) {
          EXPECT_NEAR(std::stod(line) - first, pictures * 1001.0 / 30000, 2e-6) << pictures;
        }
        pictures++;
      }
      EXPECT_EQ(pictures, 30);
    }
  }
}

TEST_F(RepeatFieldsJobTest, TheOutputIsInterlacedTopFieldFirst) {
  TestJob job(folder_, "job", telecined("clip", 0, film));
  set_filters(job.video(), "repeat_fields");
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  const auto written = media::open_source(job.finished_path());
  ASSERT_THAT(written, IsOk());
  EXPECT_EQ((*written)->info().video.field_order, ScanOrder::kTopFirst);
  EXPECT_THAT(media::ffprobe(job.finished_path(), "-select_streams v:0 -show_entries stream=avg_frame_rate"),
              testing::Contains("30000/1001"));
  TestJob deinterlaced(folder_, "deinterlaced", telecined("clip", 0, film));
  set_filters(deinterlaced.video(), "repeat_fields,bwdif");
  const Ran ran = run_attempt(deinterlaced);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_EQ(ran.end.result.units_out(), 60) << "a picture for each field";
}

// kfm expands flagged film by itself; without flags it adds nothing in front.
TEST_F(RepeatFieldsJobTest, KfmExpandsFlaggedFields) {
  const auto output_of = [&](const std::string& name, const std::string& input, const std::string& chain) {
    TestJob job(folder_, name, input, "out.nut");
    set_filters(job.video(), chain);
    EXPECT_THAT(run_attempt(job).end.status, IsOk());
    return picture_hashes(job.finished_path());
  };
  const std::string film_clip = telecined("film", 2, film);
  const auto expanded = output_of("expanded", film_clip, "repeat_fields,kfm=24p:preset=draft");
  EXPECT_EQ(expanded.size(), 24u);
  EXPECT_EQ(output_of("alone", film_clip, "kfm=24p:preset=draft"), expanded);
  const std::string plain = telecined("plain", 2, [](int) { return PictureFlags{true, false}; });
  EXPECT_NE(output_of("plain-alone", plain, "kfm=60p:preset=draft"),
            output_of("plain-expanded", plain, "kfm=24p:preset=draft"));
}

// Interrupted and continued, and with several segments at the same time, the bytes are the same.
TEST_F(RepeatFieldsJobTest, SegmentsAreInvisible) {
  // The cadence changes within the clip: film, then fields in order, then film again.
  const std::string input = telecined("mixed", 2, [](int picture) {
    return picture < 6    ? media::kFilmCadence[picture % 4]
           : picture < 13 ? PictureFlags{false, false}
                          : media::kFilmCadence[(picture + 1) % 4];
  });
  for (const std::string chain : {"repeat_fields", "repeat_fields,kfm=24p:preset=draft:ucf=yes"}) {
    SCOPED_TRACE(chain);
    const auto job_of = [&](const std::string& name, int frames = 3) {
      TestJob job(folder_, name + chain, input);
      set_filters(job.video(), chain);
      job.video().mutable_encoding()->set_segment_frames(frames);
      return job;
    };
    const TestJob whole = job_of("whole"), one = job_of("one", 600);
    ASSERT_THAT(run_attempt(whole).end.status, IsOk());
    ASSERT_THAT(run_attempt(one).end.status, IsOk());
    EXPECT_EQ(picture_hashes(whole.finished_path()), picture_hashes(one.finished_path()));
    const TestJob lanes = job_of("lanes");
    ASSERT_THAT(run_attempt(lanes, {}, nullptr, 3).end.status, IsOk());
    EXPECT_TRUE(same_bytes(media::read_file(lanes.finished_path()), media::read_file(whole.finished_path())));
    const TestJob stopped = job_of("stopped");
    const auto stop = [](VideoRunner& runner, int index) {
      if (index == 2) runner.stop(internal::v1::STOP_KIND_PAUSE);
    };
    EXPECT_FALSE(run_attempt(stopped, stop).end.status.ok());
    ASSERT_THAT(run_attempt(stopped).end.status, IsOk());
    EXPECT_TRUE(
        same_bytes(media::read_file(stopped.finished_path()), media::read_file(whole.finished_path())));
  }
}

}  // namespace
}  // namespace weft::worker
