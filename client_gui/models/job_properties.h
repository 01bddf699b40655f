// SPDX-License-Identifier: Apache-2.0
// Formats the details of a job as lines of text, from its detail and from its row, which is newer.
#pragma once

#include <QString>
#include <vector>

#include "client_gui/models/job_columns.h"

namespace weft::gui {

struct Property {
  QString name;
  QString value;         // empty: the line is a title
  bool is_part = false;  // true: the line belongs to the title above

  bool operator==(const Property&) const = default;
};

// Returns the lines. Unknown values are omitted. `row` is null if the table does not contain the
// job.
std::vector<Property> info_of(const JobDetail& detail, const JobRow* row);
// Returns the text shown instead of an empty log.
QString missing_log_text(const JobRow* row);

}  // namespace weft::gui
