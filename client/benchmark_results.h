// SPDX-License-Identifier: Apache-2.0
// Fetches, exports, imports and compares the results of benchmark jobs, for all clients (plots:
// benchmark_plots.h). All functions except fetch_results() are pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/jobs.h"
#include "weft/v1/benchmark.pb.h"

namespace weft::client {

// Name of the kind of benchmark jobs in JobFilter.
inline constexpr const char* kBenchmarkKind = "bench";

struct BenchmarkRun {
  std::string job;  // ID of the job, or name of the file
  v1::BenchmarkResult result;
};

// Returns the results of successful benchmark jobs on `device`, newest first, at most `most`
// results. An empty `device` means all devices. Errors are those of Jobs.
StatusOr<std::vector<BenchmarkRun>> fetch_results(Jobs& jobs, const std::string& device, size_t most);

// Returns the name of a case, which identifies the case on any machine: benchmark, variant, input
// and size, joined by spaces ("compaction look-back random 50% 16777216").
std::string case_name(const v1::Measurement& measurement);
// Returns the shortest time at the limit divided by the measured time: 0 to 1, or more. Returns
// nothing if the time or the limit is unknown.
std::optional<double> share_of_limit(const v1::Measurement& measurement);
// Returns a time as text: "12.3 us". The text of 0 is "-".
std::string format_device_time(double seconds);
// Returns the rate of a case in bytes per second, else in operations, else in units: "3021 GB/s",
// "51.2 TFLOP/s", "1.2 G elements/s".
std::string format_benchmark_rate(const v1::Measurement& measurement);

// Returns CSV (RFC 4180) with a line of titles and a line per case.
std::string to_csv(const v1::BenchmarkResult& result);
// Parses a result from JSON (client/json.h). Returns INVALID_ARGUMENT if the text is not a result.
StatusOr<v1::BenchmarkResult> parse_result(std::string_view json);

// A case that both runs contain. The times are medians in seconds; 0 means that the case was not
// timed.
struct ComparedCase {
  std::string name;
  double first_seconds = 0, second_seconds = 0;
  // true if the quartile ranges of the two times do not overlap
  bool differs = false;
};
// Returns the cases that both runs contain, in the order of the first run.
std::vector<ComparedCase> compare_results(const v1::BenchmarkResult& first,
                                          const v1::BenchmarkResult& second);

}  // namespace weft::client
