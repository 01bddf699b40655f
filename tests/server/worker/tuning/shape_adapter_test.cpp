// SPDX-License-Identifier: Apache-2.0
// A table that is kept true to the work of the CPU device.
#include "server/worker/tuning/shape_adapter.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "options/values.h"
#include "server/device/shapes.h"
#include "server/filters/filter.h"
#include "server/graph/pipeline.h"
#include "tests/server/worker/tuning/drifting_table.h"
#include "weft/v1/deinterlace.pb.h"

namespace weft::worker {
namespace {

constexpr std::string_view kKernel = "video/bob.uint8_t";
constexpr int kColumns = 64, kRows = 32;
constexpr Duration kLongest = std::chrono::minutes(2);  // nothing takes that long

class ShapeAdapterTest : public testing::Test {
 protected:
  ShapeAdapterTest() {
    std::filesystem::remove_all(folder_);
    rules_.between_samples = Duration(0);
    rules_.drift.window = 3;
  }
  ~ShapeAdapterTest() override { std::filesystem::remove_all(folder_); }

  StatusOr<graph::Network> expand() {
    graph::Network network;
    v1::Bob bob;
    options::apply_defaults(bob);
    VideoFormat format;
    format.width = kColumns;
    format.height = kRows;
    const graph::Port source = network.set_source(graph::PortFormat::picture(format));
    ASSIGN_OR_RETURN(
        const graph::Port result,
        filters::expand_filter({.device = device_.get(), .caches = &caches_}, bob, network, source));
    RETURN_IF_ERROR(network.set_outputs({result}));
    return network;
  }
  // Frames through the filter, one a batch, as a job's are; what came out.
  std::vector<std::byte> work(ShapeAdapter& adapter, int frames) {
    graph::PipelineOptions options;
    options.plan = {.batch = 1};
    options.observer = adapter.watch({"bob", [this] { return expand(); }, 1});
    is_watched_ = options.observer != nullptr;
    auto pipeline = graph::Pipeline::make(*device_, *expand(), options);
    EXPECT_THAT(pipeline, IsOk());
    std::vector<std::byte> bytes;
    const auto take = [&] {
      while (true) {
        const auto unit = (*pipeline)->pop();
        if (!unit.ok() || !unit->has_value()) return;
        const std::byte* row = (*unit)->data[0];
        bytes.insert(bytes.end(), row, row + kColumns);
      }
    };
    for (int i = 0; i < frames; i++) {
      const graph::StagedUnit staged = *(*pipeline)->stage();
      for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < kRows / (plane == 0 ? 1 : 2); y++)
          std::fill_n(staged.data[plane] + y * staged.stride_bytes[plane], kColumns / (plane == 0 ? 1 : 2),
                      std::byte(i + 3 * y));
      (*pipeline)->push({.pts = i, .interlaced = true, .top_field_first = true});
      (*pipeline)->submit(1);
      take();
    }
    (*pipeline)->finish();
    while (!(*pipeline)->is_empty()) {
      if ((*pipeline)->ready() > 0) (*pipeline)->submit(1);
      take();
    }
    return bytes;
  }
  void write_table_of(std::string_view shape) { write_drifting_table(folder_, *device_, kKernel, shape); }

  const std::string folder_ = fmt::format("{}weft_shape_adapter_test.{}", testing::TempDir(), ::getpid());
  std::unique_ptr<device::Device> device_ = device::open_device("cpu", {.cpu_threads = 1}).value();
  filters::DeviceCaches caches_;
  DeviceLoop loop_;
  AdapterRules rules_;
  bool is_watched_ = false;
};

TEST_F(ShapeAdapterTest, DriftLeadsToATryWhoseWinnerIsKept) {
  write_table_of("32x1");
  DeviceTuning tuning(*device_, {.learnt = folder_, .mode = TuningMode::kAdapt});
  ShapeAdapter adapter({*device_, loop_, caches_, true, &tuning}, rules_);
  work(adapter, 100);
  ASSERT_TRUE(adapter.wait_for_tries(1, kLongest));
  const tuning::TuningTable learnt = tuning.learnt();
  ASSERT_EQ(adapted(learnt), 1);
  for (const v1::TunedKernel& entry : learnt.kernels()) {
    if (!entry.reason().starts_with("Adapted: ")) continue;
    EXPECT_NE(entry.reason().find("as long as the table says in bob."), std::string::npos) << entry.reason();
    EXPECT_GT(entry.seconds(), 1e-9);
    EXPECT_GT(entry.default_seconds(), 0);
    EXPECT_EQ(entry.default_shape(), "64x4");
    EXPECT_GT(entry.time().seconds(), 0);
    EXPECT_TRUE(device::read_shape(entry.shape()).has_value());
  }
  const auto kept = tuning::read_table(tuning::path_in(folder_, device_->info()), device_->info());
  EXPECT_EQ(adapted(kept), 1);
}

TEST_F(ShapeAdapterTest, WhatIsTriedIsSpareWork) {
  write_table_of("32x1");
  DeviceTuning tuning(*device_, {.learnt = folder_, .mode = TuningMode::kAdapt});
  ShapeAdapter adapter({*device_, loop_, caches_, true, &tuning}, rules_);
  work(adapter, 100);  // none of it goes through the loop
  ASSERT_TRUE(adapter.wait_for_tries(1, kLongest));
  const schedule::DeviceTotals totals = loop_.totals();
  EXPECT_GT(totals.busy[size_t(schedule::SourceClass::kSpare)], Duration(0));
  EXPECT_EQ(totals.busy[size_t(schedule::SourceClass::kNormal)], Duration(0));
  EXPECT_EQ(totals.busy[size_t(schedule::SourceClass::kRealtime)], Duration(0));
}

TEST_F(ShapeAdapterTest, ATryThatFindsNoTimeChangesNothing) {
  write_table_of("32x1");
  rules_.longest_try = Duration(0);
  DeviceTuning tuning(*device_, {.learnt = folder_, .mode = TuningMode::kAdapt});
  ShapeAdapter adapter({*device_, loop_, caches_, true, &tuning}, rules_);
  work(adapter, 100);
  ASSERT_TRUE(adapter.wait_for_tries(1, kLongest));
  EXPECT_EQ(adapted(tuning.table()), 0);
}

TEST_F(ShapeAdapterTest, WatchedWorkGivesTheSame) {
  write_table_of("32x1");
  std::vector<std::byte> watched, alone;
  for (const TuningMode mode : {TuningMode::kAdapt, TuningMode::kFrozen}) {
    DeviceTuning tuning(*device_, {.learnt = folder_, .mode = mode});
    ShapeAdapter adapter({*device_, loop_, caches_, true, &tuning}, rules_);
    (mode == TuningMode::kAdapt ? watched : alone) = work(adapter, 20);
    EXPECT_EQ(is_watched_, mode == TuningMode::kAdapt);
  }
  EXPECT_FALSE(watched.empty());
  EXPECT_EQ(watched, alone);
}

TEST_F(ShapeAdapterTest, FrozenTablesAreUsedAndNotTriedAgain) {
  write_table_of("32x1");
  DeviceTuning tuning(*device_, {.learnt = folder_, .mode = TuningMode::kFrozen});
  ShapeAdapter adapter({*device_, loop_, caches_, true, &tuning}, rules_);
  work(adapter, 100);
  EXPECT_FALSE(is_watched_);
  EXPECT_EQ(device_->load(kKernel).value()->form_for({64, 16, 1}).block, (device::BlockShape{32, 1}));
  EXPECT_EQ(adapted(tuning.table()), 0);
}

TEST_F(ShapeAdapterTest, OffReadsNoTables) {
  write_table_of("32x1");
  DeviceTuning tuning(*device_, {.learnt = folder_, .shipped = folder_, .mode = TuningMode::kOff});
  EXPECT_EQ(tuning.table().kernels_size(), 0);
  EXPECT_EQ(device_->load(kKernel).value()->form_for({64, 16, 1}).block, (device::BlockShape{64, 4}));
  EXPECT_THAT(tuning.put({v1::TunedKernel()}), StatusIs(StatusCode::kFailedPrecondition));
  const auto kept = tuning::read_table(tuning::path_in(folder_, device_->info()), device_->info());
  EXPECT_EQ(kept.kernels_size(), 11);
}

TEST_F(ShapeAdapterTest, ShippedEntriesServeUntilOnesAreLearnt) {
  write_table_of("32x1");
  const std::string shipped = folder_ + "/shipped";
  std::filesystem::create_directories(shipped);
  std::filesystem::rename(tuning::path_in(folder_, device_->info()),
                          shipped + "/" + tuning::shipped_name(device_->info()));
  DeviceTuning tuning(*device_, {.learnt = folder_, .shipped = shipped});
  EXPECT_EQ(tuning.table().kernels_size(), 11);
  EXPECT_EQ(tuning.learnt().kernels_size(), 0);
  EXPECT_EQ(device_->load(kKernel).value()->form_for({64, 16, 1}).block, (device::BlockShape{32, 1}));
  v1::TunedKernel own = tuning.table().kernels(5);
  ASSERT_EQ(own.size_class(), 10);
  own.set_shape("32x2");
  own.set_reason("It is faster.");
  ASSERT_THAT(tuning.put({own}), IsOk());
  EXPECT_EQ(device_->load(kKernel).value()->form_for({64, 16, 1}).block, (device::BlockShape{32, 2}));
  EXPECT_EQ(tuning.table().kernels_size(), 11);
  const auto kept = tuning::read_table(tuning::path_in(folder_, device_->info()), device_->info());
  ASSERT_EQ(kept.kernels_size(), 1);
  EXPECT_EQ(kept.kernels(0).reason(), "It is faster.");
}

}  // namespace
}  // namespace weft::worker
