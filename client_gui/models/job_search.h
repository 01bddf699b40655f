// SPDX-License-Identifier: Apache-2.0
// Searches for jobs. All words of a search must occur in a job's searched columns or, after the
// name of a field, in the value of this field: "tape 7 state:failed owner:anna".
#pragma once

#include <QByteArray>
#include <QString>
#include <vector>

#include "client_gui/models/job_columns.h"

namespace weft::gui {

// Least length of a word that is compared with the beginning of an ID. Shorter words are the
// beginning of most IDs.
inline constexpr int kShortestIdPrefix = 6;

class JobSearch {
 public:
  JobSearch() = default;
  // `columns` are searched for words without a field.
  JobSearch(const QString& text, std::vector<JobColumn> columns);

  bool is_empty() const { return words_.empty() && fields_.empty(); }
  // Returns true if there are words without a field. Only then does matches() use `words_of_job`.
  bool has_words() const { return !words_.empty(); }
  const std::vector<JobColumn>& columns() const { return columns_; }
  // Returns the case-folded text of the searched columns. Folding is slow, so callers keep the text
  // for matches().
  QByteArray words_of(const PlacedJob& placed) const;
  bool matches(const PlacedJob& placed, const QByteArray& words_of_job) const;

 private:
  struct Field {
    JobColumn column{};
    QString value;  // case-folded
  };

  std::vector<JobColumn> columns_;
  std::vector<QByteArray> words_;
  std::vector<Field> fields_;
};

// Returns the searchable columns.
const std::vector<JobColumn>& searchable_columns();
// Returns the names of the fields for display: "state, file, ..., id".
QString search_field_names();

}  // namespace weft::gui
