// SPDX-License-Identifier: Apache-2.0
// Tests benchmarks with the real programs: command line, daemon, worker and store.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "client/benchmark_results.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BenchmarksTest : public ScenarioTest {
 protected:
  BenchmarksTest() : daemon_(path("daemon")) {}

  int weft(std::vector<std::string> words, std::string* output) {
    words.insert(words.begin(), {WEFT, "--server", daemon_.address()});
    return run(words, output);
  }
  static v1::SubmitJobRequest vectors(const std::string& size, int runs) {
    v1::SubmitJobRequest request;
    v1::BenchmarkJob& job = *request.mutable_spec()->mutable_benchmark();
    job.add_names(v1::BENCHMARK_NAME_VECTOR);
    job.add_sizes(size);
    job.set_runs(runs);
    request.mutable_settings()->set_device("cpu");
    return request;
  }

  Daemon daemon_;
};

TEST_F(BenchmarksTest, AJobMeasuresAndItsResultOutlivesTheDaemon) {
  ASSERT_TRUE(daemon_.start());
  const std::string id = daemon_.submit(vectors("4097", 5));
  const v1::Job job = daemon_.wait_for_end_of(id);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.error().message();
  const v1::BenchmarkResult& result = job.result().benchmark();
  EXPECT_EQ(result.conditions().device(), "cpu");
  EXPECT_FALSE(result.conditions().driver().empty());
  EXPECT_FALSE(result.conditions().version().empty());
  EXPECT_GT(result.conditions().time().seconds(), 0);
  EXPECT_GT(result.conditions().copy_bytes_per_second(), 0);
  EXPECT_GT(result.conditions().fp32_operations_per_second(), 0);
  ASSERT_GT(result.measurements_size(), 0);
  for (const v1::Measurement& each : result.measurements()) {
    EXPECT_EQ(each.fault(), "") << each.variant();
    EXPECT_EQ(each.runs(), 5);
    EXPECT_EQ(each.size(), "4097");
    EXPECT_GT(each.median_seconds(), 0);
  }
  EXPECT_EQ(job.result().units_in(), result.measurements_size());
  EXPECT_THAT(leftovers(), IsEmpty());

  EXPECT_EQ(daemon_.stop(), 0);
  ASSERT_TRUE(daemon_.start());
  EXPECT_EQ(daemon_.get(id).result().benchmark().SerializeAsString(), result.SerializeAsString());
}

TEST_F(BenchmarksTest, TheCommandLineMeasuresAndCompares) {
  ASSERT_TRUE(daemon_.start());
  std::string said;
  ASSERT_EQ(
      weft({"bench", "run", "vector", "--variant", "add", "--size", "2^12", "--runs", "3", "--device", "cpu"},
           &said),
      0)
      << said;
  EXPECT_THAT(said, HasSubstr("vector"));
  ASSERT_EQ(weft({"bench", "history", "vector"}, &said), 0);
  EXPECT_THAT(said, HasSubstr("vector add 4096"));
  const std::string id = daemon_.list().jobs(0).id();
  ASSERT_EQ(weft({"bench", "compare", id, id}, &said), 0) << said;
  EXPECT_THAT(said, HasSubstr("1.00x"));
}

TEST_F(BenchmarksTest, WhatNoBenchmarkHasIsRefusedAtSubmit) {
  ASSERT_TRUE(daemon_.start());
  std::string said;
  EXPECT_NE(weft({"bench", "run", "vector", "--variant", "subtract"}, &said), 0);
  EXPECT_THAT(said, HasSubstr("There is no variant 'subtract'"));
  EXPECT_NE(weft({"bench", "run", "vector", "--size", "many"}, &said), 0);
  EXPECT_THAT(said, HasSubstr("'many' is no size"));
  EXPECT_EQ(daemon_.list().jobs_size(), 0);
}

TEST_F(BenchmarksTest, ACancelledJobEndsAfterTheRunAtHand) {
  ASSERT_TRUE(daemon_.start());
  const std::string id = daemon_.submit(vectors("2^20", 1000));
  daemon_.wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 0; });
  std::string said;
  EXPECT_EQ(weft({"cancel", id}, &said), 0) << said;
  EXPECT_EQ(daemon_.wait_for_end_of(id).state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(daemon_.device("cpu")->state(), v1::DEVICE_STATE_IN_SERVICE);
  EXPECT_EQ(daemon_.device("cpu")->worker_starts(), 1);
}

}  // namespace
}  // namespace weft::scenarios
