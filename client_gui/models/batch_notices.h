// SPDX-License-Identifier: Apache-2.0
// Groups jobs into batches, so that one notice reports a batch instead of a job. Uses no clock and
// no windows.
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

// Seconds. The largest interval between the submissions of one batch, and the time to wait for
// further submissions.
inline constexpr double kBatchSeconds = 10;

struct BatchNotice {
  QString name;  // labels of the jobs, or files of the first job
  int succeeded = 0, failed = 0, cancelled = 0;
  QStringList failures;  // files of the failed jobs, in the order of submission

  int jobs() const { return succeeded + failed + cancelled; }
  bool operator==(const BatchNotice&) const = default;
};

// Groups the jobs of one server and owner. They form a batch if their labels are equal or, without
// labels, if they were submitted within kBatchSeconds of one another. A job that has ended when it
// is first seen belongs to no batch.
class BatchNotices {
 public:
  void see(int server, const JobRow& job);
  void forget(int server, const QString& id);
  void forget_server(int server);
  // Returns the batches that have ended since the last call. `now` is in seconds since 1970.
  std::vector<BatchNotice> take(double now);

 private:
  struct Member {
    v1::JobState state{};
    QString files;
  };
  struct Batch {
    int server = 0;
    QString owner, labels;
    double first = 0, last = 0;         // first and last time of submission, seconds since 1970
    std::map<QString, Member> members;  // by job ID, in the order of submission
  };
  Batch& batch_for(int server, const JobRow& job);
  static bool is_over(const Batch& batch, double now);
  static BatchNotice notice_of(const Batch& batch);

  std::list<Batch> batches_;
  QHash<std::pair<int, QString>, Batch*> batches_by_job_;  // by server and job ID
};

}  // namespace weft::gui
