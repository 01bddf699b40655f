// SPDX-License-Identifier: Apache-2.0
// What jobs without files found, on standard output: benchmarks and tuned kernels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/benchmark_results.h"
#include "client/connection.h"
#include "client_cli/context/context.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

// A row a kernel and size.
std::string format_tuned(const Terminal& terminal,
                         const google::protobuf::RepeatedPtrField<v1::TunedKernel>& kernels);

// As a table, CSV or JSON.
void print_benchmark(const CommandContext& context, const client::BenchmarkRun& run, bool csv = false);
void print_tuned(const CommandContext& context, const v1::TuneResult& tuned);

// Of jobs that have ended, those that found something.
void print_results(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
                   const std::vector<v1::Job>& jobs, bool csv = false);

}  // namespace weft::cli
