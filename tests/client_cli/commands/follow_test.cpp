// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

class Follow : public Cli {
 protected:
  std::vector<std::string> submit(std::vector<std::string> flags) {
    std::vector<std::string> words = {"submit", "bwdif", "in.ts", "-o", "out.mkv"};
    words.insert(words.end(), flags.begin(), flags.end());
    return words;
  }
};

TEST_F(Follow, PlainLinesOutsideATerminal) {
  server_.script({begin(), progress(50), progress(100), succeed()});
  const auto result = weft(submit({"--follow"}));
  EXPECT_EQ(result.code, kExitDone) << result.error;
  EXPECT_THAT(result.error, HasSubstr("Running on cpu.\n"));
  EXPECT_THAT(result.error, EndsWith("/out.mkv, 400 frames in 8.00 s (50.00 fps).\n"));
  EXPECT_THAT(result.error, Not(HasSubstr("\r")));
  EXPECT_THAT(result.error, Not(HasSubstr("\x1b")));
  EXPECT_EQ(result.output, server_.jobs()[0].id() + "\n");
}

TEST_F(Follow, ProgressIsPrintedAsPlainLinesAtIntervals) {
  v1::Job job;
  job.mutable_spec()->mutable_video();
  begin()(job);
  progress(50)(job);
  const std::string id = server_.add(job);
  test::Process process(options({"watch", id}));
  EXPECT_TRUE(process.wait_for_error("[ 25.0%] 50/200 frames, 25.00 fps, eta 0:00:06\n")) << process.error();
  server_.change(id, succeed());
  EXPECT_EQ(process.wait(), kExitDone);
}

TEST_F(Follow, ABarIsDrawnOverOnATerminal) {
  v1::Job job;
  job.mutable_spec()->mutable_video();
  begin()(job);
  progress(50)(job);
  const std::string id = server_.add(job);
  auto on_terminal = options({"watch", id});
  on_terminal.terminal = true;
  on_terminal.environment["TERM"] = "xterm";
  test::Process process(on_terminal);
  EXPECT_TRUE(process.wait_for_error("\r[ 25.0%] 50/200 frames, 25.00 fps, eta 0:00:06\x1b[K"))
      << process.error();
  server_.change(id, succeed());
  EXPECT_EQ(process.wait(), kExitDone);
  EXPECT_THAT(process.error(), HasSubstr("\x1b[32mDone: "));
}

TEST_F(Follow, NoColorAndDumbTerminalsAreRespected) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"NO_COLOR", "1"}, {"TERM", "dumb"}}) {
    const std::string id = add_job(v1::JOB_STATE_SUCCEEDED);
    auto on_terminal = options({"watch", id});
    on_terminal.terminal = true;
    on_terminal.environment["TERM"] = "xterm";
    on_terminal.environment[name] = value;
    const auto result = test::run(on_terminal);
    EXPECT_THAT(result.error, HasSubstr("Done: "));
    EXPECT_THAT(result.error, Not(HasSubstr("\x1b[3"))) << name;
  }
  const std::string id = add_job(v1::JOB_STATE_FAILED);
  EXPECT_THAT(weft({"watch", id, "--color", "always"}).error, HasSubstr("\x1b[31mFailed"));
}

TEST_F(Follow, WaitIsSilentAndTheExitCodeTells) {
  server_.script({begin(), progress(50), succeed()});
  auto result = weft(submit({"--wait"}));
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_EQ(result.error, "");
  server_.script({begin(), fail()});
  result = weft(submit({"--wait"}));
  EXPECT_EQ(result.code, kExitJobFailed);
  EXPECT_THAT(result.error, HasSubstr("Failed: The file ends early. (`weft logs 01JB"));
  server_.script({[](v1::Job& job) { job.set_state(v1::JOB_STATE_CANCELLED); }});
  EXPECT_EQ(weft(submit({"--wait"})).code, kExitCancelled);
}

TEST_F(Follow, NotesOfTheResultStandBelowTheEnd) {
  const auto succeed_with_notes = [](v1::Job& job) {
    succeed()(job);
    job.mutable_result()->add_notes("3 pixels are no numbers and become black.");
    job.mutable_result()->add_notes("Stream 2 is left out.");
  };
  const std::string notes = "Note: 3 pixels are no numbers and become black.\nNote: Stream 2 is left out.\n";
  for (const char* flag : {"--wait", "--follow"}) {
    server_.script({begin(), succeed_with_notes});
    const bool is_silent = std::string(flag) == "--wait";
    EXPECT_THAT(weft(submit({flag})).error, EndsWith(is_silent ? "" : "(50.00 fps).\n" + notes)) << flag;
    EXPECT_EQ(weft(submit({flag, "-q"})).error, "") << flag;
    const auto json = weft(submit({flag, "--json"}));
    EXPECT_EQ(json.error, "") << flag;
    EXPECT_THAT(json.output, HasSubstr("\"Stream 2 is left out.\"]")) << flag;
  }
  EXPECT_THAT(weft({"submit", "bwdif", "a.ts", "b.ts", "-o", "{stem}.mkv", "--follow"}).error,
              HasSubstr("a.ts -> a.mkv: Note: Stream 2 is left out.\n"));
}

TEST_F(Follow, OneFailureOfSeveralCounts) {
  server_.script({[](v1::Job& job) {
    job.set_state(job.spec().video().input().ends_with("a.ts") ? v1::JOB_STATE_FAILED
                                                               : v1::JOB_STATE_SUCCEEDED);
  }});
  const auto result = weft({"submit", "bwdif", "a.ts", "b.ts", "-o", "{stem}.mkv", "--wait"});
  EXPECT_EQ(result.code, kExitJobFailed);
  EXPECT_THAT(result.error, AllOf(HasSubstr("a.ts -> a.mkv: Failed"), Not(HasSubstr("b.ts"))));
}

TEST_F(Follow, JsonPrintsEveryEventOrTheEnd) {
  server_.script({begin(), progress(50), succeed()});
  auto result = weft(submit({"--follow", "--json"}));
  EXPECT_GE(std::count(result.output.begin(), result.output.end(), '\n'), 3) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("\"units_done\": 50"), HasSubstr("\"eta\": 6"),
                                   HasSubstr("\"state\": \"succeeded\"")));
  EXPECT_EQ(result.error, "");
  result = weft(submit({"--wait", "--json"}));
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("\"state\": \"succeeded\""));
}

TEST_F(Follow, TheTimeIsUp) {
  const auto result = weft(submit({"--wait", "--timeout", "0.05s"}));
  EXPECT_EQ(result.code, kExitTimeout);
  EXPECT_THAT(result.error, HasSubstr("The time is up (--timeout); the job goes on."));
  EXPECT_EQ(server_.jobs()[0].state(), v1::JOB_STATE_QUEUED);
}

TEST_F(Follow, TheTimeIsUpForAsManyJobsAsGoOn) {
  const auto watch = [&] { return weft({"watch", "--timeout", "0.3s"}); };
  EXPECT_EQ(watch().code, kExitTimeout);
  add_job(v1::JOB_STATE_SUCCEEDED);
  EXPECT_THAT(watch().error, EndsWith("The time is up (--timeout).\n"));
  add_job(v1::JOB_STATE_QUEUED);
  EXPECT_THAT(watch().error, EndsWith("The time is up (--timeout); the job goes on.\n"));
  add_job(v1::JOB_STATE_RUNNING);
  EXPECT_THAT(watch().error, EndsWith("The time is up (--timeout); 2 jobs go on.\n"));
}

TEST_F(Follow, CtrlCDetachesWithAHint) {
  server_.script({begin()});
  test::Process process(options(submit({"--follow"})));
  ASSERT_TRUE(process.wait_for_error("Running on cpu"));
  process.send_signal(SIGINT);
  ASSERT_TRUE(process.wait_for_error("Detached: the job goes on. Ctrl-C again within 2 seconds cancels it."));
  EXPECT_EQ(process.wait(), kExitInterrupted);
  EXPECT_THAT(process.error(), HasSubstr("`weft watch " + server_.jobs()[0].id() + "` follows it."));
  EXPECT_EQ(server_.jobs()[0].state(), v1::JOB_STATE_RUNNING);
}

TEST_F(Follow, SIGTERMLeavesTheJobAtOnce) {
  server_.script({begin()});
  test::Process process(options(submit({"--follow"})));
  ASSERT_TRUE(process.wait_for_error("Running on cpu"));
  process.send_signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_THAT(process.error(), HasSubstr("Detached: the job goes on. `weft watch "));
  EXPECT_EQ(server_.jobs()[0].state(), v1::JOB_STATE_RUNNING);
}

TEST_F(Follow, SignalsThatWereIgnoredBeforeStayIgnored) {
  server_.script({begin()});
  auto under_nohup = options(submit({"--follow"}));
  under_nohup.ignored = {SIGHUP};
  test::Process process(under_nohup);
  ASSERT_TRUE(process.wait_for_error("Running on cpu"));
  process.send_signal(SIGHUP);
  server_.change(server_.jobs()[0].id(), succeed());
  EXPECT_EQ(process.wait(), kExitDone) << process.error();
  EXPECT_THAT(process.error(), Not(HasSubstr("Detached")));
}

TEST_F(Follow, CtrlCTwiceCancels) {
  server_.script({begin()});
  test::Process process(options(submit({"--follow"})));
  ASSERT_TRUE(process.wait_for_error("Running on cpu"));
  process.send_signal(SIGINT);
  ASSERT_TRUE(process.wait_for_error("Detached"));
  process.send_signal(SIGINT);
  EXPECT_EQ(process.wait(), kExitCancelled);
  EXPECT_THAT(process.error(), EndsWith("Cancelled.\n"));
  EXPECT_EQ(server_.jobs()[0].state(), v1::JOB_STATE_CANCELLED);
}

TEST_F(Follow, SaysWhyAJobWaitsThatNoDeviceTakes) {
  v1::DeviceStatus device;
  device.set_id("cpu");
  device.set_state(v1::DEVICE_STATE_UNUSED);
  server_.add_device(device);
  const std::string reason = "Waits for cpu: the configuration leaves it out; this job is next.";
  server_.script({[&](v1::Job& job) { job.set_waiting_reason(reason); }});
  test::Process process(options(submit({"--wait", "--device", "cpu"})));
  ASSERT_TRUE(process.wait_for_error(reason + "\n")) << process.error();
  server_.change(server_.jobs()[0].id(), succeed());
  EXPECT_EQ(process.wait(), kExitDone);
}

TEST_F(Follow, GoesOnAfterARestartOfTheDaemon) {
  server_.script({begin()});
  test::Process process(options(submit({"--follow"})));
  ASSERT_TRUE(process.wait_for_error("Running on cpu"));
  server_.stop();
  ASSERT_TRUE(process.wait_for_error(server_.address() + " is gone; waiting for it to come back."));
  server_.start();
  ASSERT_TRUE(process.wait_for_error("The daemon is back.")) << process.error();
  server_.change(server_.jobs()[0].id(), succeed());
  EXPECT_EQ(process.wait(), kExitDone);
}

TEST_F(Follow, WatchingAllTellsWhatHappensUntilCtrlC) {
  const std::string old = add_job(v1::JOB_STATE_SUCCEEDED, "/films/old.ts");
  test::Process process(options({"watch"}));
  ASSERT_TRUE(server_.wait_for([&] { return !server_.watch_tokens().empty(); }));
  const std::string id = add_job(v1::JOB_STATE_QUEUED, "/films/new.ts");
  server_.change(id, begin());
  server_.change(id, succeed());
  ASSERT_TRUE(process.wait_for_error("new.ts -> out.mkv: Done")) << process.error();
  EXPECT_THAT(process.error(), Not(HasSubstr("old.ts")));
  process.send_signal(SIGINT);
  EXPECT_EQ(process.wait(), kExitInterrupted);
}

}  // namespace
}  // namespace weft::cli
