// SPDX-License-Identifier: Apache-2.0
// Which waiting job starts on which device now, and why the others wait. Pure: a value that is told what waits, what
// runs, how the devices are and how fast they were found to be, and answers.
//
// In the order of line.h each job is planned onto the device where it will be done first (placement_plan.h), behind all
// that runs there and was planned there before it. The first
// that is planned onto a free slot starts. So a job may wait for a busy device that is fast while a slow one is free; the
// more wait before it, the sooner the slow one is the better one, and work spreads: a device stays idle only while
// each job that waits will be done sooner elsewhere. A job that waits although it could start waits at most as long as it would have taken
// there: predictions that are wrong cost no more than that.
//
// A job starts only where what it takes of the machine's memory fits next to what running jobs take, by their estimates (host_memory.h).
// Others pass it by meanwhile, for kPassedForMemory; then nothing starts until it fits. (docs/decisions/0043)
//
// Where nothing is known (the job's length, what runs ahead of it), a job takes the best free device: CUDA before Vulkan
// before the CPU, the one that runs less before the one that runs more. Vulkan in software (llvmpipe) is used only by jobs
// that name it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "server/queue/placement/device_speed.h"
#include "server/queue/placement/host_memory.h"
#include "server/queue/placement/line.h"
#include "server/queue/placement/owner_shares.h"
#include "server/queue/placement/placement_plan.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

inline constexpr int kDeathsThatEndADevice = 3;  // of its worker, in a row, at different jobs

// Why a job is planned onto a device.
enum class PlacementReason {
  kDoneFirst,   // of the devices that it may use
  kNamed,       // its settings name the device
  kOnlyOne,     // that it may use now
  kBestFree,    // by kind: nothing is known of when it would be done
  kWaitedLong,  // for another one, as long as it takes on this one
};
struct PlacementChoice {
  PlacementReason reason = PlacementReason::kOnlyOne;
  std::string device;
  std::vector<Prediction> predictions;  // for each device that it might have used
};
// Of a job that runs: when it will be done where it is, by its own pace, once that is known. What was predicted of other devices stays.
void set_own_pace(const v1::Job& job, PlacementChoice& choice);
// "It is to go to cuda:0: of all devices it is predicted to be done first there."
std::string describe(const PlacementChoice& choice, bool has_started);
// When it will be done and the parts of that, in a sentence that begins with the device. `unit_name`: "frame".
std::string describe(const Prediction& prediction, std::string_view unit_name);
// "learnt there".
std::string describe_source(const UnitTime& unit);
// A sentence for each stream that device time is kept free for, those that keep most first.
std::vector<std::string> stream_reasons(const v1::DeviceStatus& device);

struct Assignment {
  std::string job_id;
  PlacementChoice choice;
};

class Placement {
 public:
  // Of a line, jobs that are looked at for one that goes to a free device.
  static constexpr int kLookAhead = 256;
  // Jobs before one that are planned when somebody asks where it will go.
  static constexpr int64_t kPlannedAhead = 10'000;
  static constexpr Duration kLongestWait = std::chrono::hours(24);  // for a device while another is free
  static constexpr Duration kAging = std::chrono::hours(1);
  // Others start before a job that waits for memory for so long, then none does.
  static constexpr Duration kPassedForMemory = std::chrono::minutes(5);
  // How soon a job that waits for memory is looked at again though nothing else happens.
  static constexpr Duration kMemoryLook = std::chrono::seconds(10);

  // `jobs_per_device`: how many run on a device at once, 1 or more.
  explicit Placement(int jobs_per_device, Duration aging = kAging)
      : jobs_per_device_(jobs_per_device), aging_(aging) {}

  // A job joins the line, or changes its place in it, and is no younger for that; leaves it.
  void set_waiting(const v1::Job& job, TimePoint now);
  void remove_waiting(const std::string& id);
  bool is_waiting(const std::string& id) const { return waiting_.contains(id); }

  // A device is there. `accepts`: it takes new jobs; else `why_not` says in a sentence why.
  void set_device(const v1::DeviceStatus& device, bool accepts, std::string why_not);
  // What its worker learnt and measured.
  void learn(const std::string& device, const v1::ScheduleSample& sample, TimePoint now) {
    speeds_.learn(device, sample, now);
  }
  // What is known of devices' speed, to be kept and recalled.
  DeviceSpeeds& speeds() { return speeds_; }
  // What owners weigh against each other; 1 for those who are not named.
  void set_owner_weights(OwnerWeights weights) { shares_.set_weights(std::move(weights)); }
  // What running jobs may take of the machine's memory together; 0: any.
  void set_host_memory(int64_t bytes) { memory_.set_limit(bytes); }
  const HostMemory& host_memory() const { return memory_; }
  // What the job will take of it, at least: on the device that it names, or on the best of those that are there.
  int64_t least_host_memory(const v1::Job& job) const;
  // A job holds or leaves a slot of a device, which may not be there yet. Occupying again: its progress is this now.
  void occupy(const std::string& device, const v1::Job& job, TimePoint now);
  void release(const std::string& device, const std::string& job_id, TimePoint now);
  // A job that runs there has told how far it is.
  void progressed(const std::string& device, const v1::Job& job, TimePoint now);
  bool anything_runs() const { return !running_.empty(); }
  bool anything_waits() const { return !waiting_.empty(); }
  std::set<std::string> jobs_on(const std::string& device) const;

  // The next job to start; none when nothing that waits is to start now. The caller takes the job out of the line and
  // occupies the device, then asks again.
  std::optional<Assignment> next(TimePoint now);
  // When to ask again though nothing else happens, as of the last answer of next(); TimePoint::max(): never.
  TimePoint next_due() const { return due_; }

  // Why a job that waits does, in a sentence. Empty: it does not wait here.
  std::string waiting_reason(const std::string& id, TimePoint now) const;
  // Whose turn it is among those whose jobs have its class and priority, in a sentence. Empty: nobody else's do.
  std::string share_reason(const std::string& id, TimePoint now) const;
  // A sentence for each device that the job might use.
  std::vector<std::string> device_reasons(const std::string& id) const;
  // Where a job that waits will go, as things are. Nothing: it does not wait, no device takes it, or more than kPlannedAhead
  // are before it.
  std::optional<PlacementChoice> plan_of(const std::string& id, TimePoint now) const;
  // Where a job that is not in line would go if it joined now. Nothing: as above.
  std::optional<PlacementChoice> plan_of_new(const v1::Job& job, TimePoint now) const;
  // How many are before it in the lines of the devices that it might use.
  int64_t ahead_of(const std::string& id, TimePoint now) const;
  // Its place among all that wait, whatever devices they might use; 1: the first. 0: it does not wait.
  int64_t position_of(const std::string& id, TimePoint now) const;

 private:
  // Kinds of work are shared by the jobs that have them: a queue may be long.
  using SharedKind = std::shared_ptr<const WorkKind>;
  struct Place {
    WaitKey key;
    TimePoint since{};       // when it joined the line
    std::string preference;  // a device's id; empty: any
    SharedKind kind;
    std::optional<int64_t> units;
    int64_t host_bytes = 0, shared_bytes = 0;  // as the estimate has them
  };
  struct Slot {
    int rank = 0;  // lower is better
    bool only_by_name = false;
    bool shares_memory = false;  // its memory is the machine's
    bool accepts = false;
    std::string why_not;
  };
  struct Running {
    std::string name;  // what to call it in a sentence
    WorkKind kind;
    std::optional<int64_t> units;
    double units_per_second = 0;  // as it goes; 0: not known yet
    bool is_finishing = false;
  };
  // A job that could have started, and waits for another device.
  struct PassedOver {
    TimePoint since;
    std::string waits_for, could_have;
    double finish = 0, could_have_finish = 0;
  };
  // A job that could have started, and finds too little memory.
  struct ShortOfMemory {
    TimePoint since;
    int64_t bytes = 0;
  };
  class Outlook;
  enum class Memory { kFits, kPassedBy, kNobodyPasses };

  Place place_of(const v1::Job& job, TimePoint now, SharedKind kind) const;
  Memory look_for_memory(const std::string& id, const Place& place, const std::string& device, TimePoint now);
  SharedKind share(const WorkKind& kind);
  int count_on(const std::string& device) const;
  std::optional<PlacementChoice> plan(const Place& place, TimePoint now) const;
  int64_t ahead_of(const Place& place, TimePoint now) const;
  Level highest_level() const;
  bool competes(const Place& place, const std::string& preference) const;
  bool may_use(const Place& place, const std::string& device, const Slot& slot) const;
  DevicePlan plan_of_running(const std::string& device, TimePoint now) const;
  bool gives_up_waiting(const std::string& id, const PlacementChoice& choice, const Prediction& free,
                        TimePoint now);
  std::string device_reason(const std::string& device, const Slot& slot) const;

  int jobs_per_device_;
  Duration aging_;
  DeviceSpeeds speeds_;
  std::map<WorkKind, std::weak_ptr<const WorkKind>> kinds_;
  size_t kinds_swept_at_ = 64;  // entries
  std::unordered_map<std::string, Place> waiting_;
  std::map<std::string, Line> lines_;  // by preference; empty ones are removed
  OwnerShares shares_;
  std::map<std::string, Slot> devices_;
  std::map<std::string, std::map<std::string, Running>> running_;  // by device, by job
  std::unordered_map<std::string, PassedOver> passed_over_;        // by job
  HostMemory memory_;
  std::unordered_map<std::string, ShortOfMemory> short_of_memory_;  // by job
  TimePoint due_ = TimePoint::max();
};

// Deaths of one device's worker: three in a row at different jobs are the device's fault, not the jobs'.
class DeviceHealth {
 public:
  // The worker died while `job_ids` ran on it. Nothing ran: nobody is to blame, and nothing is counted.
  void died(const std::vector<std::string>& job_ids);
  void worked() { *this = {}; }  // a job moved on or ended as jobs do
  bool is_over() const { return deaths_ >= kDeathsThatEndADevice; }

 private:
  int deaths_ = 0;
  std::set<std::string> at_;
};

}  // namespace weft::queue
