// SPDX-License-Identifier: Apache-2.0
// Holds the subscriptions to jobs, devices and logs, and their undelivered events. Readers request
// events on any thread; only the queue's thread adds events. A reader that stops reading needs at
// most the memory of the limits below.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/queue/job_table.h"
#include "server/queue/placement/device_table.h"
#include "server/queue/pull.h"
#include "server/queue/records/record.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job_service.pb.h"

namespace weft::queue {

// Number of kept changes of all jobs. It limits the age of a resume token.
inline constexpr size_t kChangesKept = 8192;
inline constexpr size_t kChangesPerWatch = 8192;  // undelivered changes of one reader
// Bytes of the jobs in either list of changes; if they are large, fewer changes are kept.
inline constexpr int64_t kChangesBytes = 64 << 20;
inline constexpr int64_t kLogLinesPerRead = 256;

// Runs work on the queue's thread; has no effect after that thread has ended.
using Post = std::function<void(std::function<void()>)>;

// Counts a subscription in the number of subscriptions of a queue.
class WatchCount {
 public:
  explicit WatchCount(std::shared_ptr<std::atomic<int>> count) : count_(std::move(count)) { ++*count_; }
  ~WatchCount() { --*count_; }
  WatchCount(const WatchCount&) = delete;
  WatchCount& operator=(const WatchCount&) = delete;

 private:
  std::shared_ptr<std::atomic<int>> count_;
};

// Returns a resume token: "STORE-REVISION".
std::string make_resume_token(const std::string& store_id, int64_t revision);
// Returns the revision in a resume token. OUT_OF_RANGE: the token is from another store or
// malformed.
StatusOr<int64_t> read_resume_token(const std::string& store_id, const std::string& token);

class JobSubscription final : public Pull<v1::WatchJobsResponse> {
 public:
  // requests more of the snapshot
  using Fill = std::function<void(std::weak_ptr<JobSubscription>)>;

  JobSubscription(v1::JobFilter filter, std::shared_ptr<std::atomic<int>> count)
      : filter_(std::move(filter)), count_(std::move(count)) {}

  const v1::JobFilter& filter() const { return filter_; }

  // The remaining functions are called on the queue's thread. A subscription begins with a snapshot
  // of the jobs up to `last_id`; without begin_snapshot() it begins with changes.
  void begin_snapshot(std::string last_id, std::string end_token, Fill fill,
                      std::weak_ptr<JobSubscription> self);
  void fill_snapshot(const JobTable& jobs, const std::function<v1::Job(const JobRecord&)>& decorate);
  void changed(const std::shared_ptr<const v1::Job>& job, std::string token);
  void progressed(const std::shared_ptr<const v1::Job>& job);
  void forgotten(const std::shared_ptr<const v1::Job>& job, std::string token);

 private:
  std::optional<v1::WatchJobsResponse> take() override;
  void drop() override;
  void starved() override;
  bool is_ahead(const std::string& id) const { return snapshotting_ && id > cursor_ && id <= last_id_; }

  struct Change {
    v1::WatchJobsResponse::Kind kind;
    std::shared_ptr<const v1::Job> job;
    std::string token;
  };
  void add(Change change);

  const v1::JobFilter filter_;
  WatchCount count_;
  bool snapshotting_ = false;
  std::string cursor_;  // id; jobs up to it were delivered or are in snapshot_
  std::string last_id_;
  std::string end_token_;
  Fill fill_;
  std::weak_ptr<JobSubscription> self_;
  std::deque<v1::WatchJobsResponse> snapshot_;
  std::deque<Change> changes_;
  int64_t changes_bytes_ = 0;
  std::map<std::string, std::shared_ptr<const v1::Job>> progress_;  // newest progress of each job
};

class DeviceSubscription final : public Pull<v1::DeviceStatus> {
 public:
  DeviceSubscription(std::vector<std::string> ids, std::shared_ptr<std::atomic<int>> count)
      : ids_(std::move(ids)), count_(std::move(count)) {}
  void changed(const v1::DeviceStatus& device);

 private:
  std::optional<v1::DeviceStatus> take() override;
  void drop() override;

  const std::vector<std::string> ids_;
  WatchCount count_;
  std::deque<std::string> order_;  // ids with an undelivered status, each once
  std::map<std::string, v1::DeviceStatus> newest_;
};

class LogSubscription final : public Pull<v1::ReadJobLogResponse> {
 public:
  using Fill = std::function<void(std::weak_ptr<LogSubscription>)>;  // requests more lines

  LogSubscription(int64_t first_line, bool follow, std::shared_ptr<std::atomic<int>> count)
      : follow_(follow), count_(std::move(count)), next_line_(first_line < 0 ? 0 : first_line) {}

  bool follow() const { return follow_; }
  const std::string& job_id() const { return job_id_; }
  // Called on the queue's thread.
  void begin(std::string job_id, Fill fill, std::weak_ptr<LogSubscription> self);
  int64_t next_line() const { return next_line_; }
  void wake() { pump(); }  // called if there may be more lines or the job has ended
  void add(std::vector<v1::ReadJobLogResponse> lines);

 private:
  std::optional<v1::ReadJobLogResponse> take() override;
  void drop() override { lines_.clear(); }
  void starved() override;

  const bool follow_;
  WatchCount count_;
  std::string job_id_;
  int64_t next_line_;  // first line to request; used only on the queue's thread
  Fill fill_;
  std::weak_ptr<LogSubscription> self_;
  std::deque<v1::ReadJobLogResponse> lines_;
};

// Subscribers of devices. Used on the queue's thread.
class DeviceWatches {
 public:
  // `devices` outlives this object.
  explicit DeviceWatches(const DeviceTable& devices) : devices_(devices) {}

  void subscribe(const std::shared_ptr<DeviceSubscription>& watch);
  // Reports the device to its subscribers. An id that is not in the table has no effect.
  void changed(const std::string& id);
  void end_all(const Status& error);

 private:
  const DeviceTable& devices_;
  std::list<std::weak_ptr<DeviceSubscription>> watches_;
};

// The newest changes of all jobs, and their subscribers. Used on the queue's thread.
class JobWatches {
 public:
  using Decorate = std::function<v1::Job(const JobRecord&)>;  // returns a job as users see it

  JobWatches(const JobTable& jobs, Decorate decorate, Post post)
      : jobs_(jobs), decorate_(std::move(decorate)), post_(std::move(post)) {}

  // Restores the changes from the loaded store. A watch that resumes with a token of an earlier
  // daemon receives the newest state of each changed job.
  void restore(std::string store_id, int64_t revision);
  std::string token() const { return make_resume_token(store_id_, revision_); }

  bool any() const {
    return std::ranges::any_of(watches_, [](const auto& watch) { return !watch.expired(); });
  }
  void subscribe(const std::shared_ptr<JobSubscription>& watch, const std::string& resume_token);
  // Reports a change. `before` is null for a new job. Calls are in order of revisions.
  void changed(const RecordPtr& before, const RecordPtr& after);
  void progressed(const RecordPtr& record);
  // Reports that a record was removed. Only present subscribers receive the report; a watch that
  // resumes with a token later does not.
  void forgotten(const RecordPtr& record);
  void end_all(const Status& error);

 private:
  struct Change {
    RecordPtr before;  // null for a new job, or if not known
    RecordPtr after;
    int64_t bytes() const { return (before == nullptr ? 0 : bytes_of(before->job)) + bytes_of(after->job); }
  };
  void forget_oldest();
  Status replay(JobSubscription& watch, int64_t since);

  const JobTable& jobs_;
  Decorate decorate_;
  Post post_;
  std::string store_id_;
  int64_t revision_ = 0;
  int64_t known_since_ = 0;  // revision; changes_ contains all later changes
  std::deque<Change> changes_;
  int64_t changes_bytes_ = 0;
  std::list<std::weak_ptr<JobSubscription>> watches_;
};

}  // namespace weft::queue
