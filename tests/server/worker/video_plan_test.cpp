// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video_plan.h"

#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/validate.h"
#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

using testing::HasSubstr;

media::MediaFacts interlaced_facts() {
  media::MediaFacts facts;
  facts.container = "mpegts";
  facts.video.codec = "mpeg2video";
  facts.video.format = {.width = 720, .height = 480, .chroma = Chroma::k420, .bit_depth = 8};
  facts.video.pixel_format = "yuv420p";
  facts.video.field_order = FieldOrder::kTopFirst;
  facts.video.frame_rate = {30000, 1001};
  facts.video.time_base = {1, 90000};
  facts.others = {{.stream = 1, .kind = media::StreamKind::kAudio, .codec = "mp2", .language = "eng"}};
  return facts;
}

v1::JobSpec spec() {
  v1::JobSpec spec;
  spec.mutable_deinterlace()->set_input("/in.ts");
  spec.mutable_deinterlace()->set_output("/out.mkv");
  return spec;
}

// The field that plan_video blames.
std::string blamed(const std::function<void(v1::DeinterlaceJob&)>& change,
                   const std::string& output = "out.mkv", media::MediaFacts facts = interlaced_facts()) {
  v1::JobSpec changed = spec();
  change(*changed.mutable_deinterlace());
  const auto plan = plan_video(changed, facts, output);
  EXPECT_THAT(plan, StatusIs(StatusCode::kInvalidArgument));
  const std::vector<options::Violation> violations = options::violations_of(plan.status());
  return violations.size() == 1 ? violations[0].field : fmt::format("{} violations", violations.size());
}

TEST(VideoPlan, FillsInDefaultsAndDoublesTheRate) {
  const auto plan = plan_video(spec(), interlaced_facts(), "out.mkv");
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->job.deinterlace().filter(), v1::DEINTERLACE_FILTER_BWDIF);
  EXPECT_EQ(plan->encoder.encoder, "x264");
  EXPECT_GT(plan->encoder.threads, 0) << "the number is written down";
  EXPECT_EQ(plan->output.frame_rate.value(), 60000.0 / 1001);
  EXPECT_EQ(plan->output.time_base.value(), 1.0 / 180000);
  EXPECT_EQ(plan->segment_frames, 600);
  EXPECT_EQ(plan->window.before, 1);
  EXPECT_EQ(plan->window.after, 1);
}

TEST(VideoPlan, OnePictureAFrameKeepsTheRate) {
  v1::JobSpec changed = spec();
  changed.mutable_deinterlace()->mutable_deinterlace()->set_rate(v1::OUTPUT_RATE_FRAME);
  const auto plan = plan_video(changed, interlaced_facts(), "out.y4m");
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->output.frame_rate.value(), 30000.0 / 1001);
  EXPECT_EQ(plan->encoder.encoder, "raw");
}

TEST(VideoPlan, BlamesTheFieldThatIsWrong) {
  EXPECT_EQ(blamed([](auto& job) { job.mutable_encoding()->set_segment_frames(0); }),
            "spec.deinterlace.encoding.segment_frames");
  EXPECT_EQ(
      blamed([](auto& job) { (*job.mutable_encoding()->mutable_encoder_options())["no-such-option"] = "1"; }),
      "spec.deinterlace.encoding.encoder_options");
  EXPECT_EQ(blamed([](auto&) {}, "out.nonsense"), "spec.deinterlace.output");
  media::MediaFacts facts = interlaced_facts();
  facts.video.format.bit_depth = 14;
  EXPECT_EQ(blamed([](auto&) {}, "out.mkv", facts), "spec.deinterlace.encoding.encoder")
      << "x264 takes no 14 bits";
  EXPECT_EQ(blamed([](auto& job) { job.set_input(""); }), "spec.deinterlace.input");
}

TEST(VideoPlan, TimesThatAreNotPlausibleAreRefused) {
  media::MediaFacts facts = interlaced_facts();
  facts.video.time_base = {1, 2147483647};
  EXPECT_EQ(blamed([](auto&) {}, "out.mkv", facts), "spec.deinterlace.input");
  facts = interlaced_facts();
  facts.video.frame_rate = {2147483647, 1};
  EXPECT_EQ(blamed([](auto&) {}, "out.mkv", facts), "spec.deinterlace.input");
}

TEST(VideoPlan, ASpecificationWithoutAKindIsRefused) {
  EXPECT_THAT(plan_video({}, interlaced_facts(), "out.mkv"), StatusIs(StatusCode::kInvalidArgument));
}

TEST(VideoPlan, SummariesAreForPeople) {
  EXPECT_EQ(summary_of(interlaced_facts()),
            "mpeg2video 720x480 4:2:0 8 bit 29.97 fps, interlaced, top field first; 1 audio");
  const auto plan = plan_video(spec(), interlaced_facts(), "out.mkv");
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(summary_of(*plan), HasSubstr("x264 720x480 4:2:0 8 bit 59.94 fps in matroska"));
}

TEST(Key, ChangesWithAllThatTheBytesDependOnAndWithNothingElse) {
  const media::TestFolder folder;
  const std::string path = folder.path("in");
  media::write_file(path, "abc");
  const auto input = media::InputFile::open(path);
  ASSERT_THAT(input, IsOk());
  const auto key = key_of(spec(), "out.mkv", **input);
  ASSERT_THAT(key, IsOk());
  EXPECT_EQ(key->size(), 32u);
  EXPECT_EQ(*key_of(spec(), "out.mkv", **input), *key);
  v1::JobSpec same = spec();
  same.mutable_deinterlace()->mutable_encoding()->set_segment_frames(600);
  EXPECT_EQ(*key_of(same, "out.mkv", **input), *key) << "a default that is spelled out";
  v1::JobSpec other = spec();
  other.mutable_deinterlace()->mutable_encoding()->set_segment_frames(601);
  EXPECT_NE(*key_of(other, "out.mkv", **input), *key);
  EXPECT_NE(*key_of(spec(), "out.mp4", **input), *key);
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_NE(*key_of(spec(), "out.mkv", **input), *key) << "the input was changed";
}

}  // namespace
}  // namespace weft::worker
