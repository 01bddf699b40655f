// SPDX-License-Identifier: Apache-2.0
// Results of benchmarks as people read them in a terminal. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client/benchmark_results.h"
#include "client_cli/output/terminal.h"

namespace weft::cli {

// Each with a sentence; as JSON a line each.
std::string format_benchmarks(const Terminal& terminal, bool json);
// INVALID_ARGUMENT: there is none of that name.
StatusOr<std::vector<v1::BenchmarkName>> parse_benchmarks(const std::vector<std::string>& names);

// Device, limits, and a row a case.
std::string format_result(const Terminal& terminal, const client::BenchmarkRun& run);
// A row a case; as JSON a line a case.
std::string format_comparison(const Terminal& terminal, const client::BenchmarkRun& first,
                              const client::BenchmarkRun& second,
                              const std::vector<client::ComparedCase>& cases, bool json);
// A row a run; of `names` a row a case instead.
std::string format_history(const Terminal& terminal, const std::vector<client::BenchmarkRun>& runs,
                           const std::vector<v1::BenchmarkName>& names);

// The first of each device, by its name and driver.
std::vector<client::BenchmarkRun> newest_of_each(std::vector<client::BenchmarkRun> runs);

}  // namespace weft::cli
