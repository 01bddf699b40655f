// SPDX-License-Identifier: Apache-2.0
// What a daemon's jobs of benchmarks measured, as one value that crosses from the connection's threads to the windows' thread.
#pragma once

#include <QString>
#include <vector>

#include "client/benchmark_results.h"
#include "weft/v1/device_service.pb.h"

namespace weft::gui {

inline constexpr size_t kMostBenchmarkRuns = 100;  // that are fetched, the newest

struct BenchmarkRuns {
  std::vector<client::BenchmarkRun> runs;  // the newest first
  v1::ListDevicesResponse devices;         // of the machine
  QString error;                           // why there is nothing of that, in a sentence
};

}  // namespace weft::gui
