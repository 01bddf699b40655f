// SPDX-License-Identifier: Apache-2.0
// What jobs of benchmarks measured: fetched, written for other programs, read back, compared. For every client; plots are in
// benchmark_plots.h. Pure but for fetch_results().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/jobs.h"
#include "weft/v1/benchmark.pb.h"

namespace weft::client {

// The kind of jobs that measure, as JobFilter has it.
inline constexpr const char* kBenchmarkKind = "bench";

struct BenchmarkRun {
  std::string job;  // its id; of a file its name
  v1::BenchmarkResult result;
};

// Of the jobs that ended well, the newest first, at most so many; of one device, or of all where it is empty. Errors are Jobs'.
StatusOr<std::vector<BenchmarkRun>> fetch_results(Jobs& jobs, const std::string& device, size_t most);

// "compaction", "look-back", "random 50%", "16777216", joined by spaces; the same for the same case on any machine.
std::string case_name(const v1::Measurement& measurement);
// Of the shortest time that the limit allows, 0 to 1 and above; nothing: it was not timed, or no limit is known.
std::optional<double> share_of_limit(const v1::Measurement& measurement);
// "12.3 us"; 0 is "-".
std::string format_device_time(double seconds);
// Bytes, else operations, else units a second: "3021 GB/s", "51.2 TFLOP/s", "1.2 G elements/s".
std::string format_benchmark_rate(const v1::Measurement& measurement);

// A line a case, with a line of titles; quoted as RFC 4180 says.
std::string to_csv(const v1::BenchmarkResult& result);
// One object, with the fields of the message by their names, choices by their short names, and a line's end.
std::string to_json(const v1::BenchmarkResult& result);
// Reads what to_json() wrote, or protobuf's own JSON of the message. INVALID_ARGUMENT: it is none.
StatusOr<v1::BenchmarkResult> parse_result(std::string_view json);

// A case that two runs have. Times are medians; 0: not timed.
struct ComparedCase {
  std::string name;
  double first_seconds = 0, second_seconds = 0;
  // The times' quartile ranges do not overlap.
  bool differs = false;
};
// In the order of the first; cases that only one of them has are left out.
std::vector<ComparedCase> compare_results(const v1::BenchmarkResult& first,
                                          const v1::BenchmarkResult& second);

}  // namespace weft::client
