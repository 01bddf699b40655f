// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>

#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

class Run : public Cli {
 protected:
  // Makes a folder with a copy of weft and a weftd with this script. Returns the path of the copy.
  std::string weft_beside(const std::string& script) {
    const std::string bin = server_.folder() + "/bin";
    std::filesystem::create_directories(bin);
    std::filesystem::copy_file(WEFT_PROGRAM, bin + "/weft");
    std::ofstream(bin + "/weftd") << "#!/bin/sh\n" << script;
    std::filesystem::permissions(bin + "/weftd", std::filesystem::perms::owner_all);
    return bin + "/weft";
  }
  test::ProcessOptions run_options(const std::string& program) {
    auto result = options({"run", "bwdif", "in.ts", "-o", "out.mkv"});
    if (!program.empty()) result.words[0] = program;
    result.environment["WEFT_SERVER"] = "unix:" + server_.folder() + "/nobody.sock";
    result.environment["TMPDIR"] = server_.folder() + "/tmp";
    std::filesystem::create_directories(server_.folder() + "/tmp");
    return result;
  }
  bool left_nothing() { return std::filesystem::is_empty(server_.folder() + "/tmp"); }

  // A script that acts as weftd: it links its socket to that of the fake server.
  const std::string stand_in_ =
      "echo \"$@\" > \"$TMPDIR/../arguments\"\n"
      "for word; do case \"$word\" in unix:*) ln -s \"$TMPDIR/../weft.sock\" \"${word#unix:}\" ;; esac; "
      "done\n"
      "trap 'echo stopped > \"$TMPDIR/../stopped\"; exit 0' TERM\n"
      "while :; do sleep 0.05; done\n";
};

TEST_F(Run, UsesTheDaemonThatAnswers) {
  server_.script({begin(), progress(100), succeed()});
  const auto result = weft({"run", "bwdif", "in.ts", "-o", "out.mkv"});
  EXPECT_EQ(result.code, kExitDone) << result.error;
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.error, EndsWith("400 frames in 8.00 s (50.00 fps).\n"));
}

TEST_F(Run, AnalyseWritesDecisionsAlone) {
  server_.script({begin(), progress(100), succeed()});
  const auto refused = weft({"analyse", "decimate", "in.ts", "-o", "out.mkv"});
  EXPECT_EQ(refused.code, kExitUsage);
  EXPECT_THAT(refused.error, HasSubstr("the output (" + server_.folder() + "/out.mkv) is not a .json file"));
  const auto result = weft({"analyse", "decimate", "in.ts", "-o", "decisions.json"});
  EXPECT_EQ(result.code, kExitDone) << result.error;
  ASSERT_EQ(weft({"run", "decimate", "in.ts", "-o", "out.mkv", "--decisions", "decisions.json"}).code,
            kExitDone);
  const auto jobs = server_.jobs();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].spec().video().output(), server_.folder() + "/decisions.json");
  EXPECT_EQ(jobs[1].spec().video().decisions(), server_.folder() + "/decisions.json");
}

TEST_F(Run, StartsADaemonOfItsOwnAndStopsIt) {
  server_.script({begin(), [](v1::Job& job) {
                    succeed()(job);
                    job.mutable_result()->add_notes("Frame 7 is left out.");
                  }});
  const auto result = test::run(run_options(weft_beside(stand_in_)));
  EXPECT_EQ(result.code, kExitDone) << result.error;
  EXPECT_THAT(result.error, HasSubstr("starting one for this job"));
  EXPECT_THAT(result.error, AllOf(HasSubstr("Done: "), EndsWith("\nNote: Frame 7 is left out.\n")));
  EXPECT_TRUE(std::filesystem::exists(server_.folder() + "/stopped"));
  EXPECT_TRUE(left_nothing());
  std::string arguments;
  std::getline(std::ifstream(server_.folder() + "/arguments"), arguments);
  EXPECT_THAT(arguments, MatchesRegex("--state-dir .*/state --listen unix:.*/weft.sock --exit-with-parent"));
}

TEST_F(Run, BenchAndTuneStartADaemonToo) {
  server_.script({begin(), [](v1::Job& job) {
                    job.set_state(v1::JOB_STATE_SUCCEEDED);
                    v1::Measurement& measured =
                        *job.mutable_result()->mutable_benchmark()->add_measurements();
                    measured.set_variant("add");
                    job.mutable_result()->mutable_tuning()->add_kernels()->set_kernel("video/bwdif.uint8_t");
                  }});
  const std::string program = weft_beside(stand_in_);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"bench", "run", "vector"}, {"tune", "--filter", "bwdif"}}) {
    test::ProcessOptions options = run_options(program);
    options.words = {program};
    options.words.insert(options.words.end(), words.begin(), words.end());
    const auto result = test::run(options);
    EXPECT_EQ(result.code, kExitDone) << result.error;
    EXPECT_THAT(result.error, HasSubstr("starting one for this job"));
    EXPECT_THAT(result.output, HasSubstr("video/bwdif.uint8_t"));
    EXPECT_TRUE(left_nothing());
  }
}

TEST_F(Run, CtrlCCancelsWhenTheDaemonIsItsOwn) {
  server_.script({begin()});
  test::Process process(run_options(weft_beside(stand_in_)));
  ASSERT_TRUE(process.wait_for_error("Running on cpu")) << process.error();
  process.send_signal(SIGINT);
  EXPECT_EQ(process.wait(), kExitInterrupted);
  EXPECT_EQ(server_.jobs()[0].state(), v1::JOB_STATE_CANCELLED);
  EXPECT_TRUE(left_nothing());
}

TEST_F(Run, SIGTERMHasAnExitCodeOfItsOwn) {
  server_.script({begin()});
  test::Process process(run_options(weft_beside(stand_in_)));
  ASSERT_TRUE(process.wait_for_error("Running on cpu")) << process.error();
  process.send_signal(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_EQ(server_.jobs()[0].state(), v1::JOB_STATE_CANCELLED);
  EXPECT_TRUE(left_nothing());
}

TEST_F(Run, SignalsThatWereIgnoredBeforeStayIgnored) {
  server_.script({begin()});
  auto under_nohup = run_options(weft_beside(stand_in_));
  under_nohup.ignored = {SIGHUP, SIGINT};
  test::Process process(under_nohup);
  ASSERT_TRUE(process.wait_for_error("Running on cpu")) << process.error();
  process.send_signal(SIGHUP);
  process.send_signal(SIGINT);
  EXPECT_NE(server_.jobs()[0].state(), v1::JOB_STATE_CANCELLED);
  server_.change(server_.jobs()[0].id(), succeed());
  EXPECT_EQ(process.wait(), kExitDone) << process.error();
  EXPECT_TRUE(left_nothing());
}

TEST_F(Run, TheTimeoutCancelsWhenTheDaemonIsItsOwn) {
  server_.script({begin()});
  auto timed = run_options(weft_beside(stand_in_));
  timed.words.insert(timed.words.end(), {"--timeout", "0.2s"});
  const auto result = test::run(timed);
  EXPECT_EQ(result.code, kExitTimeout) << result.error;
  EXPECT_THAT(result.error, HasSubstr("The time is up (--timeout).\n"));
  EXPECT_EQ(server_.jobs()[0].state(), v1::JOB_STATE_CANCELLED);
  EXPECT_TRUE(left_nothing());
}

TEST_F(Run, CtrlCWhileItsDaemonStartsLeavesNothing) {
  const std::string started = server_.folder() + "/started";
  ASSERT_EQ(::mkfifo(started.c_str(), 0600), 0);
  test::Process process(run_options(
      weft_beside("trap '' TERM\necho yes > \"$TMPDIR/../started\"\nwhile :; do sleep 0.05; done\n")));
  std::string word;
  std::getline(std::ifstream(started), word);  // waits for the writer
  EXPECT_EQ(word, "yes");
  EXPECT_FALSE(left_nothing());
  process.send_signal(SIGINT);
  EXPECT_EQ(process.wait(), kExitInterrupted);
  EXPECT_TRUE(left_nothing());
}

TEST_F(Run, ADaemonThatDoesNotStartIsExplained) {
  auto result = test::run(run_options(weft_beside("echo 'The state folder is broken.' >&2; exit 1\n")));
  EXPECT_EQ(result.code, kExitUnreachable);
  EXPECT_THAT(result.error, AllOf(HasSubstr("ended at once"), HasSubstr("The state folder is broken.")));
  EXPECT_TRUE(left_nothing());
  std::filesystem::remove(server_.folder() + "/bin/weftd");
  auto without = run_options(server_.folder() + "/bin/weft");
  without.environment["PATH"] = server_.folder();
  result = test::run(without);
  EXPECT_EQ(result.code, kExitUnreachable);
  EXPECT_THAT(result.error, HasSubstr("(weftd) cannot be started"));
}

}  // namespace
}  // namespace weft::cli
