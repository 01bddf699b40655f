// SPDX-License-Identifier: Apache-2.0
// Prints the results of jobs without files: benchmarks and tuned kernels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/benchmark_results.h"
#include "client/connection.h"
#include "client_cli/context/context.h"
#include "client_cli/jobs/follow.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

// Returns one row per kernel and size class.
std::string format_tuned(const Terminal& terminal,
                         const google::protobuf::RepeatedPtrField<v1::TunedKernel>& kernels);

// Prints a result as a table, or as CSV or JSON.
void print_benchmark(const CommandContext& context, const client::BenchmarkRun& run, bool csv = false);
void print_tuned(const CommandContext& context, const v1::TuneResult& tuned);

// Follows the jobs with `options` and prints their results. Only results are written to standard
// output. Returns the exit code.
int follow_to_results(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
                      const std::vector<v1::Job>& jobs, const FollowOptions& options, bool csv = false);

// Prints the results of the ended jobs that have results.
void print_results(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
                   const std::vector<v1::Job>& jobs, bool csv = false);

}  // namespace weft::cli
