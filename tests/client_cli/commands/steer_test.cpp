// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

class Steer : public Cli {
 protected:
  std::string add_labelled(const std::string& batch, v1::JobState state, const std::string& input) {
    v1::Job job;
    job.set_state(state);
    job.mutable_spec()->mutable_video()->set_input("/films/" + input);
    (*job.mutable_settings()->mutable_labels())["batch"] = batch;
    job.mutable_settings()->set_owner(batch == "7" ? "ada" : "bob");
    return server_.add(job);
  }

  test::ProcessOptions on_screen(std::vector<std::string> words) {
    test::ProcessOptions result = options(std::move(words));
    result.screen = true;
    return result;
  }
};

TEST_F(Steer, EveryVerbDoesItsWork) {
  const std::string id = add_job(v1::JOB_STATE_QUEUED);
  EXPECT_EQ(weft({"pause", id}).error, id + ": paused\n");
  EXPECT_EQ(server_.job(id).state(), v1::JOB_STATE_PAUSED);
  EXPECT_EQ(weft({"resume", id}).error, id + ": queued\n");
  EXPECT_EQ(weft({"priority", "-7", id}).code, kExitDone);
  EXPECT_EQ(server_.job(id).settings().priority(), -7);
  EXPECT_EQ(weft({"cancel", id}).error, id + ": cancelled\n");
  EXPECT_THAT(weft({"retry", id, "--json"}).output, HasSubstr("\"state\": \"queued\""));
  EXPECT_EQ(weft({"cancel", "-q", id}).error, "");
}

TEST_F(Steer, EndedJobsAreForgotten) {
  const std::string done = add_job(v1::JOB_STATE_SUCCEEDED);
  const std::string failed = add_labelled("7", v1::JOB_STATE_FAILED, "b.ts");
  const std::string queued = add_labelled("7", v1::JOB_STATE_QUEUED, "c.ts");
  EXPECT_EQ(weft({"forget", done}).error, done + ": forgotten\n");
  EXPECT_THAT(weft({"forget", queued}).error, HasSubstr("has not ended"));
  const auto again = weft({"forget", done});
  EXPECT_EQ(again.code, kExitRejected);
  EXPECT_THAT(again.error, HasSubstr("There is no job"));
  const auto chosen = weft({"forget", "--label", "batch=7", "--yes", "--json"});
  EXPECT_EQ(chosen.code, kExitDone) << chosen.error;
  EXPECT_THAT(chosen.output, AllOf(HasSubstr(failed), HasSubstr("\"state\": \"failed\"")));
  EXPECT_EQ(chosen.error, "Left unchanged: 1 queued (" + queued + ").\n");
  ASSERT_EQ(server_.jobs().size(), 1u);
  EXPECT_EQ(server_.jobs()[0].id(), queued);
}

TEST_F(Steer, SeveralJobsGoOnAfterAnError) {
  const std::string first = add_job(v1::JOB_STATE_QUEUED);
  const std::string second = add_job(v1::JOB_STATE_QUEUED);
  const auto result = weft({"cancel", first, "nothing", second});
  EXPECT_EQ(result.code, kExitRejected);
  EXPECT_THAT(result.error, HasSubstr("There is no job (nothing)."));
  EXPECT_EQ(server_.job(second).state(), v1::JOB_STATE_CANCELLED);
}

TEST_F(Steer, FlagsChooseJobs) {
  const std::string first = add_labelled("7", v1::JOB_STATE_QUEUED, "a.ts");
  const std::string other = add_labelled("8", v1::JOB_STATE_QUEUED, "b.ts");
  const std::string second = add_labelled("7", v1::JOB_STATE_PAUSED, "c.ts");
  const std::string done = add_labelled("7", v1::JOB_STATE_SUCCEEDED, "d.ts");
  const auto result = weft({"cancel", "--label", "batch=7", "--yes", "--json"});
  EXPECT_EQ(result.code, kExitDone) << result.error;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr(first), HasSubstr(second), Not(HasSubstr(other)), Not(HasSubstr(done))));
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2) << "an object a line";
  EXPECT_EQ(result.error, "Left unchanged: 1 succeeded (" + done + ").\n");
  EXPECT_EQ(server_.job(other).state(), v1::JOB_STATE_QUEUED);

  EXPECT_EQ(weft({"retry", "--owner", "ada", "-y"}).code, kExitDone);
  EXPECT_EQ(server_.job(first).state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(weft({"pause", "--state", "queued", "--label", "batch", "-y"}).code, kExitDone);
  EXPECT_EQ(server_.job(other).state(), v1::JOB_STATE_PAUSED);
  EXPECT_EQ(weft({"resume", "--all", "-y"}).code, kExitDone);
  EXPECT_EQ(server_.job(other).state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(weft({"priority", "9", "--all", "-y"}).code, kExitDone);
  EXPECT_EQ(server_.job(other).settings().priority(), 9);
  EXPECT_EQ(server_.job(done).settings().priority(), 0);
  EXPECT_EQ(weft({"cancel", "--label", "batch=9", "--yes"}).error, "No job matches.\n");
}

TEST_F(Steer, AChoiceIsConfirmed) {
  add_labelled("7", v1::JOB_STATE_QUEUED, "a.ts");
  for (const char* input : {"b.ts", "c.ts", "d.ts"}) add_labelled("7", v1::JOB_STATE_QUEUED, input);
  const auto script = weft({"cancel", "--all"});
  EXPECT_EQ(script.code, kExitUsage);
  EXPECT_THAT(script.error, HasSubstr("give --yes"));
  for (const bool yes : {false, true}) {
    test::Process process(on_screen({"cancel", "--all"}));
    EXPECT_TRUE(process.wait_for_output("Cancel 4 jobs (d.ts, c.ts and 2 more)? [y/N]")) << process.output();
    process.type(yes ? "y\n" : "\n");
    EXPECT_EQ(process.wait(), kExitDone);
    for (const v1::Job& job : server_.jobs())
      EXPECT_EQ(job.state(), yes ? v1::JOB_STATE_CANCELLED : v1::JOB_STATE_QUEUED);
  }
}

TEST_F(Steer, NothingOrTooMuchIsNamed) {
  EXPECT_THAT(weft({"cancel"}).error, HasSubstr("No job is named"));
  EXPECT_EQ(weft({"cancel"}).code, kExitUsage);
  EXPECT_THAT(weft({"cancel", "01JB", "--all", "-y"}).error, HasSubstr("give one of the two"));
  EXPECT_THAT(weft({"cancel", "--label", "=7", "-y"}).error, HasSubstr("has no name"));
}

TEST_F(Steer, ThousandsOfJobsAreChosenPageByPage) {
  constexpr int kJobs = 1100;  // two pages
  for (int i = 0; i < kJobs; i++) add_job(v1::JOB_STATE_QUEUED);
  const auto result = weft({"pause", "--all", "-y", "--json"});
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), kJobs);
}

TEST_F(Steer, PrioritiesHaveLimits) {
  for (const char* value : {"1001", "-1001", "high", "1.5", ""}) {
    const auto result = weft({"priority", value, "01JB"});
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error, HasSubstr("is not a whole number from -1000 to 1000")) << value;
  }
}

TEST_F(Steer, DevicesAreDrainedAndResumed) {
  v1::DeviceStatus device;
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  for (const char* id : {"cpu", "cuda:0"}) {
    device.set_id(id);
    server_.add_device(device);
  }
  EXPECT_EQ(weft({"drain", "cuda:0"}).error, "cuda:0: drained\n");
  EXPECT_EQ(server_.device("cpu").state(), v1::DEVICE_STATE_IN_SERVICE);
  EXPECT_EQ(weft({"drain"}).error, "cpu: drained\ncuda:0: drained\n");
  EXPECT_EQ(weft({"resume", "cuda:0"}).error, "cuda:0: in-service\n");
  EXPECT_EQ(weft({"resume", "--all-devices"}).error, "cpu: in-service\ncuda:0: in-service\n");
  EXPECT_EQ(weft({"resume"}).code, kExitUsage);
}

TEST_F(Steer, TheQueueIsPausedAndResumed) {
  EXPECT_THAT(weft({"list"}).error, Not(HasSubstr("paused")));
  EXPECT_EQ(weft({"queue", "pause"}).error,
            "The queue is paused. Running jobs continue; no other job starts.\n");
  EXPECT_EQ(weft({"queue", "pause", "--json"}).output, "{\"schema\": 1, \"queue_paused\": true}\n");
  EXPECT_THAT(weft({"list"}).error,
              HasSubstr("The queue is paused: no job starts until `weft queue resume`."));
  EXPECT_THAT(weft({"server"}).output, HasSubstr("The queue is paused"));
  EXPECT_EQ(weft({"queue", "resume"}).error, "The queue is not paused.\n");
  EXPECT_THAT(weft({"list"}).error, Not(HasSubstr("paused")));
}

}  // namespace
}  // namespace weft::cli
