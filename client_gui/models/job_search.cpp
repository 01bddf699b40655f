// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/job_search.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <array>
#include <optional>

namespace weft::gui {
namespace {

struct FieldName {
  const char* name;
  JobColumn column;
};
// The names of fields as in the API and on the command line, in every language. The titles of the
// columns are accepted too.
constexpr std::array<FieldName, 11> kNames = {{{"state", JobColumn::kState},
                                               {"file", JobColumn::kFiles},
                                               {"device", JobColumn::kDevice},
                                               {"owner", JobColumn::kOwner},
                                               {"label", JobColumn::kLabels},
                                               {"reason", JobColumn::kNote},
                                               {"kind", JobColumn::kKind},
                                               {"class", JobColumn::kClass},
                                               {"priority", JobColumn::kPriority},
                                               {"server", JobColumn::kServer},
                                               {"id", JobColumn::kId}}};

// Returns case-folded UTF-8, which needs half the memory of QString and is faster to search.
QByteArray fold(const QString& text) { return text.toCaseFolded().toUtf8(); }

std::optional<JobColumn> find_field(const QString& folded) {
  for (const FieldName& each : kNames)
    if (folded == QLatin1String(each.name) || folded == title_of(each.column).toCaseFolded())
      return each.column;
  return std::nullopt;
}

bool has_value(const PlacedJob& placed, JobColumn column, const QString& value) {
  const QString text = text_of(placed, column, 0).toCaseFolded();
  switch (column) {
    case JobColumn::kId:
      return text.startsWith(value);
    case JobColumn::kPriority:
      return text == value;
    default:
      return text.contains(value);
  }
}

}  // namespace

const std::vector<JobColumn>& searchable_columns() {
  static const std::vector<JobColumn> columns = [] {
    std::vector<JobColumn> all;
    for (const FieldName& each : kNames)
      if (each.column != JobColumn::kId && each.column != JobColumn::kPriority) all.push_back(each.column);
    return all;
  }();
  return columns;
}

QString search_field_names() {
  QStringList names;
  for (const FieldName& each : kNames) names.push_back(QLatin1String(each.name));
  return names.join(QStringLiteral(", "));
}

JobSearch::JobSearch(const QString& text, std::vector<JobColumn> columns) : columns_(std::move(columns)) {
  static const QRegularExpression kSpace(QStringLiteral("\\s+"));
  for (const QString& word : text.split(kSpace, Qt::SkipEmptyParts)) {
    const auto colon = word.indexOf(':');
    const auto column = colon > 0 ? find_field(word.left(colon).toCaseFolded()) : std::nullopt;
    if (!column)
      words_.push_back(fold(word));
    else if (colon + 1 < word.size())
      // a field without a value is ignored: the value is not typed yet
      fields_.push_back({*column, word.mid(colon + 1).toCaseFolded()});
  }
}

QByteArray JobSearch::words_of(const PlacedJob& placed) const {
  QStringList parts;
  for (const JobColumn column : columns_) parts.push_back(text_of(placed, column, 0));
  return fold(parts.join('\n'));
}

bool JobSearch::matches(const PlacedJob& placed, const QByteArray& words_of_job) const {
  const auto is_id = [&](const QByteArray& word) {
    return word.size() >= kShortestIdPrefix &&
           placed.job.id.startsWith(QLatin1String(word), Qt::CaseInsensitive);
  };
  return std::all_of(fields_.begin(), fields_.end(),
                     [&](const Field& each) { return has_value(placed, each.column, each.value); }) &&
         std::all_of(words_.begin(), words_.end(),
                     [&](const QByteArray& word) { return words_of_job.contains(word) || is_id(word); });
}

}  // namespace weft::gui
