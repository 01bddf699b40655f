// SPDX-License-Identifier: Apache-2.0
// Runs a queue in a simulated world: seeded, on a virtual clock, with the real store. Clients
// submit, repeat, cancel, pause, resume, retry, forget, change priorities and watch; workers and
// the daemon die; commits fail. After every batch the invariants are checked.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/queue/core.h"
#include "tests/server/queue/settable_clock.h"
#include "tests/server/queue/simulated_world.h"

namespace weft::queue {

// A client that follows all jobs with a watch, also after restarts of the daemon.
class Replica {
 public:
  void connect(Core& core);
  void disconnect() { watch_.reset(); }
  // Reads at most `count` events.
  void read(Core& core, int count);
  const std::map<std::string, v1::Job>& jobs() const { return jobs_; }
  const std::string& violation() const { return violation_; }

 private:
  void take(const v1::WatchJobsResponse& event);

  std::shared_ptr<JobSubscription> watch_;
  std::shared_ptr<std::atomic<int>> count_ = std::make_shared<std::atomic<int>>(0);
  bool asked_ = false;
  bool lost_ = false;
  std::string token_;
  int64_t revision_ = 0;
  std::map<std::string, v1::Job> jobs_;
  std::string violation_;
};

class Simulation {
 public:
  Simulation(uint64_t seed, std::string folder);
  // Runs `steps` random events and waits until all jobs end. Returns the violations as sentences.
  std::vector<std::string> run(int steps);

  int64_t commits() const { return commits_; }
  int64_t kills() const { return kills_; }
  int64_t submitted() const { return int64_t(acked_.size()); }
  int64_t forgotten() const { return int64_t(forgotten_.size()); }

 private:
  struct Seen {
    v1::JobState state;
    int64_t revision;
    bool operator==(const Seen&) const = default;
  };
  using Snapshot = std::map<std::string, Seen>;

  void open();
  void kill_daemon();
  void step();
  void commit();
  void client_acts();
  void submit();
  void steer(const std::string& id, int what);
  void forget(const std::string& id);
  void drain_or_resume_a_device();
  void run_posted();
  void work_elsewhere();
  void settle();

  void audit();
  void audit_final_states();
  void audit_devices();
  void audit_end();
  void check_order(const v1::Job& started, const std::string& device, int task);
  Snapshot snapshot() const;
  std::string describe_stuck() const;
  std::vector<RecordPtr> all_jobs() const;
  void violate(std::string what) { world_.violate(std::move(what)); }

  Random random_;
  SettableClock clock_;
  const std::string folder_;
  QueueConfig config_;
  std::vector<v1::DeviceStatus> devices_;
  SimulatedWorld world_;
  std::deque<std::function<void()>> posted_;
  std::vector<std::function<void()>> elsewhere_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<LogStore> logs_;
  std::unique_ptr<Core> core_;

  Snapshot durable_;  // jobs after the last complete commit
  // true if the daemon was killed during a commit: durable_ may be one batch old
  bool in_commit_ = false;
  std::map<std::string, std::string> acked_;     // id to input
  std::map<std::string, std::string> requests_;  // acknowledged request_id to id
  std::string last_id_;                          // newest id that the queue returned
  std::set<std::string> retried_;
  std::set<std::string> forgetting_;  // jobs with a request to forget them
  std::set<std::string> forgotten_;   // jobs with an acknowledged removal
  Snapshot finals_;                   // final jobs after the previous batch
  Snapshot audited_;                  // jobs at the previous audit
  int64_t greatest_revision_ = 0;
  Replica replica_;
  int64_t commits_ = 0;
  int64_t kills_ = 0;
  int64_t submissions_ = 0;
};

}  // namespace weft::queue
