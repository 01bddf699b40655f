// SPDX-License-Identifier: Apache-2.0
// Tests jobs that tune the CPU device.
#include "server/worker/tuning/tune_runner.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "server/device/shapes.h"
#include "server/worker/kinds.h"

namespace weft::worker {
namespace {

class TuneRunnerTest : public testing::Test, public JobEvents {
 protected:
  TuneRunnerTest() { std::filesystem::remove_all(folder_); }
  ~TuneRunnerTest() override { std::filesystem::remove_all(folder_); }

  static std::unique_ptr<device::Device> open_cpu() {
    device::OpenOptions options;
    options.cpu_threads = 2;
    return *device::open_device("cpu", options);
  }
  static v1::JobSpec spec(const std::string& filter, const std::string& kernel = "") {
    v1::JobSpec made;
    made.mutable_tune()->add_filters(filter);
    if (!kernel.empty()) made.mutable_tune()->add_kernels(kernel);
    return made;
  }
  JobEnd run(const v1::JobSpec& what) {
    DeviceLoop loop;
    filters::DeviceCaches caches;
    DeviceTuning tuning(*device_, {.learnt = folder_, .is_on = is_on_},
                        [this](const tuning::TuningTable& table) { reported_ = table; });
    JobOrder order;
    order.id = "tune";
    order.spec = what;
    order.source.work_class = schedule::SourceClass::kSpare;
    TuneRunner runner(std::move(order), {*device_, loop, caches, true, &tuning}, *this, limits_);
    JobEnd end = runner.run();
    units_done_ = runner.meter().units_done;
    units_total_ = runner.meter().units_total;
    return end;
  }

  void on_segment_finished(int, int64_t) override {}
  void on_log(std::string_view, std::string_view text) override { log_.emplace_back(text); }

  const std::string folder_ = fmt::format("{}weft_tune_runner_test.{}", testing::TempDir(), ::getpid());
  std::unique_ptr<device::Device> device_ = open_cpu();
  bool is_on_ = true;
  TuneLimits limits_;
  tuning::TuningTable reported_;
  std::vector<std::string> log_;
  int64_t units_done_ = 0, units_total_ = 0;
};

TEST_F(TuneRunnerTest, TwoKernelsGetEntriesThatALaterJobKnows) {
  const JobEnd end = run(spec("bob", "video/bob"));
  ASSERT_THAT(end.status, IsOk());
  const auto& kernels = end.result.tuning().kernels();
  ASSERT_GE(kernels.size(), 2);
  EXPECT_EQ(units_done_, units_total_);
  EXPECT_EQ(units_total_, kernels.size());
  for (const v1::TunedKernel& entry : kernels) {
    EXPECT_TRUE(entry.kernel().starts_with("video/bob")) << entry.kernel();
    EXPECT_EQ(entry.default_shape(), "64x4");
    EXPECT_TRUE(device::read_shape(entry.shape()).has_value());
    EXPECT_GT(entry.default_seconds(), 0);
    EXPECT_LE(entry.seconds(), entry.worst_seconds());
    EXPECT_GT(entry.runs(), 0);
    EXPECT_FALSE(entry.reason().empty());
    if (entry.shape() != entry.default_shape()) {
      EXPECT_GE(entry.confidence(), 0.95);
    }
  }
  EXPECT_EQ(reported_.kernels_size(), kernels.size());
  const auto kept = tuning::read_table(tuning::path_in(folder_, device_->info()), device_->info());
  EXPECT_EQ(kept.SerializeAsString(), reported_.SerializeAsString());

  const JobEnd again = run(spec("bob", "video/bob"));
  ASSERT_THAT(again.status, IsOk());
  EXPECT_EQ(again.result.tuning().kernels_size(), 0);
  ASSERT_EQ(again.result.notes_size(), 1);
  EXPECT_NE(again.result.notes(0).find("--again"), std::string::npos);
}

TEST_F(TuneRunnerTest, NoShapeChangesTheBytesOfAFilter) {
  const JobEnd end = run(spec("weave"));
  ASSERT_THAT(end.status, IsOk());
  EXPECT_GE(end.result.tuning().kernels_size(), 1);
  EXPECT_EQ(end.result.notes_size(), 0) << end.result.notes(0);
}

TEST_F(TuneRunnerTest, AStoppedJobKeepsWhatItHas) {
  DeviceLoop loop;
  filters::DeviceCaches caches;
  DeviceTuning tuning(*device_, {.learnt = folder_});
  JobOrder order;
  order.spec = spec("bob");
  TuneRunner runner(std::move(order), {*device_, loop, caches, true, &tuning}, *this);
  runner.stop(internal::v1::STOP_KIND_PAUSE);
  EXPECT_THAT(runner.run().status, StatusIs(StatusCode::kCancelled));
}

TEST_F(TuneRunnerTest, LongBatchesComeLastAndVeryLongOnesAreLeftOut) {
  limits_.long_batch = Duration(0);
  EXPECT_THAT(run(spec("bob", "video/bob")).status, IsOk());
  EXPECT_GT(reported_.kernels_size(), 0);
  const int tuned = reported_.kernels_size();
  limits_.longest_batch = Duration(0);
  const JobEnd end = run(spec("crop", "picture/place"));
  EXPECT_THAT(end.status, IsOk());
  EXPECT_EQ(units_total_, 0);
  EXPECT_EQ(reported_.kernels_size(), tuned);
  EXPECT_THAT(log_, testing::Contains(testing::HasSubstr("are not tuned: a batch takes")));
  EXPECT_THAT(log_, testing::Not(testing::Contains(testing::HasSubstr("has all of these"))));
}

TEST_F(TuneRunnerTest, WhereTuningIsOffNothingIsTuned) {
  is_on_ = false;
  EXPECT_THAT(run(spec("bob")).status, StatusIs(StatusCode::kFailedPrecondition, "tuning = "));
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(TuneRunnerTest, WithoutATableADeviceIsNotTuned) {
  DeviceLoop loop;
  filters::DeviceCaches caches;
  JobOrder order;
  order.spec = spec("bob");
  EXPECT_THAT(TuneRunner(std::move(order), {*device_, loop, caches}, *this).run().status,
              StatusIs(StatusCode::kFailedPrecondition));
}

TEST(TuneEstimate, CountsTheKernelsThatCanBeTuned) {
  v1::JobSpec spec;
  spec.mutable_tune()->add_kernels("video/bob");
  const auto estimate = estimate_job(spec, {});
  ASSERT_THAT(estimate, IsOk());
  EXPECT_EQ(estimate->units_in(), 2);
  v1::JobSpec of_filter;
  of_filter.mutable_tune()->add_filters("bob");
  ASSERT_THAT(estimate_job(of_filter, {}), IsOk());
  EXPECT_EQ(estimate_job(of_filter, {})->units_in(), 2) << "video/bob of bytes and of 16-bit words";
  spec.mutable_tune()->set_kernels(0, "no/such");
  EXPECT_THAT(estimate_job(spec, {}), StatusIs(StatusCode::kInvalidArgument));
  spec.mutable_tune()->set_kernels(0, "video/");
  spec.mutable_tune()->add_filters("no such filter");
  EXPECT_THAT(estimate_job(spec, {}), StatusIs(StatusCode::kNotFound));
}

}  // namespace
}  // namespace weft::worker
