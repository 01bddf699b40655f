// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/status.h"

namespace weft::queue {
namespace {

int kind_rank(v1::DeviceKind kind) {
  switch (kind) {
    case v1::DEVICE_KIND_CUDA:
      return 0;
    case v1::DEVICE_KIND_VULKAN:
      return 1;
    default:
      return 2;
  }
}

std::string jobs_are_ahead(int64_t count) {
  if (count == 0) return "this job is next";
  return count == 1 ? "1 job is ahead" : fmt::format("{} jobs are ahead", count);
}

}  // namespace

bool WaitKey::operator<(const WaitKey& other) const {
  // Higher priorities come first, hence the swapped pair.
  return std::tie(spare, other.priority, id) < std::tie(other.spare, priority, other.id);
}

WaitKey wait_key(const v1::Job& job) {
  return {job.settings().job_class() == v1::JOB_CLASS_SPARE, job.settings().priority(), job.id()};
}

bool is_software_device(const v1::Device& device) {
  if (device.kind() != v1::DEVICE_KIND_VULKAN) return false;
  for (const char* name : {"llvmpipe", "lavapipe", "SwiftShader"})
    if (device.name().find(name) != std::string::npos || device.driver().find(name) != std::string::npos)
      return true;
  return false;
}

void Placement::set_waiting(const v1::Job& job) {
  remove_waiting(job.id());
  Place place{wait_key(job), job.settings().device()};
  lines_[place.preference].insert(place.key);
  waiting_.emplace(job.id(), std::move(place));
}

void Placement::remove_waiting(const std::string& id) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  const auto line = lines_.find(found->second.preference);
  line->second.erase(found->second.key);
  if (line->second.empty()) lines_.erase(line);
  waiting_.erase(found);
}

void Placement::set_device(const v1::Device& device, bool accepts, std::string why_not) {
  devices_[device.id()] = {kind_rank(device.kind()), is_software_device(device), accepts, std::move(why_not)};
}

void Placement::occupy(const std::string& device, const std::string& job_id) {
  running_[device].insert(job_id);
}

void Placement::release(const std::string& device, const std::string& job_id) {
  const auto found = running_.find(device);
  if (found == running_.end()) return;
  found->second.erase(job_id);
  if (found->second.empty()) running_.erase(found);
}

const std::set<std::string>& Placement::jobs_on(const std::string& device) const {
  static const std::set<std::string> none;
  const auto found = running_.find(device);
  return found == running_.end() ? none : found->second;
}

bool Placement::is_free(const std::string& id, const Slot& slot) const {
  return slot.accepts && int(jobs_on(id).size()) < jobs_per_device_;
}

bool Placement::may_use(const Place& place, const std::string& device, const Slot& slot) const {
  return place.preference.empty() ? !slot.only_by_name : place.preference == device;
}

// For a job without a preference; empty: none is free. Ties go to the first by id.
std::string Placement::best_free_device() const {
  const std::string* best = nullptr;
  std::pair<int, size_t> best_rank;
  for (const auto& [id, slot] : devices_) {
    if (slot.only_by_name || !is_free(id, slot)) continue;
    const std::pair<int, size_t> rank(slot.rank, jobs_on(id).size());
    if (best != nullptr && best_rank <= rank) continue;
    best = &id;
    best_rank = rank;
  }
  return best == nullptr ? std::string() : *best;
}

std::optional<Assignment> Placement::next() const {
  const WaitKey* first = nullptr;
  std::string device;
  const auto consider = [&](const std::string& preference, const std::string& candidate) {
    const auto line = lines_.find(preference);
    if (line == lines_.end() || candidate.empty()) return;
    const WaitKey& key = *line->second.begin();
    if (first != nullptr && *first < key) return;
    first = &key;
    device = candidate;
  };
  consider("", best_free_device());
  for (const auto& [id, slot] : devices_)
    if (is_free(id, slot)) consider(id, id);
  if (first == nullptr) return std::nullopt;
  return Assignment{first->id, device};
}

int64_t Placement::ahead_of(const std::string& id) const {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return 0;
  const Place& place = found->second;
  int64_t ahead = 0;
  for (const auto& [preference, line] : lines_) {
    const auto device = devices_.find(preference);
    const bool shares = preference.empty()
                            ? true
                            : preference == place.preference ||
                                  (device != devices_.end() && may_use(place, device->first, device->second));
    if (shares) ahead += int64_t(line.order_of_key(place.key));
  }
  return ahead;
}

std::string Placement::device_reason(const std::string& device, const Slot& slot) const {
  if (!slot.accepts) return fmt::format("{}: {}", device, slot.why_not);
  const std::set<std::string>& jobs = jobs_on(device);
  if (int(jobs.size()) < jobs_per_device_) return fmt::format("{}: it is free.", device);
  if (jobs.size() == 1) return fmt::format("{}: job {} is running there.", device, *jobs.begin());
  return fmt::format("{}: {} jobs are running there.", device, jobs.size());
}

std::vector<std::string> Placement::device_reasons(const std::string& id) const {
  std::vector<std::string> reasons;
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return reasons;
  for (const auto& [device, slot] : devices_)
    if (may_use(found->second, device, slot)) reasons.push_back(device_reason(device, slot));
  return reasons;
}

std::string Placement::waiting_reason(const std::string& id) const {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return "";
  const Place& place = found->second;
  const std::string order = jobs_are_ahead(ahead_of(id));
  if (!place.preference.empty()) {
    const auto device = devices_.find(place.preference);
    if (device == devices_.end())
      return fmt::format("Waits for {}, which is not there; {}.", place.preference, order);
    std::string reason = device_reason(device->first, device->second);
    if (!reason.empty() && reason.back() == '.') reason.pop_back();
    return fmt::format("Waits for {}; {}.", reason, order);
  }
  const std::vector<std::string> reasons = device_reasons(id);
  if (reasons.empty()) return fmt::format("Waits for a device; none is there yet, and {}.", order);
  if (reasons.size() > 1)
    return fmt::format("Waits for any of {} devices, all are busy or not in service; {}.", reasons.size(),
                       order);
  std::string reason = reasons.front();
  if (reason.back() == '.') reason.pop_back();
  return fmt::format("Waits for {}; {}.", reason, order);
}

void DeviceHealth::died(const std::vector<std::string>& job_ids) {
  const bool new_job =
      std::any_of(job_ids.begin(), job_ids.end(), [&](const auto& id) { return !at_.contains(id); });
  at_.insert(job_ids.begin(), job_ids.end());
  if (new_job) deaths_++;
}

}  // namespace weft::queue
