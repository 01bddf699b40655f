// SPDX-License-Identifier: Apache-2.0
// Tests REALTIME streams and jobs on one device: reservations, admission, and the effect of late
// frames.
#include <algorithm>

#include <gmock/gmock.h>

#include "tests/scenarios/stream_scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;

class RealtimeTest : public StreamScenario {
 protected:
  // Opens a stream of 400 small frames a second with a deadline of 1 ms, which is shorter than the
  // time of a job's large frame.
  StatusOr<std::unique_ptr<client::FrameStream>> open_fast() {
    v1::OpenStream open = small_stream(v1::STREAM_CLASS_REALTIME);
    open.clear_filters();
    set_filters(open, "bob");
    open.mutable_frame_rate()->set_numerator(400);
    open.mutable_settings()->set_deadline(1);
    ASSIGN_OR_RETURN(const auto connection, client::Connection::open({.server = daemon_.address()}));
    return client::FrameStream::open(connection, open);
  }
  // Pushes a frame and pulls its two pictures.
  static void pass_frame(client::FrameStream& stream) {
    push(stream);
    for (int i = 0; i < 2; i++) {
      const auto picture = stream.pull();
      ASSERT_THAT(picture, IsOk());
      ASSERT_TRUE(picture->has_value());
    }
  }
  v1::ExplainJobResponse explain(const std::string& id) {
    v1::ExplainJobRequest request;
    request.set_id(id);
    v1::ExplainJobResponse response;
    EXPECT_TRUE(daemon_.jobs().ExplainJob(call_context().get(), request, &response).ok());
    return response;
  }
  std::string make_large_clip() {
    std::string words;
    EXPECT_EQ(
        shell("ffmpeg -v error -nostdin -y -f lavfi -i testsrc2=size=1920x1080:rate=25 -frames:v 40 -c:v "
              "mpeg2video -flags +ildct+ilme -b:v 20M large.mkv",
              &words),
        0)
        << words;
    return path("large.mkv");
  }
};

TEST_F(RealtimeTest, AStreamThatSendsNothingStopsNobody) {
  const auto first = open_fast(), second = open_fast();
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  v1::SubmitJobRequest large = request(make_large_clip(), path("out.mkv"));
  const std::string job = daemon_.submit(large);
  // While frames arrive, device time is reserved for them. The response of explain names the
  // stream.
  ASSERT_TRUE(wait_until([&] {
    pass_frame(**first);
    const v1::ExplainJobResponse explained = explain(job);
    const auto mentions = [](const std::string& reason) {
      return reason.find("The realtime stream 1 of ") != std::string::npos;
    };
    return testing::Test::HasFailure() || std::ranges::any_of(explained.reasons(), mentions);
  }));
  // Without further frames the reservation ends after a second, and the job continues.
  EXPECT_EQ(daemon_.wait_for_end_of(job).state(), v1::JOB_STATE_SUCCEEDED);
  // The stream is still open and returns pictures.
  pass_frame(**first);
  for (const auto& stream : {&first, &second}) {
    ASSERT_THAT((**stream)->finish(), IsOk());
    while (true) {
      const auto picture = (**stream)->pull();
      ASSERT_THAT(picture, IsOk());
      if (!picture->has_value()) break;
    }
  }
}

TEST_F(RealtimeTest, MoreLateFramesThanAllowedAreAnExitCode) {
  make_y4m("in.y4m", 50);
  std::string words;
  EXPECT_EQ(
      shell(
          "weft pipe bwdif --class realtime --fps 100 --deadline 60000 --max-late 0 -i in.y4m -o - > out.y4m",
          &words),
      0)
      << words;
  EXPECT_EQ(shell("weft pipe bwdif --max-late 0 -i in.y4m -o - > out.y4m", &words), 2);
  EXPECT_THAT(words, HasSubstr("give --class realtime"));
  EXPECT_EQ(shell("weft pipe bwdif --class realtime --max-late -1 -i in.y4m -o - > out.y4m", &words), 2);
  // The refusal contains the device time of a frame. Its transfers take the same time again.
  EXPECT_EQ(shell("weft pipe bwdif --class realtime --fps 100 --deadline 0.01 < in.y4m > out.y4m", &words),
            4);
  const std::string before = "one frame of each stream takes ";
  const size_t at = words.find(before);
  ASSERT_NE(at, std::string::npos) << words;
  const double deadline = 1.5 * std::stod(words.substr(at + before.size())) + 0.01;
  const std::string late =
      fmt::format("weft pipe bwdif --class realtime --fps 100 --deadline {:.3f} -i in.y4m -o - ", deadline);
  EXPECT_EQ(shell(late + "--max-late 0 > out.y4m", &words), 7);
  EXPECT_THAT(words, HasSubstr("of 50 frames were late, and --max-late allows 0"));
}

// The network is needed for few samples of a flat picture and for all samples of a textured one. A
// probe with flat pictures would admit this stream, although its frames take about twenty periods.
TEST_F(RealtimeTest, AStreamOfANetworkIsProbedWithTextureAndRefused) {
  std::string words;
  ASSERT_EQ(shell("ffmpeg -v error -nostdin -y -f lavfi -i testsrc2=size=720x480:rate=25 -frames:v 3 -vf "
                  "setfield=tff "
                  "-pix_fmt yuv420p large.y4m",
                  &words),
            0)
      << words;
  EXPECT_EQ(shell("weft pipe nnedi --class realtime < large.y4m > out.y4m", &words), 4);
  EXPECT_THAT(words, HasSubstr("The stream does not fit"));
}

}  // namespace
}  // namespace weft::scenarios
