// SPDX-License-Identifier: Apache-2.0
// What a person asked for of some jobs at once: told in one sentence when every job's answer has come.
#pragma once

#include <QString>
#include <QStringList>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "client_gui/connection/values.h"
#include "client_gui/models/job_columns.h"

namespace weft::gui {

struct OrderSummary {
  JobCommand::Kind kind{};
  QStringList done;      // files of the jobs to which it was done
  QStringList refusals;  // why it was not done to others, a sentence each
};

// "3 jobs are paused.", "in.ts is paused."; empty: it was done to none.
QString done_sentence(const OrderSummary& summary);
// "2 jobs were refused: There is no job ..."; empty: none was.
QString refused_sentence(const OrderSummary& summary);
// The first of the names, and how many more there are: "a.ts, b.ts and 12 more".
QString first_names(const QStringList& names);

class OrderBatches {
 public:
  void begin(JobCommand::Kind kind, const std::vector<PlacedJob>& jobs);
  // The batch that ended with it, if one did. Answers to a job's orders come in the order of the orders.
  std::optional<OrderSummary> take(int server, const OrderAnswer& answer);
  // No more answers come from there.
  void forget_server(int server);

 private:
  struct Batch {
    OrderSummary summary;
    std::map<std::pair<int, QString>, QString> waiting;  // files, by server and id
  };
  std::list<Batch> batches_;
};

}  // namespace weft::gui
