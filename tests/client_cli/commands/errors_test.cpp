// SPDX-License-Identifier: Apache-2.0
#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

using Errors = Cli;

TEST_F(Errors, WithoutADaemonEveryCommandSaysWhereItLooked) {
  server_.stop();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"list"},
                                             {"show", "x"},
                                             {"watch"},
                                             {"cancel", "x"},
                                             {"drain"},
                                             {"logs", "x"},
                                             {"devices"},
                                             {"server"},
                                             {"explain", "x"},
                                             {"submit", "bwdif", "a", "-o", "b"}}) {
    const auto result = weft(words);
    EXPECT_EQ(result.code, kExitUnreachable) << words[0];
    EXPECT_THAT(result.error, HasSubstr("No daemon answers at " + server_.address())) << words[0];
    EXPECT_EQ(result.output, "");
  }
}

TEST_F(Errors, JsonErrorsAreObjects) {
  const auto result = weft({"show", "nothing", "--json"});
  EXPECT_EQ(result.code, kExitRejected);
  EXPECT_EQ(result.error,
            "{\"error\": {\"code\": \"not-found\", \"message\": \"There is no job (nothing).\", "
            "\"violations\": []}}\n");
}

TEST_F(Errors, JsonErrorsOfTheCommandLineAreObjects) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--json", "foo"},
                                             {"--json", "submit", "bwdif", "c.ts", "--fitler"},
                                             {"list", "--stat", "--json"},
                                             {"list", "--color", "sometimes", "--json"}}) {
    const auto result = weft(words);
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error,
                AllOf(StartsWith("{\"error\": {\"code\": \"invalid-argument\""), EndsWith("}\n")));
  }
  EXPECT_THAT(weft({"server", "extra", "--", "--json"}).error, StartsWith("weft:"));
}

TEST_F(Errors, TheVersionNeedsNoDaemonAndNoCommand) {
  server_.stop();
  EXPECT_EQ(weft({"--version"}).output, "weft " WEFT_VERSION "\n");
  EXPECT_EQ(weft({"--json", "--version"}).output, "{\"weft\": \"" WEFT_VERSION "\"}\n");
  EXPECT_EQ(weft({"--version"}).code, kExitDone);
  EXPECT_EQ(weft({"list", "--version"}).code, kExitUsage);
}

TEST_F(Errors, UnknownCommandsAndOptionsAreUsage) {
  auto result = weft({"lsit"});
  EXPECT_EQ(result.code, kExitUsage);
  EXPECT_THAT(result.error, HasSubstr("weft has no command 'lsit'; did you mean 'list'?"));
  result = weft({"list", "--stat", "queued"});
  EXPECT_EQ(result.code, kExitUsage);
  EXPECT_THAT(result.error, HasSubstr("did you mean '--state'?"));
  result = weft({"show"});
  EXPECT_EQ(result.code, kExitUsage);
  EXPECT_THAT(result.error, HasSubstr("ID is required"));
  result = weft({"server", "extra"});
  EXPECT_EQ(result.code, kExitUsage);
  EXPECT_THAT(result.error, HasSubstr("weft server has no place for the word 'extra'"));
  result = weft({"list", "--color", "sometimes"});
  EXPECT_EQ(result.code, kExitUsage);
  EXPECT_THAT(result.error, HasSubstr("Use auto, always or never."));
}

TEST_F(Errors, CommandsOfOtherProgramsAreTakenForOurs) {
  for (const auto& [word, meant] :
       std::map<std::string, std::string>{{"ls", "`weft list`"},
                                          {"status", "`weft list`"},
                                          {"rm", "`weft cancel`"},
                                          {"stop", "`weft cancel`"},
                                          {"undrain", "`weft resume`"},
                                          {"wait", "`weft watch`"},
                                          {"filters", "`weft help filters`"},
                                          {"deinterlace", "`weft help filters`"},
                                          {"bwdif", "`weft submit bwdif` or `weft run bwdif`"}}) {
    const auto result = weft({word, "x"});
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error,
                HasSubstr(fmt::format("weft has no command '{}'; did you mean {}", word, meant)));
  }
  EXPECT_THAT(weft({"help", "encoders"}).error, HasSubstr("`weft help submit video`"));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"help", "qtgmc"}, {"help", "submit", "qtgmc"}})
    EXPECT_THAT(weft(words).output,
                AllOf(HasSubstr("preset"), HasSubstr("weft submit qtgmc=KEY=VALUE:KEY=VALUE IN... -o OUT")));
}

TEST_F(Errors, ACommandInsideIsNoWordOfTheOuterOne) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"pipe", "upsample", "--kind", "normal", "-i", "missing.dds"}, "cannot be opened (missing.dds)"},
      {{"pipe", "bwdif", "in.y4m"}, "weft pipe has no place for the word 'in.y4m'"},
      {{"pipe", "-i", "in.y4m"}, "weft pipe: FILTERS is required. `weft pipe --help`"},
  };
  for (const auto& [words, text] : cases) {
    const auto result = weft(words);
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error, HasSubstr(text));
  }
}

TEST_F(Errors, FormerFlagsOfFiltersAreShownTheWay) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"pipe", "--filters", "bwdif"},
       "weft pipe has no option '--filters': the filters are its first word."},
      {{"pipe", "--filter", "yadif", "--rate", "frame"}, "'--filter': the filters are its first word."},
      {{"pipe", "yadif", "--rate", "frame"}, "Write it behind the filter's name (yadif=rate=VALUE)"},
      {{"submit", "bwdif", "in.ts", "--filters", "bob"}, "'--filters': the filters are its first word."},
      {{"submit", "video", "in.ts", "--rate", "frame"}, "it belongs to the filter"},
      {{"pipe", "bwdfi"}, "There is no filter 'bwdfi'; did you mean 'bwdif'?"},
      {{"pipe"}, "FILTERS is required"},
  };
  for (const auto& [words, text] : cases) {
    const auto result = weft(words);
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error, HasSubstr(text));
  }
}

TEST_F(Errors, NamesThatBeginWithADashAreShownTheWay) {
  write_file("-dash.ts", "");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"submit", "bwdif", "-o", "x.mkv", "-dash.ts"},
                                             {"submit", "bwdif", "a.ts", "-dash.ts", "-o", "x.mkv"}}) {
    const auto result = weft(words);
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error, HasSubstr("write -- in front of the files, or ./-dash.ts"));
  }
}

TEST_F(Errors, WrongAddressesAreUsage) {
  for (const char* address : {"/run/weft.sock", "host", "host:99999", "unix:"}) {
    const auto result = weft({"--server", address, "list"});
    EXPECT_EQ(result.code, kExitUsage) << address;
  }
}

TEST_F(Errors, AGroupWithoutACommandShowsItsHelpOnStandardError) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{}, {"submit"}, {"run"}}) {
    const auto result = weft(words);
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.error, HasSubstr("Commands:"));
  }
}

TEST_F(Errors, HelpIsDataAndNeedsNoDaemon) {
  server_.stop();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--help"}, {"submit", "bwdif", "--help"}, {"help", "submit", "FILTERS"}, {"list", "-h"}}) {
    const auto result = weft(words);
    EXPECT_EQ(result.code, kExitDone) << result.error;
    EXPECT_THAT(result.output, HasSubstr("Usage:"));
  }
  EXPECT_THAT(weft({"submit", "bwdif", "--help"}).output, Not(HasSubstr("--segment-frames")));
  EXPECT_THAT(weft({"submit", "bwdif", "--help-all"}).output, HasSubstr("--segment-frames"));
  EXPECT_THAT(weft({"submit", "upsample", "--help"}).output, HasSubstr("Default: spare."));
  EXPECT_EQ(weft({"help", "sbmit"}).code, kExitUsage);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"submit", "--help"}, {"submit", "bwdif", "--help"}})
    EXPECT_THAT(weft(words).output, HasSubstr("  weft submit FILTERS IN... -o OUT [OPTIONS]\n"));
}

TEST_F(Errors, AFullDiskIsNotTakenForSuccess) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  add_job(v1::JOB_STATE_QUEUED);
  auto full = options({});
  full.words = {"/bin/sh", "-c", std::string(WEFT_PROGRAM) + " list > /dev/full"};
  const auto result = test::run(full);
  EXPECT_EQ(result.code, kExitJobFailed);
  EXPECT_THAT(result.error, HasSubstr("Standard output cannot be written"));
}

}  // namespace
}  // namespace weft::cli
