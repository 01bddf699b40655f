// SPDX-License-Identifier: Apache-2.0
// Tests that every variant of every benchmark gives the right result on every device and at every
// size. Also tests the measurements of the benchmarks.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include "server/benchmarks/case_runs.h"

namespace weft::benchmarks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<device::DeviceInfo>& device_infos() {
  static const auto all = [] {
    auto infos = device::list_devices_and_twins(nullptr);
    std::erase_if(infos, [](const auto& info) { return info.kind == device::BackendKind::kNull; });
    return infos;
  }();
  return all;
}

// Returns the device, which is opened at the first call.
device::Device* device_of(const device::DeviceInfo& info) {
  static std::map<std::string, std::unique_ptr<device::Device>> opened;
  std::unique_ptr<device::Device>& device = opened[info.id];
  if (device == nullptr) {
    auto made = device::open_device(info);
    EXPECT_THAT(made, IsOk()) << info.id;
    if (made.ok()) device = *std::move(made);
  }
  return device.get();
}

// Sizes in one dimension: edges of subgroups and blocks, powers of two and their neighbours.
constexpr int64_t kEdges[] = {0, 1, 31, 32, 33, 127, 255, 256, 257, 1023, 1025, 4097, 65537};

// Returns true for a benchmark of pictures, which these tests only run. The filter suite tests the
// sizes, devices and options of filters.
bool is_of_pictures(const Benchmark& benchmark) { return benchmark.sizes[0].y > 0; }

std::vector<CaseSize> sizes_of(const Benchmark& benchmark) {
  if (is_of_pictures(benchmark)) return {benchmark.smallest};
  std::vector<CaseSize> sizes;
  // A software device needs too long for larger ones.
  const int64_t largest = benchmark.sizes_in_software.back().x + 1;
  for (const int64_t edge : kEdges) sizes.push_back({std::clamp(edge, benchmark.smallest.x, largest)});
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::string test_name_of(const device::DeviceInfo& info) {
  std::string name = info.id;
  std::ranges::replace(name, ':', '_');
  return name;
}

// A benchmark and a device, by their indices.
class EveryBenchmark : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  void SetUp() override { ASSERT_NE(device_, nullptr); }
  const Benchmark& benchmark() const { return all_benchmarks()[size_t(std::get<0>(GetParam()))]; }
  device::Device& device() const { return *device_; }

 private:
  device::Device* const device_ = device_of(device_infos()[size_t(std::get<1>(GetParam()))]);
};

class EveryDevice : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { ASSERT_NE(device_, nullptr); }
  device::Device& device() const { return *device_; }

 private:
  device::Device* const device_ = device_of(device_infos()[size_t(GetParam())]);
};

// Expects the right result, or an error if the device does not support the variant.
void expect_right(device::Device& device, const PlannedCase& planned) {
  const auto one = planned.benchmark->make(device, planned.spec);
  if (one.status().code() == StatusCode::kUnimplemented) return;
  ASSERT_THAT(one, IsOk());
  const auto runs = CaseRuns::make(device, **one, 2, {}, !(*one)->phases().empty());
  ASSERT_THAT(runs, IsOk());
  ASSERT_THAT(run_at_once(**runs), IsOk());
  EXPECT_THAT((*one)->verify(), IsOk());
  EXPECT_EQ((*runs)->seconds().size(), 2u);
  EXPECT_EQ((*runs)->phase_seconds().size(), (*one)->phases().size());
  for (const auto& phase : (*runs)->phase_seconds()) EXPECT_EQ(phase.size(), 2u);
}

TEST_P(EveryBenchmark, GivesTheRightResult) {
  const bool compiles_slowly =
      device().info().kind == device::BackendKind::kVulkan && device().info().is_software;
  if (is_of_pictures(benchmark()) && compiles_slowly)
    GTEST_SKIP() << "filter_suite_test checks these filters on it.";
  for (const std::string_view variant : benchmark().variants) {
    std::vector<std::string_view> inputs = benchmark().inputs;
    if (inputs.empty()) inputs.push_back("");
    if (is_of_pictures(benchmark())) inputs.resize(1);
    for (const std::string_view input : inputs) {
      for (const CaseSize& size : sizes_of(benchmark())) {
        SCOPED_TRACE(fmt::format("{} {} of {}", variant, input, to_string(size)));
        expect_right(device(), {&benchmark(), {std::string(variant), std::string(input), size}});
      }
    }
  }
}

// The number of blocks exceeds the counts that one block can scan.
TEST_P(EveryDevice, CompactsMoreBlocksThanABlockScans) {
  const Benchmark& compaction = *find_benchmark(v1::BENCHMARK_NAME_COMPACTION);
  expect_right(device(), {&compaction, {"per lane", "random 50%", CaseSize{4096 * 256 + 257}}});
}

// The number of tiles exceeds those that a block looks back at in one step, and those that a device
// runs at the same time. A second launch follows the first.
TEST_P(EveryDevice, LooksBackAtManyTiles) {
  const Benchmark& compaction = *find_benchmark(v1::BENCHMARK_NAME_COMPACTION);
  for (const std::string_view input : compaction.inputs)
    expect_right(device(), {&compaction, {"look-back", std::string(input), CaseSize{(1 << 24) + 5}}});
}

// The products need more than one tile of the tensor cores, and more data than their pipeline holds
// at one time.
TEST_P(EveryDevice, MultipliesByTensorCores) {
  const Benchmark& gemm = *find_benchmark(v1::BENCHMARK_NAME_GEMM);
  for (const int64_t size : {int64_t{256}, int64_t{511}, int64_t{1100}})
    expect_right(device(), {&gemm, {"tensor cores", "", CaseSize{size}}});
}

// The check examines the output of the run, and not its input or the earlier content of the memory.
TEST_P(EveryBenchmark, IsWrongBeforeItRan) {
  if (is_of_pictures(benchmark())) return;  // The checks of these benchmarks run them.
  const CaseSize size = benchmark().sizes_in_software.front();
  const std::string input(benchmark().inputs.empty() ? "" : benchmark().inputs[0]);
  for (const std::string_view variant : benchmark().variants) {
    SCOPED_TRACE(variant);
    const auto one = benchmark().make(device(), {std::string(variant), input, size});
    if (one.status().code() == StatusCode::kUnimplemented) continue;
    ASSERT_THAT(one, IsOk());
    EXPECT_THAT((*one)->verify(), StatusIs(StatusCode::kDataLoss, "is right"));
  }
}

TEST_P(EveryBenchmark, SaysWhatARunHasToDo) {
  const bool is_first = std::get<1>(GetParam()) == 0;
  // The result is the same on all devices and takes long to compute.
  if (is_of_pictures(benchmark()) && !is_first) return;
  const CaseSize size =
      is_of_pictures(benchmark()) ? benchmark().smallest : benchmark().sizes_in_software.front();
  for (const std::string_view variant : benchmark().variants) {
    SCOPED_TRACE(variant);
    const std::string input(benchmark().inputs.empty() ? "" : benchmark().inputs[0]);
    const auto one = benchmark().make(device(), {std::string(variant), input, size});
    if (one.status().code() == StatusCode::kUnimplemented) continue;
    ASSERT_THAT(one, IsOk());
    const CaseCost& cost = (*one)->cost();
    EXPECT_GT(cost.units, 0);
    EXPECT_GT(cost.bytes + cost.operations, 0);
  }
}

// Returns a name such as "gemm_cuda_0".
std::string benchmark_test_name(const testing::TestParamInfo<std::tuple<int, int>>& tested) {
  const auto [benchmark, device] = tested.param;
  return fmt::format("{}_{}", name_of(all_benchmarks()[size_t(benchmark)]),
                     test_name_of(device_infos()[size_t(device)]));
}

INSTANTIATE_TEST_SUITE_P(Names, EveryBenchmark,
                         testing::Combine(testing::Range(0, int(all_benchmarks().size())),
                                          testing::Range(0, int(device_infos().size()))),
                         benchmark_test_name);
INSTANTIATE_TEST_SUITE_P(Devices, EveryDevice, testing::Range(0, int(device_infos().size())),
                         [](const auto& tested) {
                           return test_name_of(device_infos()[size_t(tested.param)]);
                         });

// A benchmark of one case with a wrong or right result. It counts its runs.
int runs_counted = 0;
class PlantedCase final : public BenchmarkCase {
 public:
  explicit PlantedCase(bool right) : BenchmarkCase({1, 1, 0, Limit::kMemory}), right_(right) {}
  void enqueue(device::Stream&, int64_t, PhaseMarks*) override { runs_counted++; }
  Status verify() override { return right_ ? ok_status() : data_loss("Element 3 is 4, and 5 is right."); }

 private:
  bool right_;
};
StatusOr<std::unique_ptr<BenchmarkCase>> make_planted(device::Device&, const CaseSpec& spec) {
  if (spec.variant == "missing") return unimplemented("There is none.");
  return std::make_unique<PlantedCase>(spec.variant == "right");
}
const Benchmark kPlanted{v1::BENCHMARK_NAME_VECTOR,
                         "element",
                         {"right", "wrong", "missing"},
                         {},
                         {CaseSize{1}},
                         {CaseSize{1}},
                         CaseSize{1},
                         CaseSize{1},
                         make_planted};

TEST(Measuring, NeverTimesAWrongResult) {
  runs_counted = 0;
  const auto measured =
      measure(*device_of(device_infos().back()), {&kPlanted, {"wrong", "", CaseSize{1}}}, 9, {}, run_at_once);
  ASSERT_THAT(measured, IsOk());
  EXPECT_EQ(measured->fault(), "Element 3 is 4, and 5 is right.");
  EXPECT_EQ(measured->median_seconds(), 0);
  EXPECT_EQ(measured->runs(), 0);
  EXPECT_EQ(runs_counted, 1);
}

TEST(Measuring, SaysWhatADeviceLacks) {
  const auto measured = measure(*device_of(device_infos().back()), {&kPlanted, {"missing", "", CaseSize{1}}},
                                9, {}, run_at_once);
  ASSERT_THAT(measured, IsOk());
  EXPECT_EQ(measured->fault(), "There is none.");
}

TEST(Measuring, TellsMedianSpreadAndLimit) {
  DeviceLimits limits;
  limits.copy_bytes_per_second = 1e9;
  const PlannedCase planned{find_benchmark(v1::BENCHMARK_NAME_VECTOR), {"add", "", CaseSize{4096}}};
  const auto measured = measure(*device_of(device_infos().back()), planned, 9, limits, run_at_once);
  ASSERT_THAT(measured, IsOk());
  EXPECT_EQ(measured->fault(), "");
  EXPECT_EQ(measured->runs(), 9);
  EXPECT_EQ(measured->bytes(), 3 * 4 * 4096);
  EXPECT_DOUBLE_EQ(measured->limit_seconds(), 3 * 4 * 4096 / 1e9);
  EXPECT_EQ(measured->limit(), "memory");
  EXPECT_GT(measured->fastest_seconds(), 0);
  EXPECT_LE(measured->fastest_seconds(), measured->median_seconds());
  EXPECT_LE(measured->median_seconds(), measured->slowest_seconds());
  EXPECT_LE(measured->quartile_seconds(), measured->slowest_seconds() - measured->fastest_seconds());
}

TEST(Sizes, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(*parse_size("4096"), CaseSize{4096});
  EXPECT_EQ(*parse_size("2^24"), CaseSize{1 << 24});
  EXPECT_EQ(*parse_size("1920x1080"), (CaseSize{1920, 1080}));
  for (const char* wrong : {"", "x", "3^2", "2^", "2^41", "12x", "x12", "-1", "4096 ", "1e6"})
    EXPECT_THAT(parse_size(wrong), StatusIs(StatusCode::kInvalidArgument, "is no size")) << wrong;
}

TEST(Planning, EachNameHasABenchmark) {
  for (int i = 1; i < v1::BenchmarkName_descriptor()->value_count(); i++) {
    const auto name = v1::BenchmarkName(v1::BenchmarkName_descriptor()->value(i)->number());
    EXPECT_NE(find_benchmark(name), nullptr) << v1::BenchmarkName_Name(name);
  }
}

TEST(Planning, FiltersAreTimedWithTheirDefaults) {
  const std::vector<std::string_view> variants = find_benchmark(v1::BENCHMARK_NAME_FILTERS)->variants;
  EXPECT_THAT(variants, testing::IsSupersetOf({"bwdif", "deband", "smdegrain", "transpose"}));
  EXPECT_THAT(variants, testing::Not(testing::Contains("crop"))) << "its size is to be given";
  EXPECT_THAT(variants, testing::Not(testing::Contains("decimate"))) << "it analyses the whole input";
}

TEST(Planning, TakesVariantsAndSizesThatAreAskedFor) {
  v1::BenchmarkJob job;
  job.add_names(v1::BENCHMARK_NAME_VECTOR);
  job.add_variants("add");
  job.add_sizes("2^10");
  job.add_sizes("77");
  const auto planned = plan_cases(job, nullptr, "spec.benchmark");
  ASSERT_THAT(planned, IsOk());
  std::vector<std::string> sizes;
  for (const PlannedCase& one : *planned) sizes.push_back(one.spec.variant + " " + to_string(one.spec.size));
  EXPECT_THAT(sizes, ElementsAre("add 1024", "add 77"));
}

TEST(Planning, RefusesWhatNoBenchmarkHas) {
  v1::BenchmarkJob job;
  job.add_names(v1::BENCHMARK_NAME_VECTOR);
  job.add_variants("subtract");
  EXPECT_THAT(plan_cases(job, nullptr, "spec.benchmark"),
              StatusIs(StatusCode::kInvalidArgument, "no variant 'subtract'"));
  job.clear_variants();
  job.add_sizes("12x12");
  EXPECT_THAT(plan_cases(job, nullptr, "spec.benchmark"),
              StatusIs(StatusCode::kInvalidArgument, "12x12 is not a size of vector; use "));
}

TEST(PlanCases, GraphsAreOfCudaAlone) {
  v1::BenchmarkJob job;
  job.add_names(v1::BENCHMARK_NAME_LAUNCH);
  device::DeviceInfo info;
  const auto has_graph = [&](const device::DeviceInfo* device) {
    const auto planned = plan_cases(job, device, "job");
    EXPECT_THAT(planned, IsOk());
    return std::ranges::any_of(*planned, [](const PlannedCase& one) { return one.spec.variant == "graph"; });
  };
  EXPECT_TRUE(has_graph(nullptr));
  info.kind = device::BackendKind::kCuda;
  EXPECT_TRUE(has_graph(&info));
  info.kind = device::BackendKind::kVulkan;
  EXPECT_FALSE(has_graph(&info));
  // The job names the variant, so the case reports the reason that it cannot run.
  job.add_variants("graph");
  EXPECT_TRUE(has_graph(&info));
}

}  // namespace
}  // namespace weft::benchmarks
