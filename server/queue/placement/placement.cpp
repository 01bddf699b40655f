// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/placement.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>
#include <utility>

#include "server/queue/records/device_choice.h"

namespace weft::queue {
namespace {

int kind_rank(v1::DeviceKind kind, int cpu_rank) {
  switch (kind) {
    case v1::DEVICE_KIND_CUDA:
      return 0;
    case v1::DEVICE_KIND_VULKAN:
      return 1;
    default:
      return cpu_rank;
  }
}

constexpr const char* kAfterEveryId = "~";  // follows every id, since ids are digits and letters

}  // namespace

Placement::SharedKind Placement::share(const WorkKind& kind) {
  std::weak_ptr<const WorkKind>& kept = kinds_[kind];
  SharedKind shared = kept.lock();
  if (shared != nullptr) return shared;
  kept = shared = std::make_shared<const WorkKind>(kind);
  if (kinds_.size() > kinds_swept_at_) {
    std::erase_if(kinds_, [](const auto& entry) { return entry.second.expired(); });
    kinds_swept_at_ = 2 * kinds_.size() + 64;
  }
  return shared;
}

Placement::WaitingEntry Placement::entry_of(const v1::Job& job, TimePoint now, SharedKind kind) const {
  return {wait_key(job),
          now,
          preference_of(job.settings()),
          std::move(kind),
          units_left(job),
          job.estimate().host_bytes(),
          job.estimate().shared_bytes(),
          job.estimate().segment_bytes(),
          job.estimate().cpu_slots(),
          job.estimate().encoder_sessions()};
}

void Placement::set_waiting(const v1::Job& job, TimePoint now) {
  WaitingEntry queued = entry_of(job, now, share(kind_of_work(job)));
  if (const auto before = waiting_.find(job.id()); before != waiting_.end())
    queued.since = before->second.since;
  shares_.join(queued.key.share(), now);
  remove_waiting(job.id());
  lines_[queued.preference].add(queued.key, queued.since);
  waiting_.emplace(job.id(), std::move(queued));
}

void Placement::remove_waiting(const std::string& id) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  const auto line = lines_.find(found->second.preference);
  line->second.remove(found->second.key, found->second.since);
  if (line->second.empty()) lines_.erase(line);
  shares_.leave(found->second.key.share());
  waiting_.erase(found);
  passed_over_.erase(id);
  short_of_memory_.erase(id);
  short_of_counted_.erase(id);
}

void Placement::set_device(const v1::DeviceStatus& device, bool accepts, std::string why_not) {
  devices_[device.id()] = {kind_rank(device.kind(), kCpuRank),
                           is_software_device(device),
                           shares_memory(device),
                           device.state() == v1::DEVICE_STATE_UNUSED,
                           accepts,
                           std::move(why_not),
                           fmt::format("{} {}", v1::DeviceKind_Name(device.kind()), device.name())};
  speeds_.set_device(device);
  memory_.device(device.id()).set_device(device, shares_memory(device));
  counted_.set_device(device);
}

DevicePlan Placement::plan_of_running(const std::string& device, TimePoint now) const {
  DevicePlan plan(jobs_per_device_);
  const auto found = running_.find(device);
  if (found == running_.end()) return plan;
  for (const auto& [id, job] : found->second) {
    const UnitTime unit = speeds_.unit_time(device, job.kind, now);
    const double rate = job.units_per_second > 0 ? job.units_per_second
                        : unit.is_known()        ? 1 / unit.seconds
                                                 : 0;
    std::optional<double> seconds;
    if (job.is_finishing)
      seconds = 0;
    else if (job.units.has_value() && rate > 0)
      seconds = double(*job.units) / rate;
    const double device_seconds = double(job.units.value_or(0)) * unit.device_seconds / unit.share_left;
    plan.add_running(seconds, std::min(device_seconds, seconds.value_or(0)));
  }
  return plan;
}

// Predicts the load of the devices while more and more jobs of the line are planned onto them.
class Placement::Outlook {
 public:
  Outlook(const Placement& placement, TimePoint now) : placement_(placement), now_(now) {
    for (const auto& [id, slot] : placement.devices_)
      if (slot.accepts)
        devices_.push_back({id, slot, placement.plan_of_running(id, now), placement.count_on(id)});
  }

  bool has_free() const {
    return std::any_of(devices_.begin(), devices_.end(),
                       [](const Entry& entry) { return entry.plan.is_free(); });
  }
  // Returns true if a device that accepts jobs is permitted for jobs of the line.
  bool serves(const std::string& preference) const {
    return std::any_of(devices_.begin(), devices_.end(),
                       [&](const Entry& entry) { return permits(preference, entry.id, entry.slot); });
  }

  bool has_free_for(const std::string& preference) const {
    return std::any_of(devices_.begin(), devices_.end(), [&](const Entry& entry) {
      return entry.plan.is_free() && permits(preference, entry.id, entry.slot);
    });
  }

  // Returns the chosen device, or nullopt if no device accepts the job.
  std::optional<PlacementChoice> choose(const WaitingEntry& queued) {
    const std::vector<UnitTime>& units = unit_times(queued);
    PlacementChoice choice;
    const Prediction* best = nullptr;
    int best_device = -1, usable = 0;
    for (size_t i = 0; i < devices_.size(); i++) {
      if (!permits(queued.preference, devices_[i].id, devices_[i].slot)) continue;
      choice.predictions.push_back(devices_[i].plan.predict(units[i], queued.units, room_on(i, queued)));
      choice.predictions.back().device = devices_[i].id;
    }
    int device = -1;
    for (const Prediction& prediction : choice.predictions) {
      device = index_of(prediction.device, device + 1);
      if (prediction.room.kind == DeviceRoom::Kind::kTooSmall) continue;
      usable++;
      if (best != nullptr && !is_better(prediction, device, *best, best_device)) continue;
      best = &prediction;
      best_device = device;
    }
    if (best == nullptr) return std::nullopt;
    choice.device = best->device;
    const bool is_named = !queued.preference.empty() && !names_several(queued.preference);
    choice.reason = is_named         ? PlacementReason::kNamed
                    : usable == 1    ? PlacementReason::kOnlyOne
                    : best->is_known ? PlacementReason::kDoneFirst
                                     : PlacementReason::kBestFree;
    return choice;
  }

  // Returns true if a job on the chosen device waits for nothing but the device's memory.
  bool lacks_memory(const PlacementChoice& choice) const {
    if (!devices_[size_t(index_of(choice.device, 0))].plan.is_free()) return false;
    return std::ranges::any_of(choice.predictions, [&](const Prediction& prediction) {
      return prediction.device == choice.device && prediction.room.kind != DeviceRoom::Kind::kFits;
    });
  }
  // Starts no further job on a device, because an earlier job waits for its memory.
  void close(const std::string& device) { devices_[size_t(index_of(device, 0))].is_closed = true; }

  void take(const PlacementChoice& choice) {
    for (const Prediction& prediction : choice.predictions)
      if (prediction.device == choice.device)
        devices_[size_t(index_of(choice.device, 0))].plan.take(prediction);
  }

  // Returns the best of the predictions that start now, or null.
  const Prediction* best_free(const PlacementChoice& choice) const {
    const Prediction* best = nullptr;
    int best_device = -1;
    for (const Prediction& prediction : choice.predictions) {
      if (!prediction.starts_now) continue;
      const int device = index_of(prediction.device, 0);
      if (best != nullptr && !is_better(prediction, device, *best, best_device)) continue;
      best = &prediction;
      best_device = device;
    }
    return best;
  }

 private:
  struct Entry {
    const std::string& id;
    const Slot& slot;
    DevicePlan plan;
    int running;
    bool is_closed = false;
  };

  DeviceRoom room_on(size_t device, const WaitingEntry& queued) const {
    DeviceRoom room = placement_.memory_.room_on(devices_[device].id, queued.kind->memory);
    const bool is_kept = devices_[device].is_closed && room.kind == DeviceRoom::Kind::kFits;
    if (is_kept) room.kind = DeviceRoom::Kind::kTaken;
    return room;
  }

  int index_of(const std::string& id, int from) const {
    for (int i = from; i < int(devices_.size()); i++)
      if (devices_[size_t(i)].id == id) return i;
    return -1;
  }

  // Returns true if `a` is better. In a tie the caller keeps the device with the smaller id.
  bool is_better(const Prediction& a, int device_a, const Prediction& b, int device_b) const {
    const Entry& entry_a = devices_[size_t(device_a)];
    const Entry& entry_b = devices_[size_t(device_b)];
    const auto rank = [](const Prediction& p, const Entry& entry) {
      return std::tuple(!p.starts_now, !p.is_known, entry.slot.rank, entry.running);
    };
    if (a.is_known && b.is_known && a.finish() != b.finish()) return a.finish() < b.finish();
    return rank(a, entry_a) < rank(b, entry_b);
  }

  const std::vector<UnitTime>& unit_times(const WaitingEntry& queued) {
    std::vector<UnitTime>& times = unit_times_[queued.kind.get()];
    if (times.empty())
      for (const Entry& entry : devices_)
        times.push_back(placement_.speeds_.unit_time(entry.id, *queued.kind, now_));
    return times;
  }

  const Placement& placement_;
  const TimePoint now_;
  std::vector<Entry> devices_;
  std::unordered_map<const WorkKind*, std::vector<UnitTime>> unit_times_;
};

// Returns true if a job that waited for another device is to take the free one.
bool Placement::gives_up_waiting(const std::string& id, const PlacementChoice& choice, const Prediction& free,
                                 TimePoint now) {
  PassedOver& passed = passed_over_.try_emplace(id, PassedOver{now, "", "", 0, 0}).first->second;
  passed.waits_for = choice.device;
  passed.could_have = free.device;
  for (const Prediction& prediction : choice.predictions)
    if (prediction.device == choice.device) passed.finish = prediction.finish();
  passed.could_have_finish = free.finish();
  const double longest = std::chrono::duration<double>(kLongestWait).count();
  const TimePoint until = passed.since + std::chrono::duration_cast<Duration>(
                                             std::chrono::duration<double>(std::min(free.own, longest)));
  if (now >= until) return true;
  due_ = std::min(due_, until);
  return false;
}

std::optional<Assignment> Placement::next(TimePoint now) {
  due_ = TimePoint::max();
  if (is_paused_ || lines_.empty()) return std::nullopt;
  Outlook outlook(*this, now);
  if (!outlook.has_free()) return std::nullopt;
  for (auto& [preference, line] : lines_)
    if (outlook.serves(preference)) line.age(highest_level(), shares_, now, aging_);
  LineWalk walk(shares_, now, kLookahead);
  for (const auto& [preference, line] : lines_)
    if (outlook.serves(preference)) walk.add(line, outlook.has_free_for(preference));
  while (const std::string* id = walk.next()) {
    const WaitingEntry& queued = waiting_.at(*id);
    std::optional<PlacementChoice> choice = outlook.choose(queued);
    if (!choice) continue;
    const Prediction* free = outlook.best_free(*choice);
    if (free != nullptr && free->device != choice->device && gives_up_waiting(*id, *choice, *free, now)) {
      choice->device = free->device;
      choice->reason = PlacementReason::kWaitedLong;
    }
    const bool is_free = free != nullptr && free->device == choice->device;
    const bool is_probed = is_free || outlook.lacks_memory(*choice);
    Memory memory = is_probed ? probe_memory(*id, queued, choice->device, now) : Memory::kFits;
    if (is_free && memory == Memory::kFits) memory = probe_counted(*id, queued, choice->device, now);
    if (memory == Memory::kNobodyPasses) return std::nullopt;
    if (memory == Memory::kDeviceIsKept) outlook.close(choice->device);
    if (memory != Memory::kFits) continue;
    if (is_free) {
      lines_.at(queued.preference).count_start(*id);
      const int64_t bytes = queued.bytes_on(devices_.at(choice->device));
      const int most_segments =
          counted_.segments_at_once(queued.counted_need(), choice->device, MemoryBudget::kMostSegments);
      const MemoryGrant grant =
          memory_.grant_on(choice->device, queued.kind->memory, bytes, queued.segment_bytes, most_segments);
      return Assignment{*id, *std::move(choice), grant};
    }
    outlook.take(*choice);
  }
  return std::nullopt;
}

std::optional<PlacementChoice> Placement::plan_of(const std::string& id, TimePoint now) const {
  const auto found = waiting_.find(id);
  return found == waiting_.end() ? std::nullopt : plan(found->second, now);
}

std::optional<PlacementChoice> Placement::plan_of_new(const v1::Job& job, TimePoint now) const {
  WaitingEntry queued = entry_of(job, now, std::make_shared<const WorkKind>(kind_of_work(job)));
  queued.key.id = kAfterEveryId;
  return plan(queued, now);
}

std::optional<PlacementChoice> Placement::plan(const WaitingEntry& queued, TimePoint now) const {
  if (ahead_of(queued, now) > kPlannedAhead) return std::nullopt;
  Outlook outlook(*this, now);
  if (!outlook.serves(queued.preference)) return std::nullopt;
  LineWalk walk(shares_, now, kPlannedAhead + 1);
  for (const auto& [preference, line] : lines_)
    if (outlook.serves(preference)) walk.add(line);
  Line joining;
  if (!is_waiting(queued.key.id)) {
    joining.add(queued.key, now);
    walk.add(joining);
  }
  for (const std::string* id = walk.next(); id != nullptr && *id != queued.key.id; id = walk.next())
    if (const std::optional<PlacementChoice> choice = outlook.choose(waiting_.at(*id))) outlook.take(*choice);
  return outlook.choose(queued);
}

int64_t Placement::ahead_of(const std::string& id, TimePoint now) const {
  const auto found = waiting_.find(id);
  return found == waiting_.end() ? 0 : ahead_of(found->second, now);
}

// Returns the highest level of all jobs in the lines.
Level Placement::highest_level() const {
  Level highest = lines_.begin()->second.highest();
  for (const auto& [preference, line] : lines_) highest = std::min(highest, line.highest());
  return highest;
}

// Returns true if jobs of that line and the given job have a permitted device in common.
bool Placement::competes(const WaitingEntry& queued, const std::string& preference) const {
  if (preference.empty() || preference == queued.preference) return true;
  return std::ranges::any_of(devices_, [&](const auto& device) {
    return permits(preference, device.first, device.second) &&
           permits(queued.preference, device.first, device.second);
  });
}

int64_t Placement::ahead_of(const WaitingEntry& queued, TimePoint now) const {
  std::vector<const Line*> lines;
  for (const auto& [preference, line] : lines_)
    if (competes(queued, preference)) lines.push_back(&line);
  return count_before(queued.key, lines, shares_, now);
}

void DeviceHealth::died(const std::vector<std::string>& job_ids) {
  const bool new_job =
      std::any_of(job_ids.begin(), job_ids.end(), [&](const auto& id) { return !at_.contains(id); });
  at_.insert(job_ids.begin(), job_ids.end());
  if (new_job) deaths_++;
}

}  // namespace weft::queue
