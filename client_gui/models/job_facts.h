// SPDX-License-Identifier: Apache-2.0
// What is known of one job, as lines for people: of its detail, and of its row, which is newer.
#pragma once

#include <QString>
#include <vector>

#include "client_gui/models/job_columns.h"

namespace weft::gui {

struct Fact {
  QString name;
  QString value;         // of a title: empty
  bool is_part = false;  // of the title before

  bool operator==(const Fact&) const = default;
};

// What is not known is left out. `row`: null where the table does not know the job.
std::vector<Fact> facts_of(const JobDetail& detail, const JobRow* row);
// What stands where its log will.
QString missing_log_text(const JobRow* row);

}  // namespace weft::gui
