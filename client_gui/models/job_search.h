// SPDX-License-Identifier: Apache-2.0
// What a person types to find jobs: words that all occur in what is shown of a job, and words for one field of it.
//
//   "tape 7 state:failed owner:anna"
#pragma once

#include <QByteArray>
#include <QString>
#include <vector>

#include "client_gui/models/job_columns.h"

namespace weft::gui {

// A word without a field finds ids that begin with it from this length on: shorter ones begin most ids.
inline constexpr int kShortestIdPrefix = 6;

class JobSearch {
 public:
  JobSearch() = default;
  // `columns`: those that words without a field are looked for in.
  JobSearch(const QString& text, std::vector<JobColumn> columns);

  bool is_empty() const { return words_.empty() && fields_.empty(); }
  // Whether words without a field are looked for: only then matches() needs `words_of_job`.
  bool has_words() const { return !words_.empty(); }
  const std::vector<JobColumn>& columns() const { return columns_; }
  // What words are looked for in. Worth keeping: capitals are folded, which takes time.
  QByteArray words_of(const PlacedJob& placed) const;
  bool matches(const PlacedJob& placed, const QByteArray& words_of_job) const;

 private:
  struct Field {
    JobColumn column{};
    QString value;  // case folded
  };

  std::vector<JobColumn> columns_;
  std::vector<QByteArray> words_;
  std::vector<Field> fields_;
};

// The columns with texts that can be searched.
const std::vector<JobColumn>& searchable_columns();
// "state, file, ..., id": the fields' names, for people.
QString search_field_names();

}  // namespace weft::gui
