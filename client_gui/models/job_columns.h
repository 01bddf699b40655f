// SPDX-License-Identifier: Apache-2.0
// Defines the columns of the jobs table: titles, texts and order.
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

// A job and its server.
struct PlacedJob {
  JobRow job;
  int server = 0;  // number of the server in the fleet
  QString server_name;
};

QString title_of(JobColumn column);
// Returns the column's tool tip.
QString help_of(JobColumn column);
Qt::Alignment alignment_of(JobColumn column);
// Returns the text of a cell. `now` is in seconds since 1970; 0 means unknown, and times are shown
// with their dates.
QString text_of(const PlacedJob& placed, JobColumn column, double now);
// Returns a negative number if `a` precedes `b` in ascending order, a positive number if it
// follows, and 0 if they are equal.
int compare(const PlacedJob& a, const PlacedJob& b, JobColumn column);

// Returns the name of a state: "running".
QString name_of(v1::JobState state);

}  // namespace weft::gui
