// SPDX-License-Identifier: Apache-2.0
// The environment of a simulated queue: workers that finish, fail, hang and die, a disk that
// remains after the daemon ends, and messages with delays. Forbidden events are recorded as
// violations.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "server/queue/core.h"
#include "server/queue/records/workers.h"

namespace weft::queue {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int below(int limit) { return int(engine_() % uint64_t(limit)); }
  bool chance(double probability) { return double(engine_() >> 11) * 0x1p-53 < probability; }
  Duration milliseconds(int limit) { return std::chrono::milliseconds(below(limit)); }

 private:
  std::mt19937_64 engine_;
};

// Exception of the world in the middle of a call of the queue: the daemon is killed at that point.
struct DaemonKilled {};

class SimulatedWorld final : public Workers {
 public:
  using StartCheck = std::function<void(const v1::Job&, const std::string& device, int task)>;

  SimulatedWorld(Random& random, const Clock& clock, std::vector<v1::DeviceStatus> devices)
      : random_(random), clock_(clock), devices_(std::move(devices)) {}

  Status start(const AttemptId& attempt, const JobRecord& record, std::string_view device) override;
  void stop(const AttemptId& attempt, internal::v1::StopKind kind) override;
  void change(const AttemptId&, const v1::JobSettings&) override { maybe_kill_daemon(); }
  Status publish(const JobRecord& record, const CopyReport& report) override;
  Status discard(const v1::Job& job) override;

  // Starts a new daemon: the devices report, and no attempt runs.
  void daemon_started();
  // Ends all workers with the daemon. Some of their messages may still arrive.
  void daemon_killed();
  // Advances every worker.
  void work();
  void kill_worker(const std::string& device);
  // Delivers due messages.
  void deliver(Core& core);

  void set_start_check(StartCheck check) { start_check_ = std::move(check); }
  // Ends all faults.
  void calm_down() { faults_ = false; }
  bool is_idle() const { return running_.empty() && messages_.empty(); }

  bool was_published(const std::string& id) const { return disk_.contains(id) && disk_.at(id).published > 0; }
  bool has_work_folder(const std::string& id) const { return disk_.contains(id) && disk_.at(id).work_folder; }
  const std::vector<std::string>& violations() const { return violations_; }
  void violate(std::string what) { violations_.push_back(std::move(what)); }

 private:
  struct Location {
    bool work_folder = false;
    bool finished_file = false;
    int published = 0;
  };
  struct Running {
    AttemptId id;
    std::string device;
    int chunks_left = 0;
    bool hangs = false;
    std::optional<internal::v1::StopKind> asked;
  };
  using Message = std::function<void(Core&)>;

  bool fault(double probability) { return faults_ && random_.chance(probability); }
  void maybe_kill_daemon() {
    if (fault(0.004)) throw DaemonKilled{};
  }
  // Sends a message after the earlier messages of this device. `late`: the message arrives at any
  // time.
  void send(const std::string& device, Message message, bool late = false);
  void report_devices(const std::string& device, v1::DeviceState state);
  // Returns false if the attempt has ended.
  bool work_on(Running& attempt);
  void finish(const Running& attempt, bool late = false);

  Random& random_;
  const Clock& clock_;
  const std::vector<v1::DeviceStatus> devices_;
  StartCheck start_check_;
  bool faults_ = true;
  std::vector<Running> running_;
  std::map<std::string, Location> disk_;
  std::set<std::tuple<std::string, int, int>> started_;  // job, attempt, task
  std::multimap<TimePoint, Message> messages_;           // messages of equal time keep their order
  std::map<std::string, TimePoint> last_sent_;
  std::vector<std::string> violations_;
};

}  // namespace weft::queue
