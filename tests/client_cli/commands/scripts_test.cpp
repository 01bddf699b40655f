// SPDX-License-Identifier: Apache-2.0
// Tests output for other programs: completion scripts, the manual, the reference.
#include <sstream>

#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

using Scripts = Cli;

std::string program_in_path(const std::string& name) {
  std::istringstream path(std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  return "";
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Shell : public Scripts, public ::testing::WithParamInterface<const char*> {};

TEST_P(Shell, CompletionScriptParses) {
  const std::string shell = program_in_path(GetParam());
  const auto script = weft({"completion", GetParam()});
  EXPECT_EQ(script.code, kExitDone);
  ASSERT_NE(script.output, "");
  if (shell.empty()) GTEST_SKIP() << GetParam() << " is not installed";
  write_file("script", script.output);
  auto check = options({});
  check.words = {shell, "-n", "script"};
  const auto result = test::run(check);
  EXPECT_EQ(result.code, 0) << result.error;
  EXPECT_EQ(result.error, "");
}

INSTANTIATE_TEST_SUITE_P(All, Shell, ::testing::Values("bash", "zsh", "fish"));

TEST_F(Scripts, BashCompletesChoicesAndLiveJobs) {
  const std::string bash = program_in_path("bash");
  if (bash.empty()) GTEST_SKIP() << "bash is not installed";
  const std::string id = add_job(v1::JOB_STATE_QUEUED);
  const auto complete = [&](const std::string& words, int index) {
    auto shell = options({});
    shell.words = {bash, "-c",
                   "eval \"$(" WEFT_PROGRAM " completion bash)\"; COMP_WORDS=(" WEFT_PROGRAM " " + words +
                       "); COMP_CWORD=" + std::to_string(index) + "; _weft; echo \"${COMPREPLY[*]}\""};
    return test::run(shell).output;
  };
  EXPECT_EQ(complete("li", 1), "list\n");
  EXPECT_EQ(complete("submit bwd", 2), "bwdif\n");
  // bash splits words at = and :, and replaces only the last part.
  EXPECT_EQ(complete("submit video --filters bob,yadif = rate = f", 8), "field frame\n");
  EXPECT_EQ(complete("submit bwdif = frame : par", 6), "parity=\n");
  EXPECT_EQ(complete("show ''", 2), id + "\n");
}

TEST_F(Scripts, CompletionIsSilentWithoutADaemon) {
  server_.stop();
  const auto result = weft({"__complete", "--", "show", ""});
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_EQ(result.output + result.error, "");
}

TEST_F(Scripts, TheManualRendersWithoutWarnings) {
  const auto manual = weft({"help", "--man"});
  EXPECT_EQ(manual.code, kExitDone);
  const std::string groff = program_in_path("groff");
  if (groff.empty()) GTEST_SKIP() << "groff is not installed";
  write_file("weft.1", manual.output);
  auto render = options({});
  render.words = {groff, "-man", "-Tutf8", "-ww", "-P-cbu", "weft.1"};
  const auto result = test::run(render);
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("weft submit FILTERS IN... -o OUT"), HasSubstr("--[no-]overwrite"),
                    HasSubstr("svt-av1"), HasSubstr("WEFT_SERVER"), HasSubstr("130")));
}

TEST_F(Scripts, TheReferenceIsUpToDate) {
  const std::string folder = WEFT_SOURCE_FOLDER "/docs/reference/";
  constexpr std::string_view kAdvice = "run: scripts/reference";
  EXPECT_EQ(weft({"help", "--options"}).output, read_file(folder + "options.md")) << kAdvice;
  EXPECT_EQ(weft({"help", "--commands"}).output, read_file(folder + "command-line.md")) << kAdvice;
  EXPECT_EQ(weft({"help", "--filters"}).output, read_file(folder + "filters.md")) << kAdvice;
}

}  // namespace
}  // namespace weft::cli
