// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "options/values.h"
#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

class Resubmit : public Cli {
 protected:
  // Adds a job as the daemon has it, with all defaults.
  std::string add_submitted(const std::function<void(v1::Job&)>& change = [](v1::Job&) {}) {
    v1::Job job;
    job.set_state(v1::JOB_STATE_SUCCEEDED);
    v1::VideoJob& video = *job.mutable_spec()->mutable_video();
    video.set_input("/films/in.ts");
    video.set_output("/films/out.mkv");
    video.add_filters()->mutable_bwdif();
    video.mutable_encoding()->set_encoder(v1::ENCODER_X265);
    video.mutable_encoding()->set_crf(24);
    v1::JobSettings& settings = *job.mutable_settings();
    settings.set_job_class(v1::JOB_CLASS_SPARE);
    settings.set_priority(7);
    settings.set_owner("ada");
    settings.set_overwrite(true);
    (*settings.mutable_labels())["tape"] = "12";
    change(job);
    options::apply_defaults(*job.mutable_spec());
    options::apply_defaults(settings);
    job.set_request_id("former");
    return server_.add(job);
  }
  std::vector<v1::Job> new_jobs(const std::vector<std::string>& former) {
    std::vector<v1::Job> jobs = server_.jobs();
    std::erase_if(jobs, [&](const v1::Job& job) { return std::ranges::count(former, job.id()) > 0; });
    return jobs;
  }
};

TEST_F(Resubmit, WithoutChangesTheNewJobHasTheSameOptions) {
  for (const v1::JobState state : {v1::JOB_STATE_QUEUED, v1::JOB_STATE_RUNNING, v1::JOB_STATE_PAUSED,
                                   v1::JOB_STATE_SUCCEEDED, v1::JOB_STATE_FAILED, v1::JOB_STATE_CANCELLED}) {
    const std::string id = add_submitted([&](v1::Job& job) { job.set_state(state); });
    const auto result = weft({"resubmit", id});
    ASSERT_EQ(result.code, kExitDone) << result.error;
    const std::string new_id = result.output.substr(0, result.output.size() - 1);
    EXPECT_NE(new_id, id);
    EXPECT_THAT(result.error, HasSubstr("`weft watch " + new_id + "` follows it"));
    v1::Job job = server_.job(new_id);
    options::apply_defaults(*job.mutable_spec());
    EXPECT_EQ(job.spec().DebugString(), server_.job(id).spec().DebugString());
    EXPECT_EQ(job.settings().job_class(), v1::JOB_CLASS_SPARE);
    EXPECT_EQ(job.settings().priority(), 7);
    EXPECT_EQ(job.settings().labels().at("tape"), "12");
    EXPECT_EQ(job.settings().owner(), "") << "the caller owns the new job";
    EXPECT_FALSE(job.settings().overwrite()) << "a permission is given each time";
    EXPECT_NE(job.request_id(), "former");
  }
}

TEST_F(Resubmit, OptionsAreChanged) {
  const std::string id = add_submitted();
  const auto result =
      weft({"resubmit", id, "--set", "filters=yadif=rate=frame,resize=1280x720", "--set",
            "output={dir}/new/{stem}.{filter}.mkv", "--set", "crf=20", "--set", "encoder_option=g=48",
            "--set", "label=take=2", "--set", "priority=-3", "--unset", "encoder", "-y"});
  ASSERT_EQ(result.code, kExitDone) << result.error;
  const v1::Job job = new_jobs({id}).at(0);
  const v1::VideoJob& video = job.spec().video();
  ASSERT_EQ(video.filters_size(), 2);
  EXPECT_EQ(video.filters(0).yadif().rate(), v1::OUTPUT_RATE_FRAME);
  EXPECT_EQ(video.filters(1).resize().size(), "1280x720");
  EXPECT_EQ(video.input(), "/films/in.ts");
  EXPECT_EQ(video.output(), "/films/new/in.yadif+resize.mkv");
  EXPECT_EQ(video.encoding().crf(), 20);
  EXPECT_EQ(video.encoding().encoder(), v1::ENCODER_AUTO);
  EXPECT_EQ(video.encoding().encoder_options().at("g"), "48");
  EXPECT_EQ(job.settings().labels().at("take"), "2");
  EXPECT_EQ(job.settings().labels().at("tape"), "12");
  EXPECT_EQ(job.settings().priority(), -3);
  EXPECT_TRUE(job.settings().overwrite());
  EXPECT_EQ(server_.job(id).spec().video().output(), "/films/out.mkv") << "the former job stays as it is";
}

TEST_F(Resubmit, PathsAreThoseOfTheCaller) {
  const std::string id = add_submitted();
  ASSERT_EQ(weft({"resubmit", id, "--set", "input=a.ts", "--set", "output=new/"}).code, kExitDone);
  const v1::VideoJob video = new_jobs({id}).at(0).spec().video();
  EXPECT_EQ(video.input(), server_.folder() + "/a.ts");
  EXPECT_EQ(video.output(), server_.folder() + "/new/a.ts");
}

TEST_F(Resubmit, ABraceInAFormerNameIsNoField) {
  const std::string id = add_submitted(
      [](v1::Job& job) { job.mutable_spec()->mutable_video()->set_output("/films/{stem}.mkv"); });
  ASSERT_EQ(weft({"resubmit", id}).code, kExitDone);
  EXPECT_EQ(new_jobs({id}).at(0).spec().video().output(), "/films/{stem}.mkv");
}

TEST_F(Resubmit, AFolderOfTexturesStaysOne) {
  const std::string id = add_submitted([](v1::Job& job) {
    v1::TextureJob& texture = *job.mutable_spec()->mutable_texture();
    texture.set_input("/textures/*");
    texture.set_output("/2x/*_2x");
    texture.add_files("a.dds");
    texture.add_files("b.dds");
  });
  ASSERT_EQ(weft({"resubmit", id, "--set", "quality=best", "--set", "file=c.dds"}).code, kExitDone);
  const v1::TextureJob texture = new_jobs({id}).at(0).spec().texture();
  EXPECT_EQ(texture.input(), "/textures/*");
  EXPECT_EQ(texture.output(), "/2x/*_2x");
  ASSERT_EQ(texture.files_size(), 1) << "a list is replaced";
  EXPECT_EQ(texture.files(0), "c.dds");
}

TEST_F(Resubmit, AnEscapedStarStaysOne) {
  const std::string id = add_submitted([](v1::Job& job) {
    job.mutable_spec()->mutable_texture()->set_input("/textures/a\\*.dds");
    job.mutable_spec()->mutable_texture()->set_output("/2x/a\\*.dds");
  });
  ASSERT_EQ(weft({"resubmit", id}).code, kExitDone);
  const v1::TextureJob texture = new_jobs({id}).at(0).spec().texture();
  EXPECT_EQ(texture.input(), "/textures/a\\*.dds");
  EXPECT_EQ(texture.output(), "/2x/a\\*.dds");
}

TEST_F(Resubmit, SeveralJobsNeedOutputsOfTheirOwn) {
  const std::string first = add_submitted();
  const std::string second =
      add_submitted([](v1::Job& job) { job.mutable_spec()->mutable_video()->set_input("/films/b.ts"); });
  const auto refused = weft({"resubmit", first, second, "--set", "output=same.mkv"});
  EXPECT_EQ(refused.code, kExitUsage);
  EXPECT_THAT(refused.error, HasSubstr("Two of the jobs have the same output"));
  EXPECT_EQ(server_.submits(), 0);
  const auto result = weft({"resubmit", first, second, "--set", "output=/out/{index}.{stem}.mkv",
                            "--request-id", "again", "--json"});
  ASSERT_EQ(result.code, kExitDone) << result.error;
  const auto jobs = new_jobs({first, second});
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].spec().video().output(), "/out/1.in.mkv");
  EXPECT_EQ(jobs[1].spec().video().output(), "/out/2.b.mkv");
  EXPECT_EQ(jobs[0].request_id(), "again-1");
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2) << "an object a line";
}

TEST_F(Resubmit, AnUnknownIdDoesNotStopTheOthers) {
  const std::string id = add_submitted();
  const auto result = weft({"resubmit", "nothing", id, "--set", "output=/films/new.mkv"});
  EXPECT_EQ(result.code, kExitRejected);
  EXPECT_THAT(result.error, HasSubstr("There is no job (nothing)."));
  EXPECT_EQ(new_jobs({id}).size(), 1u);
}

TEST_F(Resubmit, WrongChangesAreExplainedAndNothingIsSubmitted) {
  const std::string id = add_submitted();
  const std::pair<const char*, const char*> kWrong[] = {
      {"crff=20",
       "A job 'video' has no option 'crff'; did you mean 'crf'? `weft submit video --help-all` lists"},
      {"resize=1280x720",
       "'resize' is a filter, not an option; set the whole chain: --set filters=CHAIN. The "
       "chain of the job is bwdif."},
      {"crf", "--set (crf) has no value; write crf=VALUE, or --unset crf for the default."},
      {"crf=", "--set (crf=) has an empty value; write crf=VALUE"},
      {"=20", "--set (=20) has no option before the sign ="},
      {"crf=high", "The option 'crf' (high) is not a number"},
      {"filters=resise", "There is no filter 'resise'; did you mean 'resize'?"},
      {"output={stam}.mkv", "{stam}"},
      {"label=x", "label"},
  };
  for (const auto& [text, error] : kWrong) {
    const auto result = weft({"resubmit", id, "--set", text});
    EXPECT_EQ(result.code, kExitUsage) << text;
    EXPECT_THAT(result.error, HasSubstr(error)) << text;
  }
  EXPECT_THAT(weft({"resubmit", id, "--unset", "output"}).error, HasSubstr("give --set output=VALUE"));
  EXPECT_THAT(weft({"resubmit", id, "--timeout", "5"}).error, HasSubstr("is for waiting"));
  EXPECT_EQ(weft({"resubmit"}).code, kExitUsage);
  EXPECT_EQ(server_.submits(), 0);
}

TEST_F(Resubmit, ItWaitsChecksAndCreatesFoldersAsSubmitDoes) {
  const std::string id = add_submitted();
  const std::string folder = server_.folder() + "/new";
  const auto checked = weft({"resubmit", id, "--set", "output=new/a.mkv", "--mkdir", "--dry-run"});
  EXPECT_EQ(checked.code, kExitDone) << checked.error;
  EXPECT_THAT(checked.output, HasSubstr("new/a.mkv"));
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(new_jobs({id}).size(), 0u);
  server_.script({begin(), fail()});
  EXPECT_EQ(weft({"resubmit", id, "--set", "output=new/a.mkv", "--mkdir", "--wait"}).code, kExitJobFailed);
  EXPECT_TRUE(std::filesystem::is_directory(folder));
}

}  // namespace
}  // namespace weft::cli
