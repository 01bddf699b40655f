// SPDX-License-Identifier: Apache-2.0
// Fixture of scenarios with streams: a daemon with the CPU in service, a shell that finds weft, and
// files in Y4M.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "client/connection.h"
#include "client/stream.h"
#include "tests/scenarios/scenario.h"
#include "tests/set_filters.h"

namespace weft::scenarios {

class StreamScenario : public ScenarioTest {
 protected:
  explicit StreamScenario(std::vector<std::string> arguments = {"--device", "cpu"})
      : daemon_(path("daemon"), std::move(arguments)) {}

  void SetUp() override {
    ASSERT_TRUE(daemon_.start());
    ASSERT_TRUE(wait_until([this] {
      const auto device = daemon_.device("cpu");
      return device && device->state() == v1::DEVICE_STATE_IN_SERVICE;
    }));
  }

  // Runs a line in a shell. In it `weft` is the built program, connected to this fixture's daemon.
  int shell(const std::string& line, std::string* output = nullptr) {
    return run({"bash", "-c",
                fmt::format("set -o pipefail; export WEFT_SERVER={}; weft() {{ {} \"$@\"; }}; cd {}; {}",
                            daemon_.address(), WEFT, folder(), line)},
               output);
  }

  // Makes an interlaced Y4M file of 320x240 with ffmpeg and returns its path.
  std::string make_y4m(const std::string& name, int frames, const std::string& format = "yuv420p") {
    std::string words;
    EXPECT_EQ(shell(fmt::format("ffmpeg -v error -nostdin -y -f lavfi -i testsrc2=size=320x240:rate=50 -vf "
                                "tinterlace=interleave_top,setfield=tff,format={} -frames:v {} -strict -1 {}",
                                format, frames, name),
                    &words),
              0)
        << words;
    return path(name);
  }

  // Returns a stream of 25 small frames a second, with a long deadline for each frame.
  static v1::OpenStream small_stream(v1::StreamClass stream_class) {
    v1::OpenStream open;
    set_filters(open, "bwdif");
    open.mutable_format()->set_width(64);
    open.mutable_format()->set_height(48);
    open.mutable_format()->set_chroma(v1::CHROMA_FORMAT_420);
    open.mutable_format()->set_bit_depth(8);
    open.mutable_frame_rate()->set_numerator(25);
    open.mutable_frame_rate()->set_denominator(1);
    open.set_field_order(v1::FIELD_ORDER_TOP_FIRST);
    open.mutable_settings()->set_stream_class(stream_class);
    if (stream_class == v1::STREAM_CLASS_REALTIME) open.mutable_settings()->set_deadline(60000);
    return open;
  }
  StatusOr<std::unique_ptr<client::FrameStream>> open_small(v1::StreamClass stream_class) {
    ASSIGN_OR_RETURN(const auto connection, client::Connection::open({.server = daemon_.address()}));
    return client::FrameStream::open(connection, small_stream(stream_class));
  }
  // Pushes the next frame with undefined samples.
  static void push(client::FrameStream& stream) {
    ASSERT_THAT(stream.stage(), IsOk());
    ASSERT_THAT(stream.push(), IsOk());
  }

  Daemon daemon_;
};

}  // namespace weft::scenarios
