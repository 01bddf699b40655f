// SPDX-License-Identifier: Apache-2.0
// Measures a case and a device's limits.
#include <algorithm>
#include <utility>

#include "server/benchmarks/case_runs.h"

namespace weft::benchmarks {
namespace {

constexpr int kWarmUpRuns = 3;
constexpr int kPhaseRuns = 5;
constexpr int kLimitRuns = 7;

// Returns the quantile `part` (0 to 1) with linear interpolation.
double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double rank = part * double(values.size() - 1);
  const size_t below = size_t(rank), above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (rank - double(below));
}

// Returns true for errors of the case and for missing device features; the next case may then be
// run.
bool is_fault_of_case(StatusCode code) {
  return code == StatusCode::kUnimplemented || code == StatusCode::kFailedPrecondition ||
         code == StatusCode::kResourceExhausted || code == StatusCode::kDataLoss ||
         code == StatusCode::kInvalidArgument || code == StatusCode::kNotFound;
}

StatusOr<std::unique_ptr<CaseRuns>> have_run(device::Device& device, BenchmarkCase& one, int runs,
                                             Duration once, bool times_phases, const RunAll& run_all) {
  ASSIGN_OR_RETURN(auto made, CaseRuns::make(device, one, runs, once, times_phases));
  RETURN_IF_ERROR(run_all(*made));
  return made;
}

void describe(const PlannedCase& planned, v1::Measurement& measurement) {
  measurement.set_benchmark(planned.benchmark->name);
  measurement.set_variant(planned.spec.variant);
  measurement.set_input(planned.spec.input);
  measurement.set_size(to_string(planned.spec.size));
  measurement.set_unit(std::string(planned.benchmark->unit));
}

void describe(const CaseCost& cost, const DeviceLimits& limits, v1::Measurement& measurement) {
  measurement.set_units(cost.units);
  measurement.set_bytes(cost.bytes);
  measurement.set_operations(cost.operations);
  measurement.set_limit_seconds(shortest_seconds(cost, limits));
  if (measurement.limit_seconds() > 0) measurement.set_limit(std::string(to_string(cost.limit)));
}

Status time_case(device::Device& device, const PlannedCase& planned, int runs, const RunAll& run_all,
                 const DeviceLimits& limits, v1::Measurement& measurement) {
  ASSIGN_OR_RETURN(const std::unique_ptr<BenchmarkCase> one, planned.benchmark->make(device, planned.spec));
  describe(one->cost(), limits, measurement);
  RETURN_IF_ERROR(have_run(device, *one, 1, {}, false, run_all).status());
  RETURN_IF_ERROR(one->verify());
  ASSIGN_OR_RETURN(auto warm, have_run(device, *one, kWarmUpRuns, {}, false, run_all));
  const Duration once =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(quantile(warm->seconds(), 0)));
  ASSIGN_OR_RETURN(auto timed, have_run(device, *one, runs, once, false, run_all));
  const std::vector<double>& seconds = timed->seconds();
  measurement.set_runs(int(seconds.size()));
  measurement.set_median_seconds(quantile(seconds, 0.5));
  measurement.set_fastest_seconds(quantile(seconds, 0));
  measurement.set_slowest_seconds(quantile(seconds, 1));
  measurement.set_quartile_seconds(quantile(seconds, 0.75) - quantile(seconds, 0.25));
  const std::vector<std::string> phases = one->phases();
  if (phases.empty()) return ok_status();
  ASSIGN_OR_RETURN(timed, have_run(device, *one, std::min(runs, kPhaseRuns), {}, true, run_all));
  for (size_t i = 0; i < phases.size(); i++) {
    v1::BenchmarkPhase& phase = *measurement.add_phases();
    phase.set_name(phases[i]);
    phase.set_median_seconds(quantile(timed->phase_seconds()[i], 0.5));
  }
  return ok_status();
}

}  // namespace

double shortest_seconds(const CaseCost& cost, const DeviceLimits& limits) {
  const auto at = [](double amount, double rate) { return rate > 0 ? amount / rate : 0; };
  switch (cost.limit) {
    case Limit::kMemory:
      return at(cost.bytes, limits.copy_bytes_per_second);
    case Limit::kFp32:
      return at(cost.operations, limits.fp32_operations_per_second);
    case Limit::kTensor:
      return at(cost.operations, limits.tensor_operations_per_second);
    case Limit::kHostToDevice:
      return at(cost.bytes, limits.host_to_device_bytes_per_second);
    case Limit::kDeviceToHost:
      return at(cost.bytes, limits.device_to_host_bytes_per_second);
    case Limit::kNone:
      break;
  }
  return 0;
}

StatusOr<v1::Measurement> measure(device::Device& device, const PlannedCase& planned, int runs,
                                  const DeviceLimits& limits, const RunAll& run_all) {
  v1::Measurement measurement;
  describe(planned, measurement);
  const Status status = time_case(device, planned, runs, run_all, limits, measurement);
  if (status.ok()) return measurement;
  if (!is_fault_of_case(status.code())) return status;
  measurement.set_fault(message_of(status));
  return measurement;
}

StatusOr<DeviceLimits> measure_limits(device::Device& device, const RunAll& run_all) {
  DeviceLimits found;
  const Benchmark& benchmark = *find_benchmark(v1::BENCHMARK_NAME_LIMITS);
  const CaseSize size = (device.info().is_software ? benchmark.sizes_in_software : benchmark.sizes).back();
  const std::pair<std::string_view, double*> variants[] = {
      {"copy", &found.copy_bytes_per_second},
      {"fp32", &found.fp32_operations_per_second},
      {"fp16 tensor", &found.tensor_operations_per_second},
      {"host to device", &found.host_to_device_bytes_per_second},
      {"device to host", &found.device_to_host_bytes_per_second},
  };
  for (const auto& [variant, rate] : variants) {
    const PlannedCase planned{&benchmark, {std::string(variant), "", size}};
    ASSIGN_OR_RETURN(const v1::Measurement measured, measure(device, planned, kLimitRuns, {}, run_all));
    if (measured.median_seconds() <= 0) continue;
    const double amount = measured.operations() > 0 ? measured.operations() : measured.bytes();
    *rate = amount / measured.median_seconds();
  }
  return found;
}

}  // namespace weft::benchmarks
