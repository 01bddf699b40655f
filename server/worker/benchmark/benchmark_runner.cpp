// SPDX-License-Identifier: Apache-2.0
#include "server/worker/benchmark/benchmark_runner.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <google/protobuf/util/time_util.h>

#include "server/benchmarks/rotation.h"
#include "server/device/readings.h"

namespace weft::worker {
namespace {

constexpr const char* kBenchmarkField = "spec.benchmark";
// memory for libraries, stacks, and staging of copies
constexpr int64_t kBenchmarkJobBytes = int64_t{64} << 20;
constexpr int64_t kBuffers = 3;       // buffers with copies of a case's data at the same time
constexpr int64_t kBytesOfUnit = 16;  // maximum bytes that a case and its check hold for each unit

device::Readings read_clocks(const device::Device& device) {
  const auto source = device::open_readings(device);
  return source.ok() ? (*source)->read() : device::Readings();
}

}  // namespace

StatusOr<v1::JobEstimate> estimate_benchmark(const v1::JobSpec& spec, const std::vector<OpenJobFile>&) {
  ASSIGN_OR_RETURN(const std::vector<benchmarks::PlannedCase> planned,
                   benchmarks::plan_cases(spec.benchmark(), nullptr, kBenchmarkField));
  int64_t units = 0;
  for (const benchmarks::PlannedCase& one : planned)
    units = std::max(units, one.spec.size.x * std::max<int64_t>(one.spec.size.y, 1));
  v1::JobEstimate estimate;
  estimate.set_units_in(int64_t(planned.size()));
  estimate.set_host_bytes(kBenchmarkJobBytes + units * kBytesOfUnit);
  estimate.set_shared_bytes(estimate.host_bytes() + kBuffers * int64_t(benchmarks::kRotationBytesInSoftware));
  estimate.add_device_bytes(units * kBytesOfUnit + kBuffers * int64_t(benchmarks::kRotationBytes));
  return estimate;
}

BenchmarkRunner::BenchmarkRunner(JobOrder order, const DeviceShare& share, JobEvents& events)
    : JobRunner(std::move(order), share, events, "measuring") {}

Status BenchmarkRunner::attempt() {
  auto cases = benchmarks::plan_cases(order_.spec.benchmark(), &share_.device.info(), kBenchmarkField);
  ASSIGN_OR_RETURN(const auto planned, state_.check(std::move(cases), Origin::kInput));
  meter_.units_total = int64_t(planned.size());
  begin_conditions();
  RETURN_IF_ERROR(measure_all(planned));
  end_conditions();
  return ok_status();
}

Status BenchmarkRunner::measure_all(const std::vector<benchmarks::PlannedCase>& planned) {
  const auto run = [this](benchmarks::CaseRuns& runs) { return run_all(runs); };
  ASSIGN_OR_RETURN(const benchmarks::DeviceLimits limits, benchmarks::measure_limits(share_.device, run));
  {
    const std::lock_guard lock(mutex_);
    v1::BenchmarkConditions& conditions = *result_.mutable_conditions();
    conditions.set_copy_bytes_per_second(limits.copy_bytes_per_second);
    conditions.set_fp32_operations_per_second(limits.fp32_operations_per_second);
    conditions.set_fp16_tensor_operations_per_second(limits.tensor_operations_per_second);
  }
  for (const benchmarks::PlannedCase& one : planned) {
    RETURN_IF_ERROR(state_.error());
    ASSIGN_OR_RETURN(v1::Measurement measured,
                     benchmarks::measure(share_.device, one, order_.spec.benchmark().runs(), limits, run));
    if (!measured.fault().empty())
      events_.on_log("warning",
                     fmt::format("{} '{}' of {} was not timed: {}", benchmarks::name_of(*one.benchmark),
                                 one.spec.variant, measured.size(), measured.fault()));
    const std::lock_guard lock(mutex_);
    *result_.add_measurements() = std::move(measured);
    meter_.outputs_done = ++meter_.units_done;
    meter_.beat();
  }
  return ok_status();
}

// Runs all batches. The cost of a run is not shared with other jobs: it is learnt under a key that
// is used once.
Status BenchmarkRunner::run_all(benchmarks::CaseRuns& runs) {
  static std::atomic<uint64_t> series{0};
  RETURN_IF_ERROR(state_.error());
  schedule::SourceSpec source = this->source();
  source.max_units = 1;
  source.cost_key = fmt::format("{}benchmark {}", DeviceLoop::kMeasured, ++series);
  const std::string key = source.cost_key;
  const Status status =
      preparing_.run_all(runs, std::move(source), Duration::max(), "The device cannot be measured");
  share_.loop.take_measured_cost(key, "");
  own_batches_ += int64_t(runs.seconds().size());
  return status;
}

void BenchmarkRunner::begin_conditions() {
  const device::DeviceInfo& info = share_.device.info();
  const device::Readings clocks = read_clocks(share_.device);
  before_ = share_.loop.totals();
  const std::lock_guard lock(mutex_);
  v1::BenchmarkConditions& conditions = *result_.mutable_conditions();
  conditions.set_device(info.id);
  conditions.set_device_name(info.name);
  conditions.set_driver(info.driver);
  conditions.set_version(WEFT_VERSION);
  *conditions.mutable_time() = google::protobuf::util::TimeUtil::GetCurrentTime();
  if (clocks.graphics_clock_mhz) conditions.set_graphics_clock_before_mhz(*clocks.graphics_clock_mhz);
  if (clocks.memory_clock_mhz) conditions.set_memory_clock_before_mhz(*clocks.memory_clock_mhz);
}

void BenchmarkRunner::end_conditions() {
  const schedule::DeviceTotals after = share_.loop.totals();
  const bool others_ran = after.frames > before_.frames || after.batches - before_.batches > own_batches_;
  const device::Readings clocks = read_clocks(share_.device);
  const std::lock_guard lock(mutex_);
  v1::BenchmarkConditions& conditions = *result_.mutable_conditions();
  conditions.set_shared(others_ran || share_.loop.protects_others());
  if (clocks.graphics_clock_mhz) conditions.set_graphics_clock_after_mhz(*clocks.graphics_clock_mhz);
  if (clocks.memory_clock_mhz) conditions.set_memory_clock_after_mhz(*clocks.memory_clock_mhz);
}

void BenchmarkRunner::add_properties(v1::JobResult& result) const {
  const std::lock_guard lock(mutex_);
  *result.mutable_benchmark() = result_;
}

}  // namespace weft::worker
