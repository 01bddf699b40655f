// SPDX-License-Identifier: Apache-2.0
#include "client_gui/connection/decisions.h"

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "client/decisions.h"
#include "weft/v1/decisions.pb.h"

namespace weft::gui {
namespace {

QString decision_text(const std::string& utf8) { return QString::fromStdString(printable(utf8)); }

bool is_valid(const DecisionSectionRow& section, const DecisionRow& row) {
  return section.kind >= 0 && section.begin < section.end && std::isfinite(section.end) &&
         section.values.size() == row.series.size() &&
         std::ranges::all_of(section.values, [](double value) { return std::isfinite(value); }) &&
         (row.sections.empty() || row.sections.back().end <= section.begin);
}

DecisionRow row_of(const v1::FilterDecision& decision) {
  const v1::DecisionTimeline& timeline = decision.timeline();
  DecisionRow row;
  row.analysis = decision_text(decision.analysis());
  row.report = decision_text(decision.report());
  for (const std::string& kind : timeline.kinds()) row.kinds.push_back(decision_text(kind));
  for (const v1::DecisionSeries& series : timeline.series())
    row.series.push_back({decision_text(series.name()), series.is_identifier()});
  for (const v1::DecisionSection& section : timeline.sections()) {
    const auto kind = std::ranges::find(timeline.kinds(), section.kind());
    DecisionSectionRow added{section.first_frame(),
                             section.frames(),
                             section.begin(),
                             section.end(),
                             kind == timeline.kinds().end() ? -1 : int(kind - timeline.kinds().begin()),
                             {section.values().begin(), section.values().end()}};
    if (is_valid(added, row)) row.sections.push_back(std::move(added));
  }
  return row;
}

}  // namespace

std::vector<DecisionRow> decisions_of(const v1::DecisionFile& file) {
  std::vector<DecisionRow> rows;
  for (const v1::FilterDecision& decision : file.decisions())
    if (decision.timeline().sections_size() > 0) rows.push_back(row_of(decision));
  return rows;
}

JobDecisions decisions_of(const QString& id, const StatusOr<std::string>& text) {
  JobDecisions result{.id = id, .decisions = {}, .error = {}};
  const StatusOr<v1::DecisionFile> file =
      text.ok() ? client::parse_decisions(*text) : StatusOr<v1::DecisionFile>(text.status());
  result.exist = file.ok();
  if (file.ok())
    result.decisions = decisions_of(*file);
  else if (file.status().code() != StatusCode::kNotFound)
    result.error = QString::fromStdString(printable_lines(message_of(file.status())));
  return result;
}

}  // namespace weft::gui
