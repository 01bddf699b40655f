// SPDX-License-Identifier: Apache-2.0
// Formats values as the other clients do, as Qt strings.
#pragma once

#include <QString>
#include <cstdint>

namespace weft::gui {

QString clock_text(double seconds);     // returns "0:01:29"
QString duration_text(double seconds);  // returns an elapsed time: "8.35 s", "0:01:29"
QString age_text(double seconds);       // returns "12 s"
QString bytes_text(int64_t bytes);      // returns "1.5 KiB"

// Returns `one` if `number` is 1, else `several` with the number in place of %1:
//   counted(jobs, tr("1 job is queued."), tr("%1 jobs are queued."))
QString counted(int64_t number, const QString& one, const QString& several);

}  // namespace weft::gui
