// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/video_plan.h"

#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/validate.h"
#include "server/media/read/packets/frame_bound.h"
#include "server/worker/job/job_key.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using testing::HasSubstr;

media::MediaInfo interlaced_info() {
  media::MediaInfo info;
  info.container = "mpegts";
  info.video.codec = "mpeg2video";
  info.video.format = {.width = 720, .height = 480, .chroma = Chroma::k420, .bit_depth = 8};
  info.video.pixel_format = "yuv420p";
  info.video.field_order = ScanOrder::kTopFirst;
  info.video.frame_rate = {30000, 1001};
  info.video.time_base = {1, 90000};
  info.others = {{.stream = 1, .kind = media::StreamKind::kAudio, .codec = "mp2", .language = "eng"}};
  return info;
}

v1::JobSpec spec() {
  v1::JobSpec spec;
  spec.mutable_video()->set_input("/in.ts");
  spec.mutable_video()->set_output("/out.mkv");
  set_filters(*spec.mutable_video(), "bwdif");
  return spec;
}

// Returns the field that the error of plan_video names.
std::string blamed(const std::function<void(v1::VideoJob&)>& change, const std::string& output = "out.mkv",
                   media::MediaInfo info = interlaced_info()) {
  v1::JobSpec changed = spec();
  change(*changed.mutable_video());
  const auto plan = plan_video(changed, info, output);
  EXPECT_THAT(plan, StatusIs(StatusCode::kInvalidArgument));
  const std::vector<options::Violation> violations = options::violations_of(plan.status());
  return violations.size() == 1 ? violations[0].field : fmt::format("{} violations", violations.size());
}

TEST(VideoPlan, FillsInDefaultsAndDoublesTheRate) {
  const auto plan = plan_video(spec(), interlaced_info(), "out.mkv");
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->chain.name, "bwdif");
  EXPECT_EQ(plan->encoder.encoder, "x264");
  EXPECT_GT(plan->encoder.threads, 0) << "the number is written down";
  EXPECT_EQ(plan->output.frame_rate.value(), 60000.0 / 1001);
  EXPECT_EQ(plan->output.time_base.value(), 1.0 / 180000);
  EXPECT_EQ(plan->segment_frames, 600);
  EXPECT_EQ(plan->chain.window.before, 1);
  EXPECT_EQ(plan->chain.window.after, 1);
}

TEST(VideoPlan, ThereAreNoMoreFramesThanTheFileHasRoomFor) {
  media::MediaInfo info = interlaced_info();
  info.bytes = 5500;
  info.video.frames = 75'000'000;
  const auto claimed = plan_video(spec(), info, "out.mkv");
  ASSERT_THAT(claimed, IsOk());
  EXPECT_EQ(claimed->frames, media::most_frames(5500));
  v1::JobSpec part = spec();
  info.video.frames = 0;  // unknown
  part.mutable_video()->set_to("9000000f");
  const auto cut = plan_video(part, info, "out.mkv");
  ASSERT_THAT(cut, IsOk());
  EXPECT_EQ(cut->frames, media::most_frames(5500));
}

TEST(VideoPlan, OnePictureAFrameKeepsTheRate) {
  v1::JobSpec changed = spec();
  set_filters(*changed.mutable_video(), "bwdif=frame");
  const auto plan = plan_video(changed, interlaced_info(), "out.y4m");
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->output.frame_rate.value(), 30000.0 / 1001);
  EXPECT_EQ(plan->encoder.encoder, "raw");
}

TEST(VideoPlan, BlamesTheFieldThatIsWrong) {
  EXPECT_EQ(blamed([](auto& job) { job.mutable_encoding()->set_segment_frames(0); }),
            "spec.video.encoding.segment_frames");
  EXPECT_EQ(
      blamed([](auto& job) { (*job.mutable_encoding()->mutable_encoder_options())["no-such-option"] = "1"; }),
      "spec.video.encoding.encoder_options");
  EXPECT_EQ(blamed([](auto&) {}, "out.nonsense"), "spec.video.output");
  media::MediaInfo info = interlaced_info();
  info.video.format.bit_depth = 14;
  EXPECT_EQ(blamed([](auto&) {}, "out.mkv", info), "spec.video.encoding.encoder") << "x264 takes no 14 bits";
  EXPECT_EQ(blamed([](auto& job) { job.set_input(""); }), "spec.video.input");
}

TEST(VideoPlan, TellsWhatBecomesOfRarePictures) {
  media::MediaInfo info = interlaced_info();
  info.video.format.chroma = Chroma::k411;
  info.video.pixel_format = "yuv411p";
  const auto plan = plan_video(spec(), info, "out.mkv");
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->notes, testing::ElementsAre(HasSubstr("interpolated from 4:1:1 to 4:2:2")));
  EXPECT_EQ(plan->chain.cost_key, "bwdif 720x480 4:1:1 8 bit");
  info.others.clear();
  EXPECT_EQ(blamed([](auto&) {}, "out.webm", info), "spec.video.encoding.encoder");
  info = interlaced_info();
  info.video.pixel_format = "yuva420p";
  info.video.alpha = true;
  EXPECT_THAT(plan_video(spec(), info, "out.mkv").value().notes,
              testing::ElementsAre("The input's transparency (yuva420p) is left out."));
}

TEST(VideoPlan, TellsOfAProgressiveInputThatIsDeinterlaced) {
  media::MediaInfo info = interlaced_info();
  EXPECT_THAT(plan_video(spec(), info, "out.mkv").value().notes, testing::IsEmpty());
  info.video.field_order = ScanOrder::kProgressive;
  EXPECT_THAT(plan_video(spec(), info, "out.mkv").value().notes,
              testing::ElementsAre(HasSubstr("The input says that it is progressive")));
  v1::JobSpec flagged = spec();
  set_filters(*flagged.mutable_video(), "bwdif=frames=flagged");
  EXPECT_THAT(plan_video(flagged, info, "out.mkv").value().notes, testing::IsEmpty());
}

v1::JobSpec bloom_spec(std::string_view chain = "bloom") {
  v1::JobSpec spec;
  spec.mutable_video()->set_input("/in.mkv");
  spec.mutable_video()->set_output("/out.mkv");
  set_filters(*spec.mutable_video(), chain);
  return spec;
}

TEST(VideoPlan, ABloomKeepsRateAndFormatAndTellsOfFields) {
  media::MediaInfo info = interlaced_info();
  const auto plan = plan_video(bloom_spec(), info, "out.mkv");
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->chain.name, "bloom");
  EXPECT_EQ(plan->chain.cost_key, "bloom 720x480 4:2:0 8 bit");
  EXPECT_EQ(plan->output.frame_rate.value(), 30000.0 / 1001);
  EXPECT_EQ(plan->output.format, info.video.format);
  EXPECT_EQ(plan->output.field_order, ScanOrder::kTopFirst);
  EXPECT_EQ(summary_of(*plan), "x264 720x480 4:2:0 8 bit 29.97 fps in matroska, interlaced, top field first");
  EXPECT_THAT(plan->notes, testing::ElementsAre(HasSubstr("The input is interlaced")));
  EXPECT_EQ(plan_video(spec(), info, "out.mkv").value().output.field_order, ScanOrder::kProgressive);
  v1::JobSpec x265 = bloom_spec();
  x265.mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_X265);
  EXPECT_THAT(plan_video(x265, info, "out.ts").value().notes,
              testing::ElementsAre(HasSubstr("The input is interlaced"), HasSubstr("x265 knows no fields")));
  info.video.field_order = ScanOrder::kProgressive;
  EXPECT_THAT(plan_video(bloom_spec(), info, "out.mkv").value().notes, testing::IsEmpty());
}

TEST(VideoPlan, AGlowThatAGrayVideoHasNoColoursForIsToldOf) {
  media::MediaInfo info = interlaced_info();
  info.video.field_order = ScanOrder::kProgressive;
  v1::JobSpec spec = bloom_spec("bloom=glare=aperture");
  EXPECT_THAT(plan_video(spec, info, "out.mkv").value().notes, testing::IsEmpty());
  info.video.format.chroma = Chroma::kGray;
  spec.mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
  EXPECT_THAT(plan_video(spec, info, "out.mkv").value().notes,
              testing::Contains(HasSubstr("the colours of the glow are lost")));
}

TEST(VideoPlan, ABloomBlamesWhatDoesNotGoWithAVideo) {
  const auto blames = [](const v1::JobSpec& spec, const media::MediaInfo& info, const std::string& output,
                         const std::string& field, const std::string& text) {
    const auto plan = plan_video(spec, info, output);
    EXPECT_THAT(plan, StatusIs(StatusCode::kInvalidArgument, text));
    const std::vector<options::Violation> violations = options::violations_of(plan.status());
    ASSERT_EQ(violations.size(), 1u) << text;
    EXPECT_EQ(violations[0].field, "spec.video." + field);
  };
  blames(bloom_spec(), interlaced_info(), "out.exr", "output", "extension (exr) names no container");
  media::MediaInfo info = interlaced_info();
  info.video.colour.matrix = 8;  // YCgCo
  blames(bloom_spec(), info, "out.mkv", "filters[0].bloom", "matrix (8 of ITU-T H.273)");
  info = interlaced_info();
  info.video.format.chroma = Chroma::k411;
  blames(bloom_spec(), info, "out.mkv", "filters[0].bloom", "does not take 4:1:1 pictures");
  blames(bloom_spec("bloom=intensity=3"), interlaced_info(), "out.mkv", "filters[0].bloom.intensity",
         "at most 1");
  v1::JobSpec options = bloom_spec();
  (*options.mutable_video()->mutable_encoding()->mutable_encoder_options())["no-such-option"] = "1";
  blames(options, interlaced_info(), "out.mkv", "encoding.encoder_options", "no-such-option");
}

TEST(VideoPlan, TimesThatAreNotPlausibleAreRefused) {
  media::MediaInfo info = interlaced_info();
  info.video.time_base = {1, 2147483647};
  EXPECT_EQ(blamed([](auto&) {}, "out.mkv", info), "spec.video.input");
  info = interlaced_info();
  info.video.frame_rate = {2147483647, 1};
  EXPECT_EQ(blamed([](auto&) {}, "out.mkv", info), "spec.video.input");
}

TEST(VideoPlan, RepeatedFieldsGiveInterlacedFramesAtTheRateOfVideo) {
  media::MediaInfo film = interlaced_info();
  film.video.field_order = ScanOrder::kProgressive;
  film.video.frame_rate = {24000, 1001};
  v1::JobSpec chain = spec();
  set_filters(*chain.mutable_video(), "repeat_fields");
  const auto plan = plan_video(chain, film, "out.mkv");
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->output.frame_rate, (media::Ratio{30000, 1001}));
  EXPECT_EQ(plan->output.field_order, ScanOrder::kTopFirst);
  EXPECT_EQ(plan->output.time_base.value(), 1.0 / 540000);
  EXPECT_EQ(plan->output.least_duration, 0);
  set_filters(*chain.mutable_video(), "repeat_fields,bwdif");
  const auto fields = plan_video(chain, film, "out.mkv");
  ASSERT_THAT(fields, IsOk());
  EXPECT_EQ(fields->output.frame_rate, (media::Ratio{60000, 1001}));
  EXPECT_EQ(fields->output.field_order, ScanOrder::kProgressive);
}

TEST(VideoPlan, AChainsRatesTimesAndWindowsAddUp) {
  v1::JobSpec chain = spec();
  set_filters(*chain.mutable_video(), "bwdif,decimate,yadif=rate=frame");
  const auto plan = plan_video(chain, interlaced_info(), "out.mkv");
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->chain.name, "bwdif,decimate,yadif");
  EXPECT_EQ(plan->chain.rate, (graph::Rate{8, 5}));
  EXPECT_EQ(plan->chain.time_divisor, 8);
  EXPECT_TRUE(plan->chain.needs_analysis);
  EXPECT_EQ(plan->output.frame_rate.value(), 48000.0 / 1001);
  EXPECT_EQ(plan->output.time_base.value(), 1.0 / 720000);
  set_filters(*chain.mutable_video(), "");
  const auto none = plan_video(chain, interlaced_info(), "out.mkv");
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(none->chain.name, "none");
  EXPECT_EQ(none->output.field_order, ScanOrder::kTopFirst);
}

TEST(VideoPlan, APartHasFewerFrames) {
  media::MediaInfo info = interlaced_info();
  info.video.frame_rate = {25, 1};
  const auto frames = [&](const char* from, const char* to) {
    v1::JobSpec part = spec();
    part.mutable_video()->set_from(from);
    part.mutable_video()->set_to(to);
    const auto plan = plan_video(part, info, "out.mkv");
    EXPECT_THAT(plan, IsOk());
    return plan.ok() ? plan->frames : -1;
  };
  EXPECT_EQ(frames("", ""), 0) << "unknown";
  EXPECT_EQ(frames("2", ""), 0) << "unknown";
  EXPECT_EQ(frames("100f", "1:00"), 1400);
  info.video.frames = 1000;
  EXPECT_EQ(frames("", ""), 1000);
  EXPECT_EQ(frames("100f", "200f"), 100);
  EXPECT_EQ(frames("2", "4.48"), 62);
  EXPECT_EQ(frames("0:10", ""), 750);
  EXPECT_EQ(frames("30", "1:00"), 250);
  EXPECT_EQ(frames("", "1:00"), 1000);
  EXPECT_EQ(frames("2:00", ""), 0) << "behind the end, if the container is right";
}

TEST(VideoPlan, APartBehindAKnownEndIsRefused) {
  media::MediaInfo info = interlaced_info();
  info.video.frame_rate = {25, 1};
  info.video.frames = 1000;
  info.video.frames_exact = true;
  info.duration = std::chrono::seconds(40);
  EXPECT_EQ(blamed([](auto& job) { job.set_from("1000f"); }, "out.mkv", info), "spec.video.from");
  EXPECT_EQ(blamed([](auto& job) { job.set_from("0:41"); }, "out.mkv", info), "spec.video.from");
  v1::JobSpec part = spec();
  part.mutable_video()->set_from("2000f");
  EXPECT_THAT(plan_video(part, info, "out.mkv"),
              StatusIs(StatusCode::kInvalidArgument,
                       "(frame 2000) behind the video's last frame (1000 frames, 40.000 s)"));
  part.mutable_video()->set_from("999f");
  EXPECT_THAT(plan_video(part, info, "out.mkv"), IsOk());
  // A video with a variable rate may have fewer frames than its declared rate gives.
  info.video.frame_rate = {50, 1};
  part.mutable_video()->set_from("39");
  EXPECT_THAT(plan_video(part, info, "out.mkv"), IsOk());
}

TEST(VideoPlan, AFilterOfAChainIsBlamedByItsPlace) {
  v1::JobSpec chain = bloom_spec("bob,yadif,bloom");
  media::MediaInfo info = interlaced_info();
  info.video.colour.matrix = 8;
  const auto plan = plan_video(chain, info, "out.mkv");
  const std::vector<options::Violation> violations = options::violations_of(plan.status());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].field, "spec.video.filters[2].bloom");
}

TEST(VideoPlan, ASpecificationWithoutAKindIsRefused) {
  EXPECT_THAT(plan_video({}, interlaced_info(), "out.mkv"), StatusIs(StatusCode::kInvalidArgument));
}

TEST(VideoPlan, SummariesAreForPeople) {
  EXPECT_EQ(summary_of(interlaced_info()),
            "mpeg2video 720x480 4:2:0 8 bit 29.97 fps, interlaced, top field first; 1 audio");
  const auto plan = plan_video(spec(), interlaced_info(), "out.mkv");
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(summary_of(*plan), HasSubstr("x264 720x480 4:2:0 8 bit 59.94 fps in matroska"));
}

TEST(Key, ChangesWithAllThatTheBytesDependOnAndWithNothingElse) {
  const media::TestFolder folder;
  const std::string path = folder.path("in");
  media::write_file(path, "abc");
  const auto key = [&](const v1::JobSpec& keyed, const std::string& output = "out.mkv") {
    TestJob job(folder, fmt::format("{}", std::filesystem::hash_value(output)), path, output);
    job.spec = keyed;
    job.video().set_input(path);
    job.video().set_output(folder.path(output));
    return key_of(job.start(), 1).value();
  };
  const std::string first = key(spec());
  EXPECT_EQ(first.size(), 32u);
  EXPECT_EQ(key(spec()), first);
  v1::JobSpec same = spec();
  same.mutable_video()->mutable_encoding()->set_segment_frames(600);
  EXPECT_EQ(key(same), first) << "a default that is spelled out";
  v1::JobSpec other = spec();
  other.mutable_video()->mutable_encoding()->set_segment_frames(601);
  EXPECT_NE(key(other), first);
  EXPECT_NE(key(spec(), "out.mp4"), first);
  EXPECT_NE(key(bloom_spec("bloom=kernel=" + path)), key(bloom_spec()));
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_NE(key(spec()), first) << "the input was changed";
}

}  // namespace
}  // namespace weft::worker
