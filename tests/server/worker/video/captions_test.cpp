// SPDX-License-Identifier: Apache-2.0
// Tests that closed captions stay with their pictures past the device.
#include <gmock/gmock.h>

#include "server/media/write/muxer.h"
#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kFrames = 24;

// Returns two characters for a frame; every third frame has none.
std::string captions_of(int64_t frame) {
  if (frame % 3 == 2) return "";
  return {'\xfc', char('a' + frame), char('A' + frame)};
}

class CaptionsTest : public testing::Test {
 protected:
  CaptionsTest() {
    const std::string plain = make_interlaced(folder_, "plain.mkv", kFrames);
    media::FinishRequest request;
    const auto segments =
        media::encode_segments(plain, {.encoder = "x264"}, 0, folder_.path("segment"), captions_of);
    EXPECT_THAT(segments, IsOk());
    request.segments = *segments;
    request.source = *media::InputFile::open(plain);
    request.name = input_;
    request.output = {.name = input_};
    request.expected_frames = kFrames;
    EXPECT_THAT(media::finish(request), IsOk());
  }

  static std::vector<std::string> captions_in(const std::string& path) {
    const auto source = media::open_source(path);
    EXPECT_THAT(source, IsOk());
    std::vector<std::string> captions;
    for (const media::SourceFrame& frame : media::decode_all(**source).frames)
      captions.push_back(frame.captions);
    return captions;
  }
  TestJob job(const std::string& name, v1::Encoder encoder) {
    TestJob result(folder_, name, input_);
    result.video().mutable_encoding()->set_encoder(encoder);
    result.video().mutable_encoding()->set_segment_frames(7);
    return result;
  }

  media::TestFolder folder_;
  const std::string input_ = folder_.path("captioned.mkv");
};

TEST_F(CaptionsTest, GoWithTheFirstPictureOfTheirFrame) {
  ASSERT_EQ(captions_in(input_).size(), size_t(kFrames));
  const TestJob with_captions = job("x264", v1::ENCODER_X264);
  const Ran ran = run_attempt(with_captions);
  ASSERT_THAT(ran.end.status, IsOk());
  const std::vector<std::string> captions = captions_in(with_captions.finished_path());
  ASSERT_EQ(captions.size(), size_t(2 * kFrames));
  for (int frame = 0; frame < kFrames; frame++) {
    EXPECT_EQ(captions[size_t(2 * frame)], captions_of(frame)) << frame;
    EXPECT_EQ(captions[size_t(2 * frame + 1)], "") << frame;
  }
  EXPECT_THAT(ran.log, Not(Contains(HasSubstr("captions"))));
}

TEST_F(CaptionsTest, AnEncoderThatCarriesNoneIsNoted) {
  const Ran ran = run_attempt(job("ffv1", v1::ENCODER_FFV1));
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.end.result.notes(), Contains(HasSubstr("closed captions are left out: the encoder ffv1")));
  EXPECT_TRUE(media::carries_captions("x264"));
  EXPECT_FALSE(media::carries_captions("raw"));
}

}  // namespace
}  // namespace weft::worker
