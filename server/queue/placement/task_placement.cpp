// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/task_placement.h"

#include <algorithm>
#include <utility>

#include "server/queue/records/device_choice.h"
#include "server/queue/records/record.h"

namespace weft::queue {
namespace {

// as runners name the last step
constexpr std::string_view kLastStage = "finishing";

}  // namespace

bool TaskPlacement::is_awaited(const std::string& device) const {
  const auto slot = placement_.devices_.find(device);
  return slot != placement_.devices_.end() && std::ranges::any_of(placement_.lines_, [&](const auto& line) {
           return Placement::permits(line.first, device, slot->second);
         });
}

bool TaskPlacement::must_leave(const v1::JobTask& task) const {
  const auto slot = placement_.devices_.find(task.device());
  if (slot != placement_.devices_.end() && !slot->second.accepts) return true;
  const bool is_full = placement_.count_on(task.device()) >= placement_.jobs_per_device_;
  return !placement_.is_paused_ && is_full && is_awaited(task.device());
}

std::string TaskPlacement::obstacle(const v1::Job& job, const std::string& device) const {
  const Placement::Slot& slot = placement_.devices_.at(device);
  const auto own = placement_.devices_.find(attempt_device(job));
  if (!slot.accepts) return slot.why_not;
  if (placement_.is_paused_) return "the queue is paused.";
  const bool is_same = own != placement_.devices_.end() && own->second.model == slot.model;
  if (!is_same &&
      (job.estimate().inexact_filter().size() > 0 || preference_of(job.settings()) == kAllDevices))
    return fmt::format("it is not of the same kind and name as {}.", attempt_device(job));
  for (const v1::JobTask& task : job.attempts().rbegin()->tasks()) {
    if (task.device() != device) continue;
    if (!task.has_end_time()) return "it renders segments of the job.";
    if (task.has_error()) return task.error().message();
    if (!task.stopping()) return "it has rendered segments of the job.";
  }
  if (is_awaited(device)) return "jobs wait for it.";
  if (placement_.count_on(device) >= placement_.jobs_per_device_) return "jobs run on it.";
  const int64_t bytes = host_memory_of(job.estimate(), slot.shares_memory);
  const MemoryPlan& memory = placement_.memory_;
  if (!memory.host().fits(bytes)) return fmt::format("{}.", memory.host().describe(bytes));
  const DeviceRoom room = memory.room_on(device, device_need_of(job.estimate()));
  if (room.kind != DeviceRoom::Kind::kFits) return fmt::format("{}.", describe(room));
  const bool is_idle = placement_.count_on(device) == 0;
  const std::string lack = placement_.counted_.lack(counted_need_of(job.estimate()), device, is_idle);
  return lack.empty() ? lack : lack + ".";
}

std::optional<TaskAssignment> TaskPlacement::next(const v1::Job& job) const {
  const std::string preference = preference_of(job.settings());
  const bool is_rendering = attempt_is_open(job) && job.progress().stage() != kLastStage;
  if (!names_several(preference) || !is_rendering) return std::nullopt;
  for (const auto& [device, slot] : placement_.devices_) {
    if (device == attempt_device(job) || !Placement::permits(preference, device, slot)) continue;
    if (!obstacle(job, device).empty()) continue;
    const int64_t bytes = host_memory_of(job.estimate(), slot.shares_memory);
    const int most_segments = placement_.counted_.segments_at_once(counted_need_of(job.estimate()), device,
                                                                   MemoryBudget::kMostSegments);
    return TaskAssignment{device, placement_.memory_.grant_on(device, device_need_of(job.estimate()), bytes,
                                                              job.estimate().segment_bytes(), most_segments)};
  }
  return std::nullopt;
}

std::vector<std::string> TaskPlacement::obstacles(const v1::Job& job) const {
  std::vector<std::string> reasons;
  const std::string preference = preference_of(job.settings());
  if (!names_several(preference) || !attempt_is_open(job)) return reasons;
  for (const auto& [device, slot] : placement_.devices_) {
    if (device == attempt_device(job) || !Placement::permits(preference, device, slot)) continue;
    if (const std::string why = obstacle(job, device); !why.empty())
      reasons.push_back(fmt::format("{}: {}", device, why));
  }
  return reasons;
}

Status TaskPlacement::check(const v1::JobSettings& settings, const v1::JobEstimate& estimate) const {
  const std::string preference = preference_of(settings);
  if (preference == kAllDevices || !names_several(preference) || estimate.inexact_filter().empty())
    return ok_status();
  const std::pair<const std::string, Placement::Slot>* first = nullptr;
  for (const auto& device : placement_.devices_) {
    if (!Placement::permits(preference, device.first, device.second)) continue;
    if (first == nullptr) first = &device;
    if (device.second.model == first->second.model) continue;
    return invalid_argument(
        "{} and {} are devices of different kinds or names, and the filter {} computes with floating-point "
        "numbers, so that its results would differ between them; use devices of one kind and name.",
        first->first, device.first, estimate.inexact_filter());
  }
  return ok_status();
}

}  // namespace weft::queue
