// SPDX-License-Identifier: Apache-2.0
// The world around a simulated queue: workers that finish, fail, hang and die, a disk that outlives the daemon, and
// messages that take their time. What must never happen is noted as a violation when it does.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
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

// Thrown by the world in the middle of a call of the queue: the daemon is killed right there.
struct DaemonKilled {};

class SimulatedWorld final : public Workers {
 public:
  using StartCheck = std::function<void(const v1::Job&, const std::string& device)>;

  SimulatedWorld(Random& random, const Clock& clock, std::vector<v1::DeviceStatus> devices)
      : random_(random), clock_(clock), devices_(std::move(devices)) {}

  Status start(const AttemptId& attempt, const JobRecord& record, std::string_view device) override;
  void stop(const AttemptId& attempt, internal::v1::StopKind kind) override;
  void change(const AttemptId&, const v1::JobSettings&) override { maybe_kill_daemon(); }
  Status publish(const JobRecord& record) override;
  Status discard(const v1::Job& job) override;

  // A new daemon: the devices report, nothing runs.
  void daemon_started();
  // With the daemon all workers end; some of their messages may still be under way.
  void daemon_killed();
  // Every worker does a little of what workers do.
  void work();
  void kill_worker(const std::string& device);
  // Delivers what is due.
  void deliver(Core& core);

  void set_start_check(StartCheck check) { start_check_ = std::move(check); }
  // From now on nothing goes wrong any more.
  void calm_down() { faults_ = false; }
  bool is_idle() const { return running_.empty() && messages_.empty(); }

  bool was_published(const std::string& id) const { return disk_.contains(id) && disk_.at(id).published > 0; }
  bool has_work_folder(const std::string& id) const { return disk_.contains(id) && disk_.at(id).work_folder; }
  const std::vector<std::string>& violations() const { return violations_; }
  void violate(std::string what) { violations_.push_back(std::move(what)); }

 private:
  struct Place {
    bool work_folder = false;
    bool finished_file = false;
    int published = 0;
  };
  struct Running {
    AttemptId id;
    std::string device;
    int pieces_left = 0;
    bool hangs = false;
    std::optional<internal::v1::StopKind> asked;
  };
  using Message = std::function<void(Core&)>;

  bool fault(double probability) { return faults_ && random_.chance(probability); }
  void maybe_kill_daemon() {
    if (fault(0.004)) throw DaemonKilled{};
  }
  // In order after everything this device said; `late`: any time, after whatever.
  void send(const std::string& device, Message message, bool late = false);
  void report_devices(const std::string& device, v1::DeviceState state);
  // False: the attempt is over.
  bool work_on(Running& attempt);
  void finish(const Running& attempt, bool late = false);

  Random& random_;
  const Clock& clock_;
  const std::vector<v1::DeviceStatus> devices_;
  StartCheck start_check_;
  bool faults_ = true;
  std::vector<Running> running_;
  std::map<std::string, Place> disk_;
  std::set<std::pair<std::string, int>> started_;
  std::multimap<TimePoint, Message> messages_;  // equal times keep their order
  std::map<std::string, TimePoint> last_sent_;
  std::vector<std::string> violations_;
};

}  // namespace weft::queue
