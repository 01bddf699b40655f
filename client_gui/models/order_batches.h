// SPDX-License-Identifier: Apache-2.0
// Collects the answers to an order for several jobs and summarises them in one sentence.
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
  QStringList done;      // files of the jobs for which the order succeeded
  QStringList refusals;  // reasons of refused orders, one sentence each
};

// Returns "3 jobs are paused." or "in.ts is paused.", or an empty string if no order succeeded.
QString done_sentence(const OrderSummary& summary);
// Returns "2 jobs were refused: There is no job ...", or an empty string if no order was refused.
QString refused_sentence(const OrderSummary& summary);
// Returns the first names and the number of the remaining ones: "a.ts, b.ts and 12 more".
QString first_names(const QStringList& names);

class OrderBatches {
 public:
  void begin(JobCommand::Kind kind, const std::vector<PlacedJob>& jobs);
  // Adds an answer and returns the batch that it completes, if any. The answers for a job arrive in
  // the order of its orders.
  std::optional<OrderSummary> take(int server, const OrderAnswer& answer);
  // Removes the pending answers of the server, which do not arrive any more.
  void forget_server(int server);

 private:
  struct Batch {
    OrderSummary summary;
    // jobs without an answer: files by server and ID
    std::map<std::pair<int, QString>, QString> waiting;
  };
  std::list<Batch> batches_;
};

}  // namespace weft::gui
