// SPDX-License-Identifier: Apache-2.0
// Tests jobs that scan a logo into a file *.lgd, and jobs that remove the logo of that file. The
// logo is overlaid by the ffmpeg program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/filters/logo/logo_presence.h"
#include "server/worker/video/decision_file.h"
#include "server/worker/video/video_runner.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kScan = "logoscan=x=96:y=16:width=64:height=48";

// A clip of 176x144: a soft pattern that moves, and `flat` frames of one grey level each around it,
// with a white cross of 40% opacity within 112,32 to 144,48, from the frame `on` to the frame
// `off` - 1. Without loss.
std::string logo_clip(const media::TestFolder& folder, const std::string& name, int flat, int moving, int on,
                      int off) {
  const std::string source = fmt::format(
      "nullsrc=s=176x144:r=25,geq=lum='if(lt(N\\,{0})+gte(N\\,{1})\\,40+mod(N*37\\,150)\\,"
      "110+60*sin((X+2*N)*0.11)*cos(Y*0.07+N))':cb='if(lt(N\\,{0})+gte(N\\,{1})\\,100+mod(N*29\\,60)\\,128)'"
      ":cr='if(lt(N\\,{0})+gte(N\\,{1})\\,100+mod(N*17\\,60)\\,128)'",
      flat, flat + moving);
  const std::string shown = fmt::format("gte(N\\,{})*lt(N\\,{})", on, off);
  const auto drawn = [&](const char* variable, int left, int top, int right, int bottom, int colour) {
    return fmt::format(
               "'if({}*gte(X\\,{})*lt(X\\,{})*gte(Y\\,{})*lt(Y\\,{})\\,0.6*p(X\\,Y)+0.4*{}\\,p(X\\,Y))'",
               shown, left, right, top, bottom, colour) +
           variable;
  };
  std::string logo;
  for (const auto& [left, top, right, bottom] :
       {std::array{112, 36, 144, 44}, {124, 24, 132, 36}, {124, 44, 132, 56}})
    logo += fmt::format(",geq=lum={}:cb={}:cr={}", drawn("", left, top, right, bottom, 235),
                        drawn("", left / 2, top / 2, right / 2, bottom / 2, 128),
                        drawn("", left / 2, top / 2, right / 2, bottom / 2, 128));
  return media::make_clip(folder, name,
                          fmt::format("-f lavfi -i \"{}{}\" -frames:v {} -pix_fmt yuv420p -c:v ffv1", source,
                                      logo, 2 * flat + moving));
}

class LogoJobTest : public testing::Test {
 protected:
  TestJob job_of(const std::string& name, const std::string& input, const std::string& filters,
                 const std::string& output) {
    TestJob job(folder_, name, input, output);
    set_filters(job.video(), filters);
    job.video().mutable_encoding()->set_segment_frames(30);
    if (output.ends_with(".mkv")) job.video().mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
    return job;
  }
  // Returns the smallest luma PSNR of a frame, as the ffmpeg program measures it.
  static double least_psnr(const std::string& path, const std::string& truth) {
    const std::string text = media::run(
        "ffmpeg -nostdin -i '" + path + "' -i '" + truth +
        "' -lavfi psnr=stats_file=- -f null - 2>/dev/null | grep -o 'psnr_y:[0-9.inf]*' | cut -d: -f2 "
        "| sort -g | head -1");
    return text.starts_with("inf") ? 100 : std::atof(text.c_str());
  }
  media::TestFolder folder_;
};

TEST_F(LogoJobTest, AScannedLogoIsRemoved) {
  const std::string shown = logo_clip(folder_, "shown.mkv", 60, 120, 10, 170);
  const std::string truth = logo_clip(folder_, "truth.mkv", 60, 120, 0, 0);
  const TestJob scan = job_of("scan", shown, kScan, "station.lgd");
  const Ran scanned = run_attempt(scan);
  ASSERT_THAT(scanned.end.status, IsOk());
  EXPECT_THAT(scanned.end.result.notes(),
              testing::Contains("logoscan uses 120 of 240 frames; 120 have a plain background."));
  const std::string logo = folder_.path("station.lgd");
  media::write_file(logo, media::read_file(scan.finished_path()));
  EXPECT_THAT(media::read_file(logo), testing::StartsWith("<logo data file ver0.1>"));

  const TestJob removal = job_of("removal", shown, "delogo=" + logo, "out.mkv");
  const Ran removed = run_attempt(removal);
  ASSERT_THAT(removed.end.status, IsOk());
  EXPECT_THAT(removed.end.result.notes(),
              ElementsAre(testing::StartsWith("delogo removes the logo from 16")));
  EXPECT_LT(least_psnr(shown, truth), 30);
  EXPECT_GT(least_psnr(removal.finished_path(), truth), 45);

  // Decisions are text that users can read.
  const TestJob decided = job_of("decided", shown, "delogo=" + logo, "out.json");
  ASSERT_THAT(run_attempt(decided).end.status, IsOk());
  const std::string text = media::read_file(decided.finished_path());
  const auto parsed = parse_decisions(std::as_bytes(std::span(text)));
  ASSERT_THAT(parsed, IsOk());
  ASSERT_EQ(parsed->decisions_size(), 1);
  const auto fades = filters::logo::parse_fades(parsed->decisions(0).parameters(), 240).value();
  for (int n = 0; n < 240; n++) {
    const int expected = n >= 10 && n < 170 ? 10 : 0;
    // A moving background is measured as a part of the logo next to a change.
    EXPECT_NEAR(fades[size_t(n)].top, expected, std::abs(n - 10) <= 8 || std::abs(n - 169) <= 9 ? 1 : 0) << n;
    EXPECT_NEAR(fades[size_t(n)].bottom, expected, std::abs(n - 10) <= 8 || std::abs(n - 169) <= 9 ? 1 : 0)
        << n;
  }
}

// Frames with a plain background may be far apart.
TEST_F(LogoJobTest, AScanSkipsALongScene) {
  const std::string shown = logo_clip(folder_, "shown.mkv", 20, 1300, 0, 2000);
  const TestJob scan = job_of("scan", shown, kScan, "station.lgd");
  const Ran scanned = run_attempt(scan);
  ASSERT_THAT(scanned.end.status, IsOk());
  EXPECT_THAT(media::read_file(scan.finished_path()), testing::StartsWith("<logo data file ver0.1>"));
}

TEST_F(LogoJobTest, AnOutputForALogoNeedsAScan) {
  const std::string clip = logo_clip(folder_, "clip.mkv", 0, 5, 0, 0);
  const auto refusal = [&](const std::string& name, const std::string& filters) {
    return run_attempt(job_of(name, clip, filters, "logo.lgd")).end.status;
  };
  EXPECT_THAT(refusal("bwdif", "bwdif"), StatusIs(StatusCode::kInvalidArgument, "is none of logoscan"));
  EXPECT_THAT(refusal("decimate", "decimate"), StatusIs(StatusCode::kInvalidArgument, "is none of logoscan"));
  EXPECT_THAT(refusal("plain", kScan), StatusIs(StatusCode::kInvalidArgument, "0 of 5 frames have a plain"));
  EXPECT_THAT(refusal("outside", "logoscan=x=150:y=16:width=64:height=48"),
              StatusIs(StatusCode::kInvalidArgument, "is not within the picture (176x144)"));
  EXPECT_THAT(refusal("odd", "logoscan=x=97:y=16:width=64:height=48"),
              StatusIs(StatusCode::kInvalidArgument, "x (97) is no multiple of 2"));
}

}  // namespace
}  // namespace weft::worker
