// SPDX-License-Identifier: Apache-2.0
// The records of jobs, and the batch of changes that are not durable yet: it is written in one transaction, or taken back whole.
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

// Constructor arguments outlive it.
class Ledger {
 public:
  // Told of each change of a record, also of those that are taken back; null: the job was not there before, or is gone.
  using Follow = std::function<void(const JobRecord* before, const JobRecord* after)>;
  // A batch of changes.
  struct Batch {
    std::map<std::string, RecordPtr> before;  // of each job it changed; null: it added it
    std::vector<std::pair<RecordPtr, RecordPtr>>
        seen;  // the changes that users see: before and after, in order
    int64_t revision_before = 0;
    std::optional<std::set<std::string>> drained_before;
    std::vector<std::pair<std::string, Action>> actions;
    std::vector<std::pair<std::string, std::string>> logs;  // job, sentence
    std::set<std::string> devices;                          // devices with changed jobs
    std::set<std::string> forgotten;                        // have ended; not among `before`
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
  // Whether the batch at hand changed the job.
  bool has_changed(const std::string& id) const { return batch_.before.contains(id); }

  // Changes that become part of the batch.
  // The record after the event; the same when it changed nothing.
  StatusOr<RecordPtr> apply(const RecordPtr& record, const Event& event);
  // Gives the job its id and revision. Returns the id.
  std::string add(std::shared_ptr<JobRecord> record);
  void set_drained(std::set<std::string> drained);
  void forget(std::set<std::string> ids) { batch_.forgotten.merge(ids); }
  // Devices that are told anew though no job of theirs changed.
  void touch(const std::vector<std::string>& devices) {
    batch_.devices.insert(devices.begin(), devices.end());
  }

  // Changes that are not durable.
  void put_progress(RecordPtr record) { jobs_.put(std::move(record)); }
  void remove(const std::string& id) { jobs_.remove(id); }

  // Ends the batch. An error: it was taken back.
  StatusOr<Batch> write();
  // What was learnt of devices is written with the next batch, or after a while without one.
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
  std::optional<TimePoint> speeds_due_;  // when what was learnt is written though nothing else is
  std::set<std::string> noted_;          // jobs whose finished segments are not written yet
  std::optional<TimePoint> noted_due_;   // when they are, though nothing else is
};

}  // namespace weft::queue
