// SPDX-License-Identifier: Apache-2.0
// What the scenarios of streams share: a daemon whose CPU is in service, a shell with weft in reach, and Y4M.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "tests/scenarios/scenario.h"

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

  // A program's line run by a shell, with weft and our daemon in reach.
  int shell(const std::string& line, std::string* output = nullptr) {
    return run({"bash", "-c",
                fmt::format("set -o pipefail; export WEFT_SERVER={}; weft() {{ {} \"$@\"; }}; cd {}; {}",
                            daemon_.address(), WEFT, folder(), line)},
               output);
  }

  // An interlaced y4m of 320x240, made by ffmpeg.
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

  Daemon daemon_;
};

}  // namespace weft::scenarios
