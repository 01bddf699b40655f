// SPDX-License-Identifier: Apache-2.0
// Tests weft top on a terminal with a real daemon, a stream and jobs, over a restart.
#include <gmock/gmock.h>

#include "tests/client_cli/process.h"
#include "tests/client_cli/test_terminal.h"
#include "tests/scenarios/stream_scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TopScenario : public StreamScenario {
 protected:
  test::ProcessOptions top() {
    test::ProcessOptions options;
    options.words = {WEFT, "top", "--interval", "0.2s"};
    options.environment = {{"WEFT_SERVER", daemon_.address()}, {"TERM", "xterm"}};
    options.screen = true;
    return options;
  }
  static std::string screen_of(const test::Process& process) {
    test::TestTerminal terminal(80, 24);
    terminal.feed(process.output());
    return terminal.text();
  }
  static bool shows(test::Process& process, const std::string& text) {
    return wait_until([&] {
      return process.wait_until([&] { return screen_of(process).find(text) != std::string::npos; });
    });
  }
};

TEST_F(TopScenario, ShowsStreamsAndJobsOverARestart) {
  const auto stream = open_small(v1::STREAM_CLASS_REALTIME);
  ASSERT_THAT(stream, IsOk());
  for (int i = 0; i < 3; i++) push(**stream);
  ASSERT_THAT((*stream)->pull(), IsOk());
  test::Process process(top());
  ASSERT_TRUE(shows(process, "cpu  in-service")) << screen_of(process);
  ASSERT_TRUE(shows(process, "stream 1  realtime")) << screen_of(process);
  EXPECT_THAT(screen_of(process), HasSubstr("60 s")) << "its deadline";
  daemon_.submit(request(clip(1), path("out.mkv")));
  ASSERT_TRUE(shows(process, "1 succeeded")) << screen_of(process);

  daemon_.kill();
  ASSERT_TRUE(shows(process, "The connection is lost; showing the state of")) << screen_of(process);
  ASSERT_TRUE(daemon_.start());
  ASSERT_TRUE(wait_until([&] {
    return process.wait_until(
        [&] { return screen_of(process).find("connection is lost") == std::string::npos; });
  })) << screen_of(process);
  ASSERT_TRUE(shows(process, "cpu  in-service")) << screen_of(process);
  EXPECT_THAT(screen_of(process), Not(HasSubstr("stream 1")));
  process.type("q");
  EXPECT_EQ(process.wait(), 0);
}

TEST_F(TopScenario, OnceIsTextForScripts) {
  std::string output;
  EXPECT_EQ(shell("weft top --once | cat", &output), 0);
  EXPECT_THAT(output, HasSubstr("cpu  in-service"));
  EXPECT_THAT(output, HasSubstr("QUEUE   0 running   0 queued   0 paused"));
  EXPECT_THAT(output, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace weft::scenarios
