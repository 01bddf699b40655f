// SPDX-License-Identifier: Apache-2.0
// Holds the records of jobs and the batch of changes that are not durable yet. A batch is written
// in one transaction or rolled back as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/files/work_binding.h"
#include "server/queue/job_table.h"
#include "server/queue/lifecycle.h"
#include "server/queue/placement/device_table.h"
#include "server/queue/placement/placement.h"
#include "server/queue/queue_types.h"
#include "server/queue/records/ulid.h"
#include "server/queue/store/store.h"

namespace weft::queue {

// The constructor's arguments outlive this object.
class Ledger {
 public:
  // Called after each change of a record, and after its rollback. `before` is null for a new job,
  // `after` for a removed one.
  using Follow = std::function<void(const JobRecord* before, const JobRecord* after)>;
  // A batch of changes.
  struct Batch {
    // record of each changed job before the batch; null for a new job
    std::map<std::string, RecordPtr> before;
    // The changes that users see: records before and after, in order.
    std::vector<std::pair<RecordPtr, RecordPtr>> seen;
    int64_t revision_before = 0;
    std::optional<std::set<std::string>> drained_before;
    std::optional<bool> paused_before;
    std::vector<std::pair<std::string, Action>> actions;
    std::vector<std::pair<std::string, std::string>> logs;  // job id and sentence
    std::set<std::string> devices;                          // devices with changed jobs
    // ids of ended jobs to be removed; not among `before`
    std::set<std::string> forgotten;
  };

  Ledger(const QueueConfig& config, const Clock& clock, Store& store, Placement& placement,
         DeviceTable& devices, Follow follow)
      : delays_{config.retry_delay, config.longest_retry_delay},
        clock_(clock),
        store_(store),
        placement_(placement),
        devices_(devices),
        follow_(std::move(follow)) {}

  void load(StoreContent content);
  const JobTable& jobs() const { return jobs_; }
  const StoreIdentity& store_identity() const { return store_identity_; }
  int64_t revision() const { return revision_; }
  const std::string& last_id() const { return last_id_; }
  // Returns true if the current batch changed the job.
  bool has_changed(const std::string& id) const { return batch_.before.contains(id); }

  // Changes that become part of the batch.
  //
  // Applies an event. Returns the record after it, or `record` itself if the event changed nothing.
  StatusOr<RecordPtr> apply(const RecordPtr& record, const Event& event);
  // Adds a job and gives it an id and a revision. Returns the id.
  std::string add(std::shared_ptr<JobRecord> record);
  void set_drained(std::set<std::string> drained);
  void set_paused(bool paused);
  void forget(std::set<std::string> ids) { batch_.forgotten.merge(ids); }
  // Adds devices to Batch::devices, so that watches are notified although no job of these devices
  // changed.
  void touch(const std::vector<std::string>& devices) {
    batch_.devices.insert(devices.begin(), devices.end());
  }

  // Changes that are not written to the store.
  void put_progress(RecordPtr record) { jobs_.put(std::move(record)); }
  void remove(const std::string& id) { jobs_.remove(id); }

  // Writes the batch and begins the next one. After an error the batch has been rolled back.
  StatusOr<Batch> write();
  // Schedules a write of the measured speeds with the next batch, or after a minute without one.
  void keep_speeds();
  TimePoint next_due() const;

 private:
  void put(const RecordPtr& before, const RecordPtr& after, bool seen);
  Status commit(const Batch& batch);
  void take_back(const Batch& batch, const Status& error);

  const RetryDelays delays_;
  const Clock& clock_;
  Store& store_;
  Placement& placement_;
  DeviceTable& devices_;
  const Follow follow_;
  StoreIdentity store_identity_;
  int64_t revision_ = 0;
  std::string last_id_;
  UlidSource ulids_{""};
  JobTable jobs_;
  Batch batch_;
  std::optional<TimePoint> speeds_due_;  // latest time at which speeds are written
  std::set<std::string> noted_;          // jobs with an unwritten change of kind kNoted
  std::optional<TimePoint> noted_due_;   // latest time at which noted_ is written
};

}  // namespace weft::queue
