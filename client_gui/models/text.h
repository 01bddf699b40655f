// SPDX-License-Identifier: Apache-2.0
// Values as people read them in the windows: those of every client, as Qt's text.
#pragma once

#include <QString>
#include <cstdint>

namespace weft::gui {

QString clock_text(double seconds);     // "0:01:29"
QString duration_text(double seconds);  // what something took: "8.35 s", "0:01:29"
QString age_text(double seconds);       // "12 s"
QString bytes_text(int64_t bytes);      // "1.5 KiB"

// The words for one thing, or those for any other number of them, which stands for their %1:
//   counted(jobs, tr("1 job is queued."), tr("%1 jobs are queued."))
QString counted(int64_t number, const QString& one, const QString& several);

}  // namespace weft::gui
