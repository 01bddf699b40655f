// SPDX-License-Identifier: Apache-2.0
// Tests the typed options of encoding by the real output: the encoders write their settings into
// the stream.
#include "server/worker/video/encoder_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/validate.h"
#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

using testing::HasSubstr;

class EncoderSettingsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new media::TestFolder;
    clip_ = make_interlaced(*folder_, "clip.ts", 24);
  }
  static void TearDownTestSuite() { delete folder_; }

  // Returns the bytes of the output with these options.
  static std::string encoded(const std::string& name, const v1::VideoEncoding& encoding) {
    TestJob job(*folder_, name, clip_);
    *job.video().mutable_encoding() = encoding;
    EXPECT_THAT(run_attempt(job).end.status, IsOk()) << name;
    return media::read_file(job.finished_path());
  }
  static v1::VideoEncoding encoding(v1::Encoder encoder) {
    v1::VideoEncoding encoding;
    encoding.set_encoder(encoder);
    return encoding;
  }

  static media::TestFolder* folder_;
  static std::string clip_;
};
media::TestFolder* EncoderSettingsTest::folder_ = nullptr;
std::string EncoderSettingsTest::clip_;

TEST_F(EncoderSettingsTest, DefaultsAreThoseOfTheHelp) {
  const std::string x264 = encoded("x264", encoding(v1::ENCODER_X264));
  EXPECT_THAT(x264, HasSubstr("rc=crf mbtree=1 crf=23.0"));
  EXPECT_THAT(x264, HasSubstr("subme=7")) << "x264's table of presets: medium";
  EXPECT_THAT(encoded("x265", encoding(v1::ENCODER_X265)), HasSubstr("crf=28.0"));
}

TEST_F(EncoderSettingsTest, ReachTheEncoder) {
  v1::VideoEncoding x264 = encoding(v1::ENCODER_X264);
  x264.set_crf(30.5);
  x264.set_encoder_preset("veryfast");
  const std::string coarse = encoded("coarse", x264);
  EXPECT_THAT(coarse, HasSubstr("crf=30.5"));
  EXPECT_THAT(coarse, HasSubstr("subme=2")) << "x264's table of presets: veryfast";
  x264.set_crf(12);
  EXPECT_GT(encoded("fine", x264).size(), coarse.size() * 3 / 2);
  x264.clear_crf();
  x264.set_bitrate(640);
  EXPECT_THAT(encoded("rated", x264), HasSubstr("rc=abr mbtree=1 bitrate=640"));
  v1::VideoEncoding x265 = encoding(v1::ENCODER_X265);
  x265.set_bitrate(640);
  EXPECT_THAT(encoded("x265-rated", x265), HasSubstr("bitrate=640"));
}

TEST_F(EncoderSettingsTest, SizesFollowThemWithSvtAv1) {
  v1::VideoEncoding av1 = encoding(v1::ENCODER_SVT_AV1);
  av1.set_encoder_preset("12");
  av1.set_crf(60);
  const std::string coarse = encoded("av1-coarse", av1);
  av1.set_crf(10);
  EXPECT_GT(encoded("av1-fine", av1).size(), coarse.size() * 3 / 2);
  av1.clear_crf();
  const std::string standard = encoded("av1", av1);
  av1.set_crf(35);
  EXPECT_EQ(encoded("av1-standard", av1).size(), standard.size()) << "35 is the default of SVT-AV1";
}

TEST_F(EncoderSettingsTest, GiveTheSameBytesAgain) {
  for (const v1::Encoder encoder : {v1::ENCODER_X264, v1::ENCODER_X265, v1::ENCODER_SVT_AV1}) {
    v1::VideoEncoding rated = encoding(encoder);
    rated.set_bitrate(500);
    rated.set_encoder_threads(3);
    const std::string name = fmt::format("again-{}", int(encoder));
    EXPECT_TRUE(encoded(name, rated) == encoded(name + "-2", rated)) << name;
  }
}

TEST_F(EncoderSettingsTest, BlameTheOptionThatIsWrong) {
  const auto blamed = [](const v1::VideoEncoding& encoding) {
    const auto settings = encoder_of(encoding, "out.mkv", "spec.video.encoding");
    const std::vector<options::Violation> violations = options::violations_of(settings.status());
    return violations.size() == 1 ? violations[0].field : "";
  };
  v1::VideoEncoding ffv1 = encoding(v1::ENCODER_FFV1);
  ffv1.set_crf(20);
  EXPECT_EQ(blamed(ffv1), "spec.video.encoding.crf");
  v1::VideoEncoding both;
  both.set_crf(20);
  both.set_bitrate(800);
  EXPECT_EQ(blamed(both), "spec.video.encoding.bitrate");
  v1::VideoEncoding preset;
  preset.set_encoder_preset("p7");
  EXPECT_EQ(blamed(preset), "spec.video.encoding.encoder_preset");
  v1::VideoEncoding twice;
  twice.set_crf(20);
  (*twice.mutable_encoder_options())["crf"] = "18";
  EXPECT_EQ(blamed(twice), "spec.video.encoding.crf");
}

}  // namespace
}  // namespace weft::worker
