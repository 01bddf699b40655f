// SPDX-License-Identifier: Apache-2.0
// Defines the decisions of a job's analyses over time as plain values.
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "base/status.h"

namespace weft::v1 {
class DecisionFile;
}

namespace weft::gui {

// A part of the input.
struct DecisionSectionRow {
  int64_t first_frame = 0, frames = 0;
  double begin = 0, end = 0;   // seconds from the begin of the first section
  int kind = 0;                // index in DecisionRow::kinds
  std::vector<double> values;  // one for each of DecisionRow::series
};

// The meaning of a value of each section.
struct DecisionSeriesRow {
  QString name;
  bool is_identifier = false;  // no quantity
};

// The decision of an analysis. Names of kinds and series are terms of its filter (choice_text()).
struct DecisionRow {
  QString analysis;
  QString report;  // one sentence; may be empty
  QStringList kinds;
  std::vector<DecisionSeriesRow> series;
  std::vector<DecisionSectionRow> sections;  // in order of time
};

// The decisions of a job that have sections.
struct JobDecisions {
  QString id;          // ID of the job
  bool exist = false;  // the job has decisions, with sections or without
  std::vector<DecisionRow> decisions;
  QString error;  // reason for missing data, one sentence; empty: data are present
};

// Returns the decisions of a file. Sections that do not match the declared kinds and series are
// left out.
std::vector<DecisionRow> decisions_of(const v1::DecisionFile& file);
// Returns the decisions of a job from the daemon's answer. NOT_FOUND: the job has none.
JobDecisions decisions_of(const QString& id, const StatusOr<std::string>& text);

}  // namespace weft::gui
