// SPDX-License-Identifier: Apache-2.0
#include "options/synonyms.h"
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
  EXPECT_EQ(
      result.error,
      "{\"schema\": 1, \"error\": {\"code\": \"not-found\", \"message\": \"There is no job (nothing).\", "
      "\"details\": []}}\n");
}

TEST_F(Errors, JsonErrorsOfTheCommandLineAreObjects) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--json", "foo"},
                                             {"--json", "submit", "bwdif", "c.ts", "--fitler"},
                                             {"list", "--stat", "--json"},
                                             {"list", "--color", "sometimes", "--json"}}) {
    const auto result = weft(words);
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error, AllOf(StartsWith("{\"schema\": 1, \"error\": {\"code\": \"invalid-argument\""),
                                    EndsWith("}\n")));
  }
  EXPECT_THAT(weft({"server", "extra", "--", "--json"}).error, StartsWith("weft server has no"));
}

TEST_F(Errors, TheVersionNeedsNoDaemonAndNoCommand) {
  server_.stop();
  EXPECT_EQ(weft({"--version"}).output, "weft " WEFT_VERSION "\n");
  EXPECT_EQ(weft({"--json", "--version"}).output,
            "{\"schema\": 1, \"weft\": \"" WEFT_VERSION "\", \"weftd\": null}\n");
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

TEST_F(Errors, AnUnknownCommandIsNamedBeforeItsOptions) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"deinterlace", "a.ts", "-o", "b.mkv"},
                                             {"--color", "never", "deinterlace", "a.ts", "--crf", "18"},
                                             {"deinterlace", "--preset", "slow"}}) {
    const auto result = weft(words);
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error,
                HasSubstr("weft has no command 'deinterlace'; did you mean `weft submit bwdif`?"));
    EXPECT_THAT(result.error, Not(HasSubstr("has no option")));
  }
}

TEST_F(Errors, AnUnknownLetterIsNotTakenForAnother) {
  const auto result = weft({"list", "-z"});
  EXPECT_EQ(result.code, kExitUsage);
  EXPECT_THAT(result.error,
              AllOf(HasSubstr("weft list has no option '-z'."), Not(HasSubstr("did you mean"))));
}

TEST_F(Errors, CommandsOfOtherProgramsAreTakenForOurs) {
  for (const auto& [word, meant] :
       std::map<std::string, std::string>{{"ls", "`weft list`"},
                                          {"status", "`weft top --once`"},
                                          {"rm", "`weft cancel`"},
                                          {"stop", "`weft cancel`"},
                                          {"undrain", "`weft resume`"},
                                          {"wait", "`weft watch`"},
                                          {"filters", "`weft help filters`"},
                                          {"deinterlace", "`weft submit bwdif`"},
                                          {"kill", "`weft cancel`"},
                                          {"ps", "`weft list`"},
                                          {"jobs", "`weft list`"},
                                          {"info", "`weft server`"},
                                          {"hold", "`weft pause`"},
                                          {"doctor", "`weft devices`"},
                                          {"encoders", "`weft help encoders`"},
                                          {"sbatch", "`weft submit`"},
                                          {"squeue", "`weft list`"},
                                          {"scancel", "`weft cancel`"},
                                          {"bwdif", "`weft submit bwdif` or `weft run bwdif`"}}) {
    const auto result = weft({word, "x"});
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error,
                HasSubstr(fmt::format("weft has no command '{}'; did you mean {}", word, meant)));
  }
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"help", "qtgmc"}, {"help", "submit", "qtgmc"}})
    EXPECT_THAT(weft(words).output,
                AllOf(HasSubstr("preset"), HasSubstr("weft submit qtgmc=KEY=VALUE:KEY=VALUE IN... -o OUT")));
}

TEST_F(Errors, HelpHasTopics) {
  EXPECT_THAT(weft({"help", "encoders"}).output,
              AllOf(HasSubstr("x264"), HasSubstr("crf 23, preset medium"), HasSubstr("--encoder-preset")));
  EXPECT_THAT(weft({"help", "x264"}).output,
              AllOf(HasSubstr("weft submit FILTERS IN... -o OUT --encoder x264"), HasSubstr("--crf")));
  EXPECT_THAT(weft({"help", "encoders", "X265"}).output, HasSubstr("--encoder x265"));
  EXPECT_THAT(weft({"help", "QTGMC"}).output, HasSubstr("weft submit qtgmc"));
  EXPECT_THAT(weft({"help", "filters", "Bwdif"}).output, HasSubstr("weft submit bwdif"));
  EXPECT_THAT(weft({"help", "bw"}).error, HasSubstr("There is no help on 'bw'; did you mean 'bwdif'?"));
  EXPECT_THAT(weft({"help", "encoders", "x26"}).error,
              HasSubstr("There is no encoder 'x26'; did you mean 'x264'?"));
  EXPECT_THAT(weft({"help", "stop"}).error, HasSubstr("did you mean `weft cancel`?"));
}

TEST_F(Errors, NamesOfOtherProgramsAreReplaced) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"submit", "bwdif", "in.ts", "-c:v", "libx265"},
       "has no option '-c:v'; did you mean `--encoder x265`?"},
      {{"submit", "bwdif", "in.ts", "-crf", "20"}, "'-crf'; did you mean `--crf 20`?"},
      {{"submit", "bwdif", "-i", "in.ts"}, "'-i'; did you mean `in.ts`? The input is a word without a flag."},
      {{"submit", "bwdif", "in.ts", "-ss", "1:30"}, "'-ss'; did you mean `--from 1:30`?"},
      {{"submit", "bwdif", "in.ts", "-to", "10"}, "'-to'; did you mean `--to 10`?"},
      {{"submit", "bwdif", "in.ts", "-t", "10"},
       "'-t'; did you mean `--to END`? It takes the end of the part"},
      {{"submit", "bwdif", "in.ts", "-an"}, "'-an'; did you mean `--audio none`?"},
      {{"submit", "bwdif", "in.ts", "-map", "0"}, "'-map'; did you mean `--programme N`?"},
      {{"submit", "bwdif", "in.ts", "-c", "hevc"}, "'-c'; did you mean `--encoder hevc-nvenc`?"},
      {{"submit", "bwdif", "in.ts", "--avhw"}, "'--avhw'; did you mean `--decoder auto`?"},
      {{"submit", "bwdif", "in.ts", "-b:v", "5M"}, "'-b:v'; did you mean `--bitrate 5M`?"},
      {{"submit", "video", "in.ts", "-vf", "yadif"}, "'-vf'; did you mean `--filters yadif`?"},
      {{"submit", "video", "in.ts", "--vpp-rtgmc"}, "'--vpp-rtgmc'; did you mean `--filters qtgmc`?"},
      {{"submit", "bob", "in.ts", "--vpp-deband"}, "it is a filter here: write deband as the first word."},
      {{"submit", "upsample", "in.dds", "-f", "BC7_UNORM"}, "'-f'; did you mean `--format bc7`?"},
      {{"submit", "upsample", "in.dds", "-srgb"}, "'-srgb'; did you mean `--transfer srgb`?"},
      {{"submit", "upsample", "in.dds", "-m", "1"}, "'-m'; did you mean `--no-mips`?"},
      {{"submit", "scale=1280:720", "in.ts"}, "There is no filter 'scale'; did you mean 'resize=1280x720'?"},
      {{"submit", "yadif=mode=send_frame", "in.ts"}, "Did you mean 'yadif=rate=frame'?"},
      {{"submit", "bwdif", "in.ts", "-o", "o.mkv", "--encoder", "libx265"}, "did you mean 'x265'?"},
      {{"submit", "bwdif", "in.ts", "-o", "o.mkv", "--encoder", "prores_ks"},
       "did you mean 'ffv1'? There is no ProRes"},
      {{"pipe", "hflip"}, "did you mean 'transpose=hflip'?"},
  };
  for (const auto& [words, text] : cases) {
    const auto result = weft(words);
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error, HasSubstr(text));
  }
  const auto several = weft({"submit", "bwdif", "-i", "in.ts", "-crf", "20", "-an", "out.mkv"});
  EXPECT_THAT(several.error,
              AllOf(HasSubstr("`in.ts`"), HasSubstr("`--crf 20`"), HasSubstr("`--audio none`")));
}

// Every replacement of a flag is an option of some command.
TEST_F(Errors, ReplacementsExist) {
  std::string help;
  for (const char* kind : {"video", "upsample", "FILTERS"}) help += weft({"help", "submit", kind}).output;
  help += weft({"help", "list"}).output;
  for (size_t at = help.find("[no-]"); at != std::string::npos; at = help.find("[no-]")) help.erase(at, 5);
  for (const options::Synonym& synonym : options::synonyms()) {
    const std::string text = options::plain_replacement(synonym);
    if (synonym.kind == options::Synonym::Kind::kFlag && text.starts_with("--")) {
      EXPECT_THAT(help, HasSubstr(text.substr(0, text.find(' ')))) << synonym.name;
    }
    if (synonym.kind != options::Synonym::Kind::kCommand) continue;
    std::vector<std::string> words{"help"};
    for (size_t at = 0; at < text.size() && text[at] != '-';
         at = std::min(text.find(' ', at), text.size() - 1) + 1)
      words.push_back(text.substr(at, text.find(' ', at) - at));
    if (words[1] != "help") {
      EXPECT_EQ(weft(words).code, kExitDone) << text;
    }
  }
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
      {{"pipe", "yadif", "--rate", "frame"}, "Write it after the filter's name (yadif=rate=field|frame)"},
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
