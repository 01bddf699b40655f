// SPDX-License-Identifier: Apache-2.0
// Formats benchmark results for the display and for files.
#pragma once

#include <QByteArray>
#include <QString>

#include "client_gui/connection/benchmark_runs.h"

namespace weft::gui {

// Returns the name of the kind of jobs that run benchmarks.
QString benchmark_kind();
// Returns the name of a benchmark: "compaction".
QString benchmark_name(v1::BenchmarkName benchmark);
// Returns the local time of a run: "2026-11-22 12:00".
QString time_text(const client::BenchmarkRun& run);
// Returns time and device of a run: "2026-11-22 12:00, cuda:0".
QString short_title(const client::BenchmarkRun& run);
// Returns sentences about the device, the versions, the clocks and the load during the measurement.
QString conditions_text(const client::BenchmarkRun& run);

enum class BenchmarkFile { kCsv, kJson, kHtml };
// Returns a run as a file: as CSV or JSON in the form of `weft bench show`, or as an HTML page that
// includes the server's devices and `other`. `other` is the run compared with, or null.
QByteArray file_of(BenchmarkFile type, const BenchmarkRuns& all, const client::BenchmarkRun& run,
                   const client::BenchmarkRun* other);

}  // namespace weft::gui
