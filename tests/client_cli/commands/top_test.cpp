// SPDX-License-Identifier: Apache-2.0
// Tests weft top on a terminal, against a fake daemon in memory.
#include <csignal>

#include "tests/client_cli/fixture.h"
#include "tests/client_cli/test_terminal.h"

namespace weft::cli {
namespace {

class Top : public Cli {
 protected:
  Top() {
    v1::DeviceStatus device;
    device.set_id("cpu");
    device.set_name("A processor");
    device.set_state(v1::DEVICE_STATE_IN_SERVICE);
    server_.add_device(device);
    server_.let_samples_go_on();
  }

  test::ProcessOptions on_screen(std::vector<std::string> words) {
    test::ProcessOptions result = options(std::move(words));
    result.screen = true;
    result.environment["TERM"] = "xterm";
    return result;
  }
  // Returns the display after the output until now.
  static std::string screen_of(const test::Process& process, size_t columns = 80, size_t rows = 24) {
    test::TestTerminal terminal(columns, rows);
    terminal.feed(process.output());
    return terminal.text();
  }
  static bool shows(test::Process& process, const std::string& text) {
    return process.wait_until([&] { return screen_of(process).find(text) != std::string::npos; });
  }
  static void expect_restored(const test::Process& process) {
    test::TestTerminal terminal(80, 24);
    terminal.feed(process.output());
    EXPECT_FALSE(terminal.other_screen());
    EXPECT_TRUE(terminal.cursor());
  }
};

TEST_F(Top, FollowsWhatHappensUntilQ) {
  const std::string id = add_job(v1::JOB_STATE_QUEUED, "/films/one.ts");
  test::Process process(on_screen({"top", "--interval", "0.1s"}));
  ASSERT_TRUE(shows(process, "one.ts -> out.mkv")) << screen_of(process);
  EXPECT_THAT(screen_of(process), AllOf(HasSubstr("cpu  in-service"), HasSubstr("1 queued")));
  server_.change(id, begin());
  server_.change(id, progress(50), true);
  ASSERT_TRUE(shows(process, " 25.0%")) << screen_of(process);
  server_.change(id, succeed());
  ASSERT_TRUE(shows(process, "1 succeeded")) << screen_of(process);
  EXPECT_THAT(screen_of(process), HasSubstr("No job runs or waits."));
  process.type("q");
  EXPECT_EQ(process.wait(), kExitDone);
  expect_restored(process);
}

TEST_F(Top, EverySignalLeavesTheTerminalAsItWas) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    test::Process process(on_screen({"top"}));
    ASSERT_TRUE(shows(process, "QUEUE"));
    process.send_signal(signal);
    EXPECT_EQ(process.wait(), kExitInterrupted) << signal;
    expect_restored(process);
  }
  test::Process process(on_screen({"top"}));
  ASSERT_TRUE(shows(process, "QUEUE"));
  process.type("\x03");  // Ctrl-C as a terminal sends it
  EXPECT_EQ(process.wait(), kExitInterrupted);
  expect_restored(process);
}

TEST_F(Top, CtrlZGivesTheTerminalBackUntilItGoesOn) {
  test::ProcessOptions shell = on_screen({});
  shell.words = {"/bin/bash", "-c",
                 "set -m; " WEFT_PROGRAM " top; echo stopped; fg >/dev/null; echo ended $?"};
  test::Process process(shell);
  ASSERT_TRUE(shows(process, "QUEUE"));
  process.type("\x1a");
  ASSERT_TRUE(process.wait_for_output("stopped"));
  const size_t left = process.output().rfind("\x1b[?1049l");
  ASSERT_NE(left, std::string::npos);
  ASSERT_TRUE(process.wait_until([&] { return process.output().find("QUEUE", left) != std::string::npos; }));
  process.type("q");
  EXPECT_TRUE(process.wait_for_output("ended 0")) << process.output();
  EXPECT_EQ(process.wait(), 0);
  expect_restored(process);
}

TEST_F(Top, KnowsTheTerminalsNewSize) {
  for (int i = 0; i < 30; i++) add_job(v1::JOB_STATE_QUEUED);
  test::Process process(on_screen({"top", "--interval", "1h"}));
  ASSERT_TRUE(shows(process, "q quit"));
  const size_t before = process.output().size();
  process.resize(40, 10);
  const auto small = [&] {
    test::TestTerminal terminal(40, 10);
    terminal.feed("\x1b[?1049h" + process.output().substr(before));
    return terminal.text();
  };
  EXPECT_TRUE(process.wait_until([&] { return small().find("q quit") != std::string::npos; })) << small();
  process.type("q");
  EXPECT_EQ(process.wait(), kExitDone);
}

TEST_F(Top, ADaemonThatIsGoneIsSaidWithTheAgeAndComesBack) {
  const std::string id = add_job(v1::JOB_STATE_RUNNING);
  test::Process process(on_screen({"top", "--interval", "0.1s"}));
  ASSERT_TRUE(shows(process, "running"));
  server_.stop();
  ASSERT_TRUE(shows(process, "The connection is lost; showing the state of")) << screen_of(process);
  EXPECT_THAT(screen_of(process), HasSubstr("running")) << "what was known stays";
  server_.start();
  ASSERT_TRUE(process.wait_until([&] { return screen_of(process).find("gone") == std::string::npos; }));
  server_.change(id, progress(100), true);
  ASSERT_TRUE(shows(process, " 50.0%")) << screen_of(process);
  process.type("q");
  EXPECT_EQ(process.wait(), kExitDone);
}

TEST_F(Top, CancelsTheChosenJobAfterAYes) {
  const std::string id = add_job(v1::JOB_STATE_RUNNING);
  test::Process process(on_screen({"top", "--interval", "0.1s"}));
  ASSERT_TRUE(shows(process, "running"));
  process.type("\x1b[Bc");
  ASSERT_TRUE(shows(process, "y: yes, any other key: no"));
  process.type("y");
  ASSERT_TRUE(shows(process, id + " is cancelled.")) << screen_of(process);
  EXPECT_EQ(server_.job(id).state(), v1::JOB_STATE_CANCELLED);
  process.type("q");
  EXPECT_EQ(process.wait(), kExitDone);
}

TEST_F(Top, OnceAndWithoutATerminalIsPlainText) {
  add_job(v1::JOB_STATE_RUNNING);
  const auto piped = weft({"top"});
  EXPECT_EQ(piped.code, kExitDone) << piped.error;
  EXPECT_THAT(piped.output, AllOf(StartsWith("weft top  unix:"), HasSubstr("cpu  in-service  A processor"),
                                  HasSubstr("in.ts -> out.mkv"), Not(HasSubstr("\x1b"))));
  test::Process once(on_screen({"top", "--once", "--color", "never"}));
  EXPECT_EQ(once.wait(), kExitDone);
  EXPECT_THAT(once.output(), AllOf(HasSubstr("in.ts -> out.mkv"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(weft({"top", "--json"}).output,
              AllOf(StartsWith("{\"schema\": 1, \"devices\": [{"), HasSubstr("\"jobs\": [")));
  EXPECT_THAT(weft({"top", "--owner", "nobody"}).output, HasSubstr("No job is of this class and owner."));
}

TEST_F(Top, NoColorMeansNone) {
  auto plain = on_screen({"top"});
  plain.environment["NO_COLOR"] = "1";
  test::Process process(plain);
  ASSERT_TRUE(shows(process, "QUEUE"));
  process.type("q");
  EXPECT_EQ(process.wait(), kExitDone);
  EXPECT_THAT(process.output(),
              AllOf(Not(HasSubstr("\x1b[1m")), Not(HasSubstr("\x1b[2m")), Not(HasSubstr("\x1b[32m"))));
}

TEST_F(Top, MistakesAreSaidBeforeTheScreenIsTaken) {
  EXPECT_THAT(weft({"top", "--interval", "0.01"}).error, HasSubstr("The interval (0.01) is out of range"));
  EXPECT_THAT(weft({"top", "--class", "urgent"}).error, HasSubstr("urgent"));
  server_.stop();
  EXPECT_EQ(weft({"top"}).code, kExitUnreachable);
  test::Process process(on_screen({"top"}));
  EXPECT_EQ(process.wait(), kExitUnreachable);
  expect_restored(process);
  EXPECT_THAT(process.output(),
              EndsWith("start weftd, or give its address with --server or WEFT_SERVER.\r\n"));
}

}  // namespace
}  // namespace weft::cli
