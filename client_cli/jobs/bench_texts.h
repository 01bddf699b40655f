// SPDX-License-Identifier: Apache-2.0
// Formats the results of benchmarks for a terminal. All functions are pure.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client/benchmark_results.h"
#include "client_cli/output/terminal.h"

namespace weft::cli {

// Returns the benchmarks with a sentence each, as a table or as one JSON line each.
std::string format_benchmarks(const Terminal& terminal, bool json);
// Parses the names of benchmarks. INVALID_ARGUMENT: a name is unknown.
StatusOr<std::vector<v1::BenchmarkName>> parse_benchmarks(const std::vector<std::string>& names);

// Returns the device, the limits and one row per case.
std::string format_result(const Terminal& terminal, const client::BenchmarkRun& run);
// Returns one row per case, as a table or as one JSON line each.
std::string format_comparison(const Terminal& terminal, const client::BenchmarkRun& first,
                              const client::BenchmarkRun& second,
                              const std::vector<client::ComparedCase>& cases, bool json);
// Returns one row per run, or with `names` one row per case of these benchmarks.
std::string format_history(const Terminal& terminal, const std::vector<client::BenchmarkRun>& runs,
                           const std::vector<v1::BenchmarkName>& names);

// Returns the first run of each device. Name and ID identify a device.
std::vector<client::BenchmarkRun> newest_of_each(std::vector<client::BenchmarkRun> runs);

}  // namespace weft::cli
