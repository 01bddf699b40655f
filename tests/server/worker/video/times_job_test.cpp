// SPDX-License-Identifier: Apache-2.0
// Tests the timestamps of video jobs with any timestamps of their inputs: below 0, near the largest
// possible value, or missing.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using testing::HasSubstr;

constexpr const char* kPicture = "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.48 ";
constexpr const char* kInterlaced = "-vf setfield=tff -flags +ildct+ilme ";

class TimesJobTest : public testing::Test {
 protected:
  // Returns the times of the output pictures, or an empty list if the job fails.
  std::vector<std::string> times_of(const std::string& input, const std::string& chain) {
    TestJob job(folder_, fmt::format("job-{}", jobs_++), input);
    set_filters(job.video(), chain);
    job.video().mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
    const Ran ran = run_attempt(job);
    EXPECT_THAT(ran.end.status, IsOk()) << input << " " << chain;
    return ran.end.status.ok() ? picture_times(job.finished_path()) : std::vector<std::string>();
  }

  media::TestFolder folder_;
  int jobs_ = 0;
};

constexpr const char* kChains[] = {"bwdif", "bwdif=frame", "yadif=field,bob,decimate",
                                   "bob,weave,decimate=25"};

TEST_F(TimesJobTest, AShiftOfTheClockChangesNothing) {
  const std::string plain =
      media::make_clip(folder_, "plain.nut", std::string(kPicture) + kInterlaced + "-c:v mpeg2video -bf 0");
  for (const char* chain : kChains) {
    const std::vector<std::string> expected = times_of(plain, chain);
    EXPECT_GT(expected.size(), 10u);
    // Only transport streams contain times below 0.
    for (const char* seconds : {"100000", "2147483000"}) {
      const std::string shifted = media::make_clip(
          folder_, "shifted.nut",
          fmt::format("-i {0} -c copy -bsf:v 'setts=pts=PTS+({1})/TB:dts=DTS+({1})/TB'", plain, seconds));
      EXPECT_EQ(times_of(shifted, chain), expected) << chain << " " << seconds;
    }
  }
}

// The clock of a transport stream has 33 bits. FFmpeg reads times just before its wrap as negative.
TEST_F(TimesJobTest, ATransportStreamBeforeTheWrapOfItsClockIsDone) {
  const std::string clip = std::string(kPicture) + kInterlaced + "-c:v mpeg2video -bf 0 -muxdelay 0 ";
  const std::string plain = media::make_clip(folder_, "plain.ts", clip + "-output_ts_offset 100");
  const std::string wrap = media::make_clip(folder_, "wrap.ts", clip + "-output_ts_offset 95438");
  ASSERT_THAT(media::ffprobe(wrap, "-show_entries format=start_time").at(0), testing::StartsWith("-"));
  for (const char* chain : kChains) EXPECT_EQ(times_of(wrap, chain), times_of(plain, chain)) << chain;
}

TEST_F(TimesJobTest, TimesThatNoNumberHoldsAreRefusedAtReading) {
  constexpr const char* kHuge = "2305843009213693952";  // 2^61 units of time
  const std::string nut =
      media::make_clip(folder_, "huge.nut",
                       fmt::format("{0}-c:v ffv1 -bsf:v 'setts=pts=PTS+{1}:dts=DTS+{1}'", kPicture, kHuge));
  const std::string mkv =
      media::make_clip(folder_, "huge.mkv", std::string(kPicture) + "-c:v ffv1 -output_ts_offset 3000000000");
  for (const std::string& input : {nut, mkv}) {
    const auto info = media::probe(input);
    EXPECT_THAT(info, StatusIs(StatusCode::kInvalidArgument)) << input;
    EXPECT_THAT(info.status().message(), HasSubstr("further from 0 than 2147483647 s"));
    EXPECT_THAT(info.status().message(), HasSubstr("-c copy"));
  }
}

// Removes the times of one stream's packets from the file in place.
void take_out_times(const std::string& path, int pid) {
  constexpr size_t kPacketBytes = 188;
  std::string bytes = media::read_file(path);
  const auto at = [&](size_t place) { return uint8_t(bytes[place]); };
  for (size_t packet = 0; packet + kPacketBytes <= bytes.size(); packet += kPacketBytes) {
    const bool begins = (at(packet + 1) & 0x40) != 0;
    if (!begins || ((at(packet + 1) & 0x1f) << 8 | at(packet + 2)) != pid) continue;
    const size_t pes = packet + 4 + ((at(packet + 3) & 0x20) != 0 ? 1u + at(packet + 4) : 0u);
    bytes[pes + 7] = char(at(pes + 7) & 0x3f);  // PTS_DTS_flags
    std::fill_n(bytes.begin() + ptrdiff_t(pes) + 9, at(pes + 8), char(0xff));
  }
  media::write_file(path, bytes);
}

TEST_F(TimesJobTest, PicturesWithoutTimesFollowTheProgrammesClock) {
  const std::string input = media::make_clip(folder_, "in.ts",
                                             "-f lavfi -i testsrc2=size=64x48:rate=25:duration=2 -f lavfi -i "
                                             "sine=duration=2 -c:v mpeg2video -bf 0 -c:a mp2 "
                                             "-output_ts_offset 20000");
  const auto first = [](const std::string& path, const char* stream) {
    return std::stod(
        media::ffprobe(path, fmt::format("-select_streams {} -show_entries packet=pts_time", stream)).at(0));
  };
  const double apart = first(input, "v:0") - first(input, "a:0");
  take_out_times(input, 0x100);
  TestJob job(folder_, "job", input);
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  // The difference between video and audio is as small as in the input file.
  EXPECT_NEAR(first(job.finished_path(), "v:0") - first(job.finished_path(), "a:0"), apart, 1);
  EXPECT_LT(first(job.finished_path(), "a:0"), 1);
  EXPECT_EQ(picture_times(job.finished_path()).size(), 100u);
}

TEST_F(TimesJobTest, ATimecodeIsThatOfTheSameInstant) {
  const std::string input =
      media::make_clip(folder_, "in.mov",
                       std::string(kPicture) + kInterlaced +
                           "-timecode 10:00:00:20 -c:v libx264 -pix_fmt yuv420p -x264-params tff=1");
  TestJob job(folder_, "mov", input, "out.mov");
  job.video().mutable_encoding()->set_encoder(v1::ENCODER_X264);
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  EXPECT_THAT(media::ffprobe(job.finished_path(), "-show_entries stream=avg_frame_rate:stream_tags=timecode"),
              testing::ElementsAre("50/1,10:00:00:40", testing::HasSubstr("10:00:00:40")));
  TestJob part(folder_, "part", input, "out.mkv");
  part.video().set_from("5f");
  ASSERT_THAT(run_attempt(part).end.status, IsOk());
  EXPECT_THAT(media::ffprobe(part.finished_path(), "-show_entries stream_tags=timecode"),
              testing::ElementsAre("10:00:01:00"));
  TestJob lost(folder_, "ts", input, "out.ts");
  lost.video().mutable_encoding()->set_encoder(v1::ENCODER_X264);
  const Ran ran = run_attempt(lost);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.end.result.notes(),
              testing::Contains(HasSubstr("The timecode (10:00:00:20) is left out: ts holds none")));
}

}  // namespace
}  // namespace weft::worker
