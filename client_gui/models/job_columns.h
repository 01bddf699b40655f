// SPDX-License-Identifier: Apache-2.0
// The columns of the table of jobs: their titles, what stands in them and how they are sorted.
#pragma once

#include <QString>
#include <Qt>

#include "client_gui/connection/values.h"

namespace weft::gui {

enum class JobColumn {
  kState,
  kDone,
  kEta,
  kRate,
  kFiles,
  kDevice,
  kOwner,
  kLabels,
  kNote,
  kPriority,
  kAge,
  kEnded,
  kKind,
  kClass,
  kAttempts,
  kServer,
  kId
};
inline constexpr int kJobColumns = int(JobColumn::kId) + 1;

// A job, and where it is from.
struct PlacedJob {
  JobRow job;
  int server = 0;  // its number in the fleet
  QString server_name;
};

QString title_of(JobColumn column);
// A sentence about the column, for its tool tip.
QString help_of(JobColumn column);
Qt::Alignment alignment_of(JobColumn column);
// `now`: seconds since 1970; 0: not known, then times stand with their dates.
QString text_of(const PlacedJob& placed, JobColumn column, double now);
// Below zero: a stands before b where the order is ascending; 0: alike.
int compare(const PlacedJob& a, const PlacedJob& b, JobColumn column);

// "running", as everywhere.
QString name_of(v1::JobState state);

}  // namespace weft::gui
