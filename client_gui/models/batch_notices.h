// SPDX-License-Identifier: Apache-2.0
// Groups jobs to batches, so that a person is told once when a batch has ended instead of job by job. Knows neither a clock
// nor a window.
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "client_gui/connection/values.h"

namespace weft::gui {

// How far apart the submits of one batch may be, and how long after its last one more are waited for.
inline constexpr double kBatchSeconds = 10;

struct BatchNotice {
  QString name;  // the labels, or the files of the first job
  int succeeded = 0, failed = 0, cancelled = 0;
  QStringList failures;  // files of the failed jobs, in the order of their submits

  int jobs() const { return succeeded + failed + cancelled; }
  bool operator==(const BatchNotice&) const = default;
};

// Jobs of one server and owner are a batch when they have the same labels, or none and were submitted within kBatchSeconds of
// one another. Only jobs that were seen before their end count: what was over at the start is no news.
class BatchNotices {
 public:
  void see(int server, const JobRow& job);
  void forget(int server, const QString& id);
  void forget_server(int server);
  // The batches that have ended, each once. `now`: seconds since 1970.
  std::vector<BatchNotice> take(double now);

 private:
  struct Member {
    v1::JobState state{};
    QString files;
  };
  struct Batch {
    int server = 0;
    QString owner, labels;
    double first = 0, last = 0;         // of its submits
    std::map<QString, Member> members;  // by id, so by time
  };
  Batch& batch_for(int server, const JobRow& job);
  static bool is_over(const Batch& batch, double now);
  static BatchNotice notice_of(const Batch& batch);

  std::list<Batch> batches_;
  QHash<std::pair<int, QString>, Batch*> batches_by_job_;  // by server and id
};

}  // namespace weft::gui
