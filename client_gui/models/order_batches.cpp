// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/order_batches.h"

#include <QCoreApplication>

#include "client_gui/models/text.h"

namespace weft::gui {
namespace {

constexpr int kMostNames = 5;

struct Orders {
  Q_DECLARE_TR_FUNCTIONS(Orders)
};

// Sentences after an order. %1 is the name of a job or the number of jobs.
struct Sentences {
  QString one, several;
};
Sentences sentences_of(JobCommand::Kind kind) {
  switch (kind) {
    case JobCommand::Kind::kPause:
      return {Orders::tr("%1 is paused."), Orders::tr("%1 jobs are paused.")};
    case JobCommand::Kind::kResume:
      return {Orders::tr("%1 is back in the queue."), Orders::tr("%1 jobs are back in the queue.")};
    case JobCommand::Kind::kCancel:
      return {Orders::tr("%1 is cancelled."), Orders::tr("%1 jobs are cancelled.")};
    case JobCommand::Kind::kRetry:
      return {Orders::tr("%1 is queued again."), Orders::tr("%1 jobs are queued again.")};
    case JobCommand::Kind::kPriority:
      return {Orders::tr("The priority of %1 has changed."),
              Orders::tr("The priority of %1 jobs has changed.")};
  }
  return {};
}

}  // namespace

QString done_sentence(const OrderSummary& summary) {
  if (summary.done.isEmpty()) return {};
  const Sentences sentences = sentences_of(summary.kind);
  return summary.done.size() == 1 ? sentences.one.arg(summary.done[0])
                                  : sentences.several.arg(summary.done.size());
}

QString refused_sentence(const OrderSummary& summary) {
  if (summary.refusals.size() <= 1) return summary.refusals.value(0);
  return Orders::tr("%1 jobs were refused; the first: %2")
      .arg(summary.refusals.size())
      .arg(summary.refusals[0]);
}

QString first_names(const QStringList& names) {
  const QString first = names.mid(0, kMostNames).join('\n');
  const auto more = names.size() - kMostNames;
  return more <= 0 ? first : first + '\n' + Orders::tr("and %1 more").arg(more);
}

void OrderBatches::begin(JobCommand::Kind kind, const std::vector<PlacedJob>& jobs) {
  Batch batch;
  batch.summary.kind = kind;
  for (const PlacedJob& placed : jobs) batch.waiting[{placed.server, placed.job.id}] = placed.job.files;
  if (!batch.waiting.empty()) batches_.push_back(std::move(batch));
}

std::optional<OrderSummary> OrderBatches::take(int server, const OrderAnswer& answer) {
  if (answer.of_device) return std::nullopt;
  for (auto batch = batches_.begin(); batch != batches_.end(); ++batch) {
    const auto waiting = batch->waiting.find({server, answer.id});
    if (waiting == batch->waiting.end()) continue;
    if (answer.reason.isEmpty())
      batch->summary.done.push_back(waiting->second);
    else
      batch->summary.refusals.push_back(answer.reason);
    batch->waiting.erase(waiting);
    if (!batch->waiting.empty()) return std::nullopt;
    OrderSummary summary = std::move(batch->summary);
    batches_.erase(batch);
    return summary;
  }
  return std::nullopt;
}

void OrderBatches::forget_server(int server) {
  for (Batch& batch : batches_)
    std::erase_if(batch.waiting, [server](const auto& each) { return each.first.first == server; });
  std::erase_if(batches_, [](const Batch& batch) { return batch.waiting.empty(); });
}

}  // namespace weft::gui
