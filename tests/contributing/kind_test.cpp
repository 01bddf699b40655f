// SPDX-License-Identifier: Apache-2.0
// Tests a kind of job without files, made of three files of CONTRIBUTING.md, in the real programs:
// command line, daemon, worker, dashboard.
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <filesystem>

#include <gmock/gmock.h>

#include "client_gui/connection/rows.h"
#include "client_gui/forms/job_form.h"
#include "client_gui/models/fleet.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"
#include "client_gui/views/submit_view.h"
#include "tests/client_gui/events.h"
#include "tests/scenarios/scenario.h"
#include "weft/v1/picture_service.grpc.pb.h"

namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class KindTest : public ScenarioTest {
 protected:
  KindTest() { EXPECT_TRUE(daemon_.start()); }

  // Returns the output of the command line. Another exit code fails the test.
  std::string weft(std::vector<std::string> words, int exit_code = 0) {
    words.insert(words.begin(), {WEFT_WITH_COUNT "/weft", "--server", daemon_.address()});
    std::string output;
    EXPECT_EQ(run(words, &output), exit_code) << output;
    return output;
  }
  // Submits a job that runs until it is stopped.
  std::string submit_long() {
    v1::SubmitJobRequest request;
    request.mutable_spec()->mutable_count()->set_steps(100'000);
    request.mutable_spec()->mutable_count()->set_step_time(20);
    return daemon_.submit(request);
  }
  v1::Job wait_for_steps(const std::string& id, int64_t steps) {
    return daemon_.wait_for(id, [steps](const v1::Job& job) {
      return job.state() == v1::JOB_STATE_RUNNING && job.progress().units_done() >= steps;
    });
  }
  std::string work_folder(const std::string& id) const {
    return daemon_.state_folder() + "/work/.weft-" + id;
  }

  Daemon daemon_{path("daemon"), {"--device", "cpu"}, WEFT_WITH_COUNT "/weftd"};
};

TEST_F(KindTest, TheCommandLineSubmitsListsAndShowsIt) {
  EXPECT_THAT(weft({"submit", "--help"}), HasSubstr("Counts up to a number."));
  EXPECT_THAT(weft({"submit", "count", "--help"}), AllOf(HasSubstr("--steps"), Not(HasSubstr("--output"))));
  const std::string estimate = weft({"submit", "count", "--steps", "5", "--dry-run"});
  EXPECT_THAT(estimate, AllOf(StartsWith("count\n"), HasSubstr("  steps     5\n"), Not(HasSubstr("space"))));
  EXPECT_THAT(weft({"submit", "count", "--steps", "0"}, 2), HasSubstr("'steps' (0) is below its limit"));

  EXPECT_THAT(weft({"submit", "count", "--steps", "5", "--follow"}), HasSubstr("Done: count, 5 steps in "));
  const v1::Job job = daemon_.list().jobs(0);
  EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(job.result().units_in(), 5);
  EXPECT_FALSE(std::filesystem::exists(work_folder(job.id())));
  EXPECT_THAT(weft({"list"}), AllOf(HasSubstr("succeeded"), HasSubstr("count")));
  EXPECT_THAT(weft({"list", "--kind", "count", "--json"}), HasSubstr(job.id()));
  EXPECT_THAT(weft({"show", job.id()}), AllOf(ContainsRegex("  steps +5\n"), HasSubstr("steps/s"),
                                              Not(HasSubstr("size")), Not(HasSubstr("segments"))));
  EXPECT_THAT(weft({"explain", job.id()}), HasSubstr("succeeded"));
  EXPECT_THAT(weft({"logs", job.id()}), HasSubstr("The job succeeded."));
  EXPECT_THAT(weft({"watch", job.id()}), HasSubstr("Done: count"));
  EXPECT_THAT(weft({"stats"}), HasSubstr("count"));
}

TEST_F(KindTest, ItRunsWithoutADaemonToo) {
  std::string output;
  EXPECT_EQ(
      run({WEFT_WITH_COUNT "/weft", "--server", "unix:" + path("nobody.sock"), "run", "count"}, &output), 0)
      << output;
  EXPECT_THAT(output, HasSubstr("Done: count, 3 steps"));
}

TEST_F(KindTest, ItGoesOnAfterAPauseAndAfterTheDaemonWasKilled) {
  const std::string id = submit_long();
  wait_for_steps(id, 3);
  EXPECT_TRUE(std::filesystem::exists(work_folder(id)));
  weft({"pause", id});
  daemon_.wait_for(id, [](const v1::Job& job) { return job.attempts(0).has_end_time(); });
  const int64_t counted = daemon_.get(id).progress().units_done();
  weft({"resume", id});
  EXPECT_GE(wait_for_steps(id, counted + 3).attempt(), 2);

  daemon_.kill();
  ASSERT_TRUE(daemon_.start());
  EXPECT_GE(wait_for_steps(id, counted + 6).attempt(), 3);
  weft({"cancel", id});
  daemon_.wait_for_end_of(id);
  EXPECT_TRUE(wait_until([&] { return !std::filesystem::exists(work_folder(id)); }));
  weft({"retry", id});
  wait_for_steps(id, 1);
}

TEST_F(KindTest, ItHasNoPictures) {
  const std::string id = submit_long();
  v1::ReadPictureRequest request;
  request.set_job_id(id);
  request.set_side(v1::PICTURE_SIDE_INPUT);
  const auto context = call_context();
  const auto reader = v1::PictureService::NewStub(daemon_.new_channel())->ReadPicture(context.get(), request);
  v1::ReadPictureResponse response;
  EXPECT_FALSE(reader->Read(&response));
  const grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("has no file"));
}

TEST_F(KindTest, TheDashboardAddsAndShowsIt) {
  using gui::wait_until;
  gui::Fleet fleet;
  fleet.add(QString::fromStdString(daemon_.address())).value();
  gui::MainWindow window(fleet);
  window.show();
  window.show_view("submit");
  gui::SubmitView& view = window.submit();
  ASSERT_TRUE(view.choose_kind("count"));
  EXPECT_FALSE(view.table().isVisible());
  EXPECT_FALSE(view.output().isVisible());
  auto* button = view.findChild<QPushButton*>("submit");
  ASSERT_TRUE(wait_until([&] { return fleet.is_settled() && button->isEnabled() && !view.is_busy(); }));
  EXPECT_EQ(view.files().problem(), "");
  button->click();
  ASSERT_TRUE(wait_until([&] { return fleet.jobs().rowCount() == 1; }));
  const auto job = [&] { return fleet.jobs().job_at(0).job; };
  ASSERT_TRUE(wait_until([&] { return job().state == v1::JOB_STATE_SUCCEEDED; }));
  EXPECT_EQ(job().files, "count");
  EXPECT_EQ(job().kind, "count");
  EXPECT_EQ(job().units_in, 3);
  EXPECT_EQ(job().folder, "");
  const gui::JobDetail detail = gui::detail_of(daemon_.list().jobs(0));
  EXPECT_FALSE(detail.reads_files || detail.writes_files);
  EXPECT_EQ(detail.units_in, 3);
  view.choose_kind("video");
  EXPECT_TRUE(view.table().isVisible());
  EXPECT_FALSE(button->isEnabled()) << "there is no file yet";
}

}  // namespace
}  // namespace weft::scenarios
