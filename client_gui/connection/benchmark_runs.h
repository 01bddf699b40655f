// SPDX-License-Identifier: Apache-2.0
// Defines the results of a daemon's benchmark jobs as the connection's threads pass them to the GUI
// thread.
#pragma once

#include <QString>
#include <vector>

#include "client/benchmark_results.h"
#include "weft/v1/device_service.pb.h"

namespace weft::gui {

inline constexpr size_t kMostBenchmarkRuns = 100;  // number of fetched results, the newest ones

struct BenchmarkRuns {
  std::vector<client::BenchmarkRun> runs;  // newest first
  v1::ListDevicesResponse devices;         // devices of the server
  // reason for missing data as a sentence; empty: data are present
  QString error;
};

}  // namespace weft::gui
