// SPDX-License-Identifier: Apache-2.0
// Tests weft profile: jobs are saved as profiles, and profiles are submitted as jobs.
#include <google/protobuf/util/message_differencer.h>

#include "client/json.h"
#include "client/profiles.h"
#include "options/job_kinds.h"
#include "options/values.h"
#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

using google::protobuf::util::MessageDifferencer;

class ProfileCommand : public Cli {
 protected:
  test::Finished with_home(std::vector<std::string> words) {
    auto call = options(std::move(words));
    call.environment["XDG_CONFIG_HOME"] = server_.folder();
    return test::run(call);
  }

  // Adds a profile as the daemon stores it, with every default.
  std::string add_archive() {
    v1::Job job;
    job.set_state(v1::JOB_STATE_SUCCEEDED);
    v1::VideoJob& video = *job.mutable_spec()->mutable_video();
    video.set_input("/films/in.ts");
    video.set_output("/films/out.mkv");
    video.add_filters()->mutable_bwdif()->set_rate(v1::OUTPUT_RATE_FRAME);
    video.mutable_encoding()->set_encoder(v1::ENCODER_X265);
    job.mutable_settings()->set_job_class(v1::JOB_CLASS_SPARE);
    options::apply_defaults(*job.mutable_spec());
    options::apply_defaults(job.spec(), *job.mutable_settings());
    job.mutable_settings()->set_owner("anna");
    return server_.add(job);
  }

  // Expects that the newest job has the options of the archive and its own files.
  void expect_archive(const std::string& input, const std::string& output) {
    const v1::Job job = server_.jobs().back();
    EXPECT_EQ(job.spec().video().input(), server_.folder() + "/" + input);
    EXPECT_EQ(job.spec().video().output(), server_.folder() + "/" + output);
    EXPECT_EQ(job.spec().video().filters(0).bwdif().rate(), v1::OUTPUT_RATE_FRAME);
    EXPECT_EQ(job.spec().video().encoding().encoder(), v1::ENCODER_X265);
    EXPECT_EQ(job.settings().job_class(), v1::JOB_CLASS_SPARE);
    EXPECT_NE(job.settings().owner(), "anna");
  }
};

TEST_F(ProfileCommand, SavesListsShowsAndDeletes) {
  const std::string id = add_archive();
  EXPECT_THAT(with_home({"profile", "list"}).output, HasSubstr("\nvhs "));
  auto result = with_home({"profile", "save", "archive", "--from-job", id, "--description", "For tapes."});
  EXPECT_EQ(result.code, kExitDone) << result.error;
  EXPECT_THAT(result.error, HasSubstr("`weft submit video ... --profile 'archive'`"));
  EXPECT_THAT(
      with_home({"profile", "list"}).output,
      MatchesRegex("NAME +KIND +DESCRIPTION\narchive +video +For tapes\\.\nanime-tv +video +Animation .*\n"));
  EXPECT_EQ(with_home({"profile", "show", "archive"}).output,
            "Profile               archive\n"
            "Description           For tapes.\n"
            "video\n"
            "  filters             bwdif=frame\n"
            "  encoder             x265\n"
            "queue\n"
            "  class               spare\n");
  EXPECT_EQ(with_home({"__complete", "--", "profile", "show", "ar"}).output, "archive\t\n:files\n");
  EXPECT_THAT(with_home({"__complete", "--", "submit", "video", "--profile", ""}).output,
              StartsWith("archive\t\n"));
  result = with_home({"submit", "video", "new.ts", "-o", "new.mkv", "--profile", "archive"});
  EXPECT_EQ(result.code, kExitDone) << result.error;
  expect_archive("new.ts", "new.mkv");
  EXPECT_EQ(with_home({"profile", "delete", "archive"}).code, kExitDone);
  EXPECT_THAT(with_home({"profile", "show", "archive"}).error, HasSubstr("no profile 'archive'"));
}

TEST_F(ProfileCommand, ReplacesWhereThatIsAskedFor) {
  const std::string id = add_archive();
  const std::vector<std::string> words = {"profile", "save", "archive", "--from-job", id};
  EXPECT_EQ(with_home(words).code, kExitDone);
  const auto again = with_home(words);
  EXPECT_EQ(again.code, kExitRejected);
  EXPECT_THAT(again.error, HasSubstr("replace it (-y)"));
  EXPECT_EQ(with_home({"profile", "save", "archive", "--from-job", id, "-y"}).code, kExitDone);
}

TEST_F(ProfileCommand, SaysWhatIsMissing) {
  EXPECT_THAT(with_home({"profile", "save", "x"}).error, HasSubstr("--from-job is required"));
  EXPECT_EQ(with_home({"profile", "save", "x", "--from-job", "nothing"}).code, kExitRejected);
  EXPECT_EQ(with_home({"profile", "save", ".x", "--from-job", add_archive()}).code, kExitRejected);
  EXPECT_EQ(with_home({"profile", "delete", "x"}).code, kExitRejected);
  EXPECT_EQ(with_home({"profile", "show", "x"}).code, kExitRejected);
}

TEST_F(ProfileCommand, WhatShowPrintsIsOne) {
  const std::string id = add_archive();
  const std::string json = weft({"show", "--json", id}).output;
  write_file("job.json", json);
  const auto result = weft({"submit", "video", "b.ts", "-o", "b.mkv", "--profile", "./job.json"});
  EXPECT_EQ(result.code, kExitDone) << result.error;
  expect_archive("b.ts", "b.mkv");
  EXPECT_THAT(weft({"submit", "video", "b.ts", "--profile", "./job.json"}).error,
              HasSubstr("--output is required"))
      << "the output of the job is not one of others";
}

TEST_F(ProfileCommand, WhatItPrintsAsJsonIsOne) {
  const std::string id = add_archive();
  const auto saved = with_home({"profile", "save", "archive", "--from-job", id, "--json"});
  const auto listed = with_home({"profile", "list", "--json"});
  const auto shown = with_home({"profile", "show", "archive", "--json"});
  EXPECT_THAT(shown.output, StartsWith("{\"schema\": 1, \"name\": \"archive\", \"description\": \"\", "));
  EXPECT_THAT(listed.output, StartsWith(shown.output)) << "and those that come with the program";
  EXPECT_EQ(saved.output, shown.output);
  write_file("again.json", shown.output);
  const auto result = weft({"submit", "video", "c.ts", "-o", "c.mkv", "--profile", "./again.json"});
  EXPECT_EQ(result.code, kExitDone) << result.error;
  expect_archive("c.ts", "c.mkv");
}

}  // namespace
}  // namespace weft::cli
