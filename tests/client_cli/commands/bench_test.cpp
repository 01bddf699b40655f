// SPDX-License-Identifier: Apache-2.0
// Tests weft bench: results are read from jobs and written to files.
#include <filesystem>
#include <sstream>

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "client/benchmark_results.h"
#include "client/json.h"
#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

class Bench : public Cli {
 protected:
  static v1::BenchmarkResult result(double seconds) {
    v1::BenchmarkResult made;
    made.mutable_conditions()->set_device("cpu");
    made.mutable_conditions()->set_device_name("A processor");
    made.mutable_conditions()->mutable_time()->set_seconds(1'800'000'000);
    v1::Measurement& each = *made.add_measurements();
    each.set_benchmark(v1::BENCHMARK_NAME_VECTOR);
    each.set_variant("add");
    each.set_size("1024");
    each.set_units(1024);
    each.set_unit("element");
    each.set_median_seconds(seconds);
    each.set_bytes(12288);
    each.set_limit("memory");
    each.set_limit_seconds(seconds / 4);
    v1::Measurement& wrong = *made.add_measurements();
    wrong.set_benchmark(v1::BENCHMARK_NAME_GEMM);
    wrong.set_variant("tensor cores");
    wrong.set_fault("There are none.");
    return made;
  }
  std::string add_measured(double seconds) {
    v1::Job job;
    job.set_state(v1::JOB_STATE_SUCCEEDED);
    job.mutable_spec()->mutable_benchmark();
    *job.mutable_result()->mutable_benchmark() = result(seconds);
    return server_.add(job);
  }
};

TEST_F(Bench, ListsWhatCanBeMeasured) {
  const auto listed = weft({"bench", "list"});
  EXPECT_EQ(listed.code, kExitDone);
  EXPECT_THAT(listed.output, AllOf(HasSubstr("compaction"), HasSubstr("Matrix-vector product.")));
}

TEST_F(Bench, RunsAJobAndPrintsItsResult) {
  server_.script({begin(), [](v1::Job& job) {
                    job.set_state(v1::JOB_STATE_SUCCEEDED);
                    *job.mutable_result()->mutable_benchmark() = result(1e-3);
                  }});
  const auto run = weft(
      {"bench", "run", "vector", "--device", "cpu", "--size", "2^10", "--variant", "add", "--runs", "5"});
  EXPECT_EQ(run.code, kExitDone) << run.error;
  const v1::Job job = server_.jobs().at(0);
  EXPECT_EQ(job.settings().device(), "cpu");
  EXPECT_THAT(job.spec().benchmark().names(), testing::ElementsAre(v1::BENCHMARK_NAME_VECTOR));
  EXPECT_THAT(job.spec().benchmark().sizes(), testing::ElementsAre("2^10"));
  EXPECT_THAT(job.spec().benchmark().variants(), testing::ElementsAre("add"));
  EXPECT_EQ(job.spec().benchmark().runs(), 5);
  EXPECT_THAT(run.output, AllOf(HasSubstr("A processor (cpu)"), HasSubstr("1.000 ms"), HasSubstr("25%"),
                                HasSubstr("gemm tensor cores: There are none.")));
}

TEST_F(Bench, PrintsJsonAloneWhereItIsAskedFor) {
  server_.script({begin(), [](v1::Job& job) {
                    job.set_state(v1::JOB_STATE_SUCCEEDED);
                    *job.mutable_result()->mutable_benchmark() = result(1e-3);
                  }});
  const auto run = weft({"bench", "run", "vector", "--json"});
  EXPECT_EQ(run.code, kExitDone) << run.error;
  const auto read = client::parse_result(run.output);
  ASSERT_THAT(read, IsOk()) << run.output;
  EXPECT_EQ(read->SerializeAsString(), result(1e-3).SerializeAsString());
}

TEST_F(Bench, RunPrintsTheResultToo) {
  const std::vector<test::Step> steps = {begin(), [](v1::Job& job) {
                                           job.set_state(v1::JOB_STATE_SUCCEEDED);
                                           *job.mutable_result()->mutable_benchmark() = result(1e-3);
                                         }};
  server_.script(steps);
  auto run = weft({"run", "bench", "--name", "vector"});
  EXPECT_EQ(run.code, kExitDone) << run.error;
  EXPECT_THAT(run.output, AllOf(HasSubstr("A processor (cpu)"), HasSubstr("1.000 ms")));
  server_.script(steps);
  run = weft({"run", "bench", "--name", "vector", "--json"});
  const auto read = client::parse_result(run.output);
  ASSERT_THAT(read, IsOk()) << run.output;
  EXPECT_EQ(read->SerializeAsString(), result(1e-3).SerializeAsString());
  server_.script({begin(), fail()});
  run = weft({"run", "bench", "--name", "vector"});
  EXPECT_EQ(run.code, kExitJobFailed);
  EXPECT_EQ(run.output, "");
}

TEST_F(Bench, JsonIsAnObjectALine) {
  add_measured(1e-3);
  add_measured(2e-3);
  for (const char* what : {"list", "history", "show"}) {
    std::istringstream lines(weft({"bench", what, "--json"}).output);
    int objects = 0;
    for (std::string line; std::getline(lines, line); objects++) {
      google::protobuf::Struct object;
      EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(line, &object).ok()) << line;
    }
    EXPECT_GE(objects, std::string(what) == "show" ? 1 : 2) << what;
  }
}

TEST_F(Bench, AFailedJobGivesItsExitCode) {
  server_.script({begin(), fail()});
  const auto run = weft({"bench", "run", "vector"});
  EXPECT_EQ(run.code, kExitJobFailed);
  EXPECT_EQ(run.output, "");
}

TEST_F(Bench, AnUnknownNameIsRefusedWithTheNearest) {
  const auto run = weft({"bench", "run", "vectr"});
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_THAT(run.error, HasSubstr("did you mean 'vector'?"));
  EXPECT_EQ(server_.submits(), 0);
  EXPECT_THAT(weft({"bench", "history", "vectr"}).error, HasSubstr("'vectr'"));
}

TEST_F(Bench, ComparesJobsAndFiles) {
  const std::string slow = add_measured(2e-3);
  write_file("fast.json", client::to_json_answer(result(1e-3)));
  const auto compared = weft({"bench", "compare", slow, "fast.json"});
  EXPECT_EQ(compared.code, kExitDone) << compared.error;
  EXPECT_THAT(compared.output, AllOf(HasSubstr("vector add 1024"), HasSubstr("2.00x")));
  EXPECT_THAT(weft({"bench", "compare", slow, "fast.json", "--json"}).output, HasSubstr("\"factor\": 2,"));
}

TEST_F(Bench, AJobThatMeasuredNothingIsNoResult) {
  const auto shown = weft({"bench", "show", add_job(v1::JOB_STATE_SUCCEEDED)});
  EXPECT_NE(shown.code, kExitDone);
  EXPECT_THAT(shown.error, HasSubstr("has no benchmark result"));
}

TEST_F(Bench, ShowsTheNewestAsATableAndAsCsv) {
  EXPECT_THAT(weft({"bench", "show"}).error, HasSubstr("There are no results yet"));
  add_measured(1e-3);
  EXPECT_THAT(weft({"bench", "show"}).output, HasSubstr("1.000 ms"));
  EXPECT_THAT(weft({"bench", "show", "--csv"}).output, HasSubstr("A processor,,,vector,add,,1024,element"));
}

TEST_F(Bench, HistoryListsJobsOrCases) {
  const std::string id = add_measured(1e-3);
  add_job(v1::JOB_STATE_SUCCEEDED);
  EXPECT_THAT(weft({"bench", "history"}).output,
              AllOf(HasSubstr(id), HasSubstr("vector, gemm"), Not(HasSubstr("films"))));
  EXPECT_THAT(weft({"bench", "history", "vector"}).output,
              AllOf(HasSubstr("vector add 1024"), HasSubstr("25%")));
  EXPECT_THAT(weft({"bench", "history", "--device", "cuda:0"}).output, HasSubstr("There are no results yet"));
}

TEST_F(Bench, WritesPlotsAndAReport) {
  const std::string id = add_measured(1e-3);
  const auto plots = weft({"bench", "plot", id, "-o", "plots"});
  EXPECT_EQ(plots.output,
            "plots/vector-time.svg\nplots/vector-share.svg\nplots/gemm-time.svg\nplots/gemm-share.svg\n");
  EXPECT_TRUE(std::filesystem::exists(server_.folder() + "/plots/vector-time.svg"));
  EXPECT_EQ(weft({"bench", "plot", id, "-o", "plots/"}).output, plots.output);
  const auto report = weft({"bench", "report", "-o", "page.html"});
  EXPECT_EQ(report.output, "page.html\n") << report.error;
  EXPECT_GT(std::filesystem::file_size(server_.folder() + "/page.html"), 1000u);
  EXPECT_THAT(weft({"bench", "report", "-o", "none/page.html"}).error,
              HasSubstr("none/page.html cannot be written"));
}

}  // namespace
}  // namespace weft::cli
