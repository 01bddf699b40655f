// SPDX-License-Identifier: Apache-2.0
// What was measured, as text: for people, and for files.
#pragma once

#include <QByteArray>
#include <QString>

#include "client_gui/connection/benchmark_runs.h"

namespace weft::gui {

// What jobs that measure are called among the kinds of jobs.
QString benchmark_kind();
// "compaction".
QString benchmark_name(v1::BenchmarkName benchmark);
// Local time: "2026-11-22 12:00".
QString time_text(const client::BenchmarkRun& run);
// "2026-11-22 12:00, cuda:0".
QString short_title(const client::BenchmarkRun& run);
// On what, and under which circumstances: sentences.
QString conditions_text(const client::BenchmarkRun& run);

enum class BenchmarkFile { kCsv, kJson, kHtml };
// A run for other programs, as `weft bench show` writes it, or as a page with the machine's devices, on which the run that it is compared
// with stands too. `other`: may be null.
QByteArray file_of(BenchmarkFile type, const BenchmarkRuns& all, const client::BenchmarkRun& run,
                   const client::BenchmarkRun* other);

}  // namespace weft::gui
