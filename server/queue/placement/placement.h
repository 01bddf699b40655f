// SPDX-License-Identifier: Apache-2.0
// Assigns waiting jobs to devices, and explains why other jobs wait. It holds the waiting and
// running jobs and the states and speeds of devices, and has no side effects.
//
// In the order of line.h, each job is planned onto the device with the earliest predicted end
// (placement_plan.h), after all jobs that run on that device or were planned onto it before. The
// first job planned onto a free slot starts. A job may thus wait for a busy fast device while a
// slow one is free. The longer the line before a job, the sooner the slow device has the earliest
// end, so work spreads: a device is idle only while each waiting job will end sooner on another. A
// job that could start but waits for another device waits at most for its predicted time on the
// free device, which limits the cost of wrong predictions.
//
// A job starts only if its estimated host memory fits next to that of running jobs
// (memory_budget.h), and its device memory next to that of running jobs, streams and other programs
// (device_memory.h). A device on which it never fits is left out; one on which it does not fit now
// counts as busy. Other jobs may start before it for kPassedForMemory; then no job starts (on that
// device, if the device's memory is short) until it fits. (docs/decisions/0043, 0080)
// The sessions of a GPU's video encoder and the CPU slots of all jobs are counted as well
// (counted_resources.h). A job without a session is passed by any number of others; a job without
// slots as one without memory. (docs/decisions/0079)
//
// If there is no prediction (the length of the job or of a job before it is unknown), the job takes
// the best free device: CUDA before Vulkan before the CPU, then the device with fewer running jobs.
// Vulkan in software (llvmpipe) is used only by jobs that name it.
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
#include "server/queue/placement/counted_resources.h"
#include "server/queue/placement/device_speed.h"
#include "server/queue/placement/line.h"
#include "server/queue/placement/memory_plan.h"
#include "server/queue/placement/owner_shares.h"
#include "server/queue/placement/placement_plan.h"
#include "server/queue/records/device_choice.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// Consecutive deaths of a device's worker, at different jobs.
inline constexpr int kDeathsThatEndADevice = 3;

// The reason for which a job is planned onto a device.
enum class PlacementReason {
  kDoneFirst,   // earliest predicted end among the permitted devices
  kNamed,       // named in the job's settings
  kOnlyOne,     // the only permitted device at present
  kBestFree,    // best kind of device; its end cannot be predicted
  kWaitedLong,  // the job waited for another device for its predicted time on this one
};
struct PlacementChoice {
  PlacementReason reason = PlacementReason::kOnlyOne;
  std::string device;
  // one for each permitted device, also those with too little memory
  std::vector<Prediction> predictions;
};
// Sets a running job's predicted end by its measured pace, if known. The predictions for other
// devices stay.
void set_own_pace(const v1::Job& job, PlacementChoice& choice);
// Returns a sentence such as "It is to go to cuda:0: of all devices it is predicted to be done
// first there."
std::string describe(const PlacementChoice& choice, bool has_started);
// Returns a sentence with the predicted end and its parts. The sentence begins with the device.
// `unit_name` is a word such as "frame".
std::string describe(const Prediction& prediction, std::string_view unit_name);
// Returns a phrase such as "learnt there".
std::string describe_source(const UnitTime& unit);
// Returns a sentence for each stream for which device time is reserved, in descending order of that
// time.
std::vector<std::string> stream_reasons(const v1::DeviceStatus& device);

struct Assignment {
  std::string job_id;
  PlacementChoice choice;
  MemoryGrant memory;
};

// Returns the key of a further task of a running job, which begins with the job's id.
std::string task_key(const v1::Job& job, const v1::JobTask& task);

// large class: the state of all devices and jobs, which each decision reads
class Placement {
 public:
  // Jobs of a line that are considered for the free devices.
  static constexpr int kLookahead = 256;
  // Jobs that are planned before a job to predict its device.
  static constexpr int64_t kPlannedAhead = 10'000;
  // Limit of the time for which a job waits for a device while another is free.
  static constexpr Duration kLongestWait = std::chrono::hours(24);
  static constexpr Duration kAging = std::chrono::hours(1);
  // Time for which other jobs may start before a job that waits for memory.
  static constexpr Duration kPassedForMemory = std::chrono::minutes(5);
  // Interval after which a job that waits for memory is checked again without another event.
  static constexpr Duration kMemoryProbeInterval = std::chrono::seconds(10);

  // `jobs_per_device` is the number of jobs that run at once on a device, 1 or more.
  explicit Placement(int jobs_per_device, Duration aging = kAging)
      : jobs_per_device_(jobs_per_device), aging_(aging) {}

  // Add a job to the line, or move it while its waiting time continues; remove it.
  void set_waiting(const v1::Job& job, TimePoint now);
  void remove_waiting(const std::string& id);
  bool is_waiting(const std::string& id) const { return waiting_.contains(id); }

  // Adds or updates a present device. `accepts`: jobs may start on it; otherwise `why_not` is a
  // sentence.
  void set_device(const v1::DeviceStatus& device, bool accepts, std::string why_not);
  // Updates speeds from the worker's measurements.
  void learn(const std::string& device, const v1::ScheduleSample& sample, TimePoint now) {
    speeds_.learn(device, sample, now);
  }
  // Updates the CPU slots that a kind of work needs from the worker's last interval.
  void learn_processors(const std::string& device, const v1::DeviceSample& sample);
  // Returns the speeds of devices, which the ledger stores and restores.
  DeviceSpeeds& speeds() { return speeds_; }
  // Sets the weights of owners. Owners that are not named have weight 1.
  void set_owner_weights(OwnerWeights weights) { shares_.set_weights(std::move(weights)); }
  // Returns the memory of the host and of the devices. The limit of the host's memory, and the
  // memory in use by other programs, are set there.
  MemoryPlan& memory() { return memory_; }
  const MemoryPlan& memory() const { return memory_; }
  CountedResources& counted() { return counted_; }
  // While the queue is paused, next() returns no job. Running jobs are unaffected.
  void set_paused(bool paused) { is_paused_ = paused; }
  bool is_paused() const { return is_paused_; }
  // occupy() assigns a slot of a device to a job, or to a further task of it on the task's device;
  // release() frees it. The device may be absent. A repeated occupy() updates the job's progress.
  // `key` is the job's id, or task_key().
  void occupy(const std::string& device, const v1::Job& job, TimePoint now,
              const v1::JobTask* task = nullptr);
  void release(const std::string& device, const std::string& key, TimePoint now);
  // Updates the progress of a job that runs on the device, and the pace of its kind of work.
  void progressed(const std::string& device, const v1::Job& job, TimePoint now);
  bool anything_runs() const { return !running_.empty(); }
  bool anything_waits() const { return !waiting_.empty(); }
  std::set<std::string> jobs_on(const std::string& device) const;

  // Returns the next job to start, or nullopt if no job is to start now. The caller removes the job
  // from the line, occupies the device, and calls next() again.
  std::optional<Assignment> next(TimePoint now);
  // Returns the time at which next() is to be called without another event, or TimePoint::max().
  // Valid after the last call of next().
  TimePoint next_due() const { return due_; }

  // Returns the reason for which a job waits, as a sentence, or an empty string if the job is not
  // in the line.
  std::string waiting_reason(const std::string& id, TimePoint now) const;
  // Returns a sentence about the next owner among jobs of the same class and priority, or an empty
  // string if there is no other owner.
  std::string share_reason(const std::string& id, TimePoint now) const;
  // Returns a sentence for each permitted device of the job.
  std::vector<std::string> device_reasons(const std::string& id) const;
  // Returns the predicted device of a waiting job at the present state. Returns nullopt if the job
  // does not wait, no device accepts it, or more than kPlannedAhead jobs precede it.
  std::optional<PlacementChoice> plan_of(const std::string& id, TimePoint now) const;
  // Returns the predicted device of a job that would join the line now, or nullopt as above.
  std::optional<PlacementChoice> plan_of_new(const v1::Job& job, TimePoint now) const;
  // Returns the number of jobs that precede it in the lines of its permitted devices.
  int64_t ahead_of(const std::string& id, TimePoint now) const;
  // Returns the job's position among all waiting jobs of any device, from 1, or 0 if it does not
  // wait.
  int64_t position_of(const std::string& id, TimePoint now) const;

 private:
  friend class MemoryCheck;
  friend class TaskPlacement;
  static constexpr int kCpuRank = 2;
  // Jobs with the same kind of work share one object, to save memory in a long queue.
  using SharedKind = std::shared_ptr<const WorkKind>;
  struct Slot {
    int rank = 0;  // lower is better
    bool only_by_name = false;
    bool shares_memory = false;  // true if the device uses the host's memory
    bool is_unused = false;      // the configuration leaves it out
    bool accepts = false;
    std::string why_not;
    std::string model;  // kind and name; devices of one model give the same bytes
  };
  struct WaitingEntry {
    WaitKey key;
    TimePoint since{};       // time at which the job joined the line
    std::string preference;  // see device_choice.h
    SharedKind kind;
    std::optional<int64_t> units;
    // values of JobEstimate; device memory is that of the kind
    int64_t host_bytes = 0, shared_bytes = 0, segment_bytes = 0;
    int cpu_slots = 0, encoder_sessions = 0;
    CountedNeed counted_need() const { return {kind->pace_key, cpu_slots, encoder_sessions}; }
    int64_t bytes_on(const Slot& device) const { return device.shares_memory ? shared_bytes : host_bytes; }
  };
  struct Running {
    std::string name;  // name of the job in sentences
    WorkKind kind;
    std::optional<int64_t> units;
    double units_per_second = 0;  // measured speed; 0: unknown
    bool is_finishing = false;
    bool is_processing = false;
  };
  // A job that could start, and waits for another device.
  struct PassedOver {
    TimePoint since;
    std::string waits_for, could_have;
    double finish = 0, could_have_finish = 0;
  };
  // A job that could start, but does not fit in the host memory or in that of its device.
  struct ShortOfMemory {
    TimePoint since;
    int64_t bytes = 0;
    std::string device{};  // empty: host memory
  };
  // A job that could start, but lacks a counted resource.
  struct ShortOfCounted {
    TimePoint since;
    std::string device;
  };
  class Outlook;
  enum class Memory { kFits, kPassedBy, kDeviceIsKept, kNobodyPasses };

  WaitingEntry entry_of(const v1::Job& job, TimePoint now, SharedKind kind) const;
  Memory probe_memory(const std::string& id, const WaitingEntry& queued, const std::string& device,
                      TimePoint now);
  Memory probe_counted(const std::string& id, const WaitingEntry& queued, const std::string& device,
                       TimePoint now);
  // Returns whether a device starts a job in any case, unless the number of slots is chosen.
  bool is_spared(const std::string& device) const;
  std::string counted_lack(const std::string& id, const WaitingEntry& queued) const;
  SharedKind share(const WorkKind& kind);
  int count_on(const std::string& device) const;
  std::optional<PlacementChoice> plan(const WaitingEntry& queued, TimePoint now) const;
  int64_t ahead_of(const WaitingEntry& queued, TimePoint now) const;
  Level highest_level() const;
  bool competes(const WaitingEntry& queued, const std::string& preference) const;
  static bool permits(const std::string& preference, const std::string& device, const Slot& slot) {
    return queue::permits(preference, device, slot.rank < kCpuRank, slot.only_by_name);
  }
  DevicePlan plan_of_running(const std::string& device, TimePoint now) const;
  bool gives_up_waiting(const std::string& id, const PlacementChoice& choice, const Prediction& free,
                        TimePoint now);
  std::string device_reason(const std::string& device, const Slot& slot, const WaitingEntry& queued) const;
  std::string memory_reason(const std::string& id, const WaitingEntry& queued) const;

  int jobs_per_device_;
  Duration aging_;
  DeviceSpeeds speeds_;
  std::map<WorkKind, std::weak_ptr<const WorkKind>> kinds_;
  size_t kinds_swept_at_ = 64;  // number of entries at which expired ones are removed
  std::unordered_map<std::string, WaitingEntry> waiting_;
  std::map<std::string, Line> lines_;  // by preference; empty lines are removed
  OwnerShares shares_;
  std::map<std::string, Slot> devices_;
  std::map<std::string, std::map<std::string, Running>> running_;  // by device and job id
  std::unordered_map<std::string, PassedOver> passed_over_;        // by job id
  MemoryPlan memory_;
  std::unordered_map<std::string, ShortOfMemory> short_of_memory_;  // by job id
  CountedResources counted_;
  std::unordered_map<std::string, ShortOfCounted> short_of_counted_;  // by job id
  TimePoint due_ = TimePoint::max();
  bool is_paused_ = false;
};

// Counts deaths of one device's worker. Three consecutive deaths at different jobs are attributed
// to the device instead of the jobs.
class DeviceHealth {
 public:
  // Counts a death of the worker while it ran `job_ids`. Without jobs no death is counted.
  void died(const std::vector<std::string>& job_ids);
  void worked() { *this = {}; }  // called after a job made progress or ended regularly
  bool is_over() const { return deaths_ >= kDeathsThatEndADevice; }

 private:
  int deaths_ = 0;
  std::set<std::string> at_;
};

}  // namespace weft::queue
