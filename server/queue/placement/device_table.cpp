// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/device_table.h"

#include <algorithm>
#include <utility>

namespace weft::queue {
namespace {

bool is_at_work(v1::DeviceState state) {
  return state == v1::DEVICE_STATE_IN_SERVICE || state == v1::DEVICE_STATE_STARTING;
}

std::string why_not(const v1::DeviceStatus& device) {
  switch (device.state()) {
    case v1::DEVICE_STATE_IN_SERVICE:
      return "";
    case v1::DEVICE_STATE_STARTING:
      return "its worker is starting.";
    case v1::DEVICE_STATE_DRAINING:
    case v1::DEVICE_STATE_DRAINED:
      return "it is drained; resume it to use it again.";
    case v1::DEVICE_STATE_TAKEN:
      return device.reason().empty() ? "another daemon has it." : device.reason();
    case v1::DEVICE_STATE_UNUSED:
      return "the configuration leaves it out.";
    default:
      return device.reason().empty() ? "it is out of service." : device.reason();
  }
}

}  // namespace

void DeviceTable::update(const std::string& id) {
  const auto found = devices_.find(id);
  if (found == devices_.end()) return;
  const v1::DeviceStatus device = view(id);
  const Entry& entry = found->second;
  const bool rests = entry.rests_until != TimePoint{};
  const bool accepts = device.state() == v1::DEVICE_STATE_IN_SERVICE && !rests;
  placement_.set_device(device, accepts, accepts ? "" : rests ? entry.rests_why : why_not(device));
}

void DeviceTable::set_drained(std::set<std::string> ids) {
  drained_ = std::move(ids);
  for (const auto& [id, entry] : devices_) update(id);
}

void DeviceTable::report(const v1::DeviceStatus& device) {
  Entry& entry = devices_[device.id()];
  const bool returns =
      device.state() == v1::DEVICE_STATE_IN_SERVICE && entry.reported.state() != v1::DEVICE_STATE_IN_SERVICE;
  entry.reported = device;
  if (returns) entry.rests_until = {};
  update(device.id());
}

void DeviceTable::keep(const std::string& id, const internal::v1::DeviceReport& report) {
  const auto found = devices_.find(id);
  if (found == devices_.end()) return;
  internal::v1::DeviceReport& kept = found->second.report;
  if (report.has_sample()) *kept.mutable_sample() = report.sample();
  if (report.has_tuning()) *kept.mutable_tuning() = report.tuning();
}

StatusOr<internal::v1::DeviceReport> DeviceTable::report_of(const std::string& id) const {
  const auto found = devices_.find(id);
  if (found == devices_.end()) return not_found("There is no device '{}'.", id);
  return found->second.report;
}

bool DeviceTable::died(const std::string& id, const std::vector<std::string>& job_ids) {
  const auto found = devices_.find(id);
  if (found == devices_.end() || found->second.health.is_over()) return false;
  found->second.health.died(job_ids);
  update(id);
  return found->second.health.is_over();
}

void DeviceTable::worked(const std::string& id) {
  const auto found = devices_.find(id);
  if (found != devices_.end() && !found->second.health.is_over()) found->second.health.worked();
}

void DeviceTable::rest(const std::string& id, TimePoint until, std::string why) {
  const auto found = devices_.find(id);
  if (found == devices_.end()) return;
  found->second.rests_until = until;
  found->second.rests_why = std::move(why);
  update(id);
}

TimePoint DeviceTable::end_rests(TimePoint now) {
  TimePoint next = TimePoint::max();
  for (auto& [id, entry] : devices_) {
    if (entry.rests_until == TimePoint{}) continue;
    if (entry.rests_until > now) {
      next = std::min(next, entry.rests_until);
      continue;
    }
    entry.rests_until = {};
    update(id);
  }
  return next;
}

void DeviceTable::absolve(const std::string& id) {
  const auto found = devices_.find(id);
  if (found == devices_.end()) return;
  found->second.health.worked();
  found->second.rests_until = {};
  placement_.counted().sessions().forget(id);
  update(id);
}

StatusOr<std::vector<std::string>> DeviceTable::resolve(const std::vector<std::string>& ids) const {
  for (const std::string& id : ids)
    if (!devices_.contains(id) && !drained_.contains(id))
      return not_found("There is no device ({}); `weft devices` lists them.", id);
  if (!ids.empty()) return ids;
  std::set<std::string> all = drained_;
  for (const auto& [id, entry] : devices_) all.insert(id);
  return std::vector<std::string>(all.begin(), all.end());
}

v1::DeviceStatus DeviceTable::view(const std::string& id) const {
  const Entry& entry = devices_.at(id);
  v1::DeviceStatus device = entry.reported;
  if (entry.report.has_sample()) *device.mutable_sample() = entry.report.sample();
  device.set_server_draining(server_draining_);
  device.set_queue_paused(placement_.is_paused());
  if (const auto free = placement_.memory().free_on(id)) device.set_memory_free_bytes(*free);
  placement_.counted().describe_sessions(device);
  const std::set<std::string> jobs = placement_.jobs_on(id);
  device.clear_job_ids();
  for (const std::string& job : jobs) device.add_job_ids(job);
  if (!is_at_work(device.state())) return device;
  if (entry.health.is_over()) {
    device.set_state(v1::DEVICE_STATE_OUT_OF_SERVICE);
    device.set_reason(fmt::format(
        "Its worker died {} times in a row at different jobs. Look for the cause, then resume it.",
        kDeathsThatEndADevice));
  } else if (drained_.contains(id)) {
    const bool idle = jobs.empty() && device.streams() == 0;
    device.set_state(idle ? v1::DEVICE_STATE_DRAINED : v1::DEVICE_STATE_DRAINING);
    if (!idle)
      device.set_reason(fmt::format("It finishes what it has (jobs: {}, streams: {}) and takes nothing else.",
                                    jobs.size(), device.streams()));
  }
  return device;
}

std::vector<v1::DeviceStatus> DeviceTable::all() const {
  std::vector<v1::DeviceStatus> devices;
  for (const auto& [id, entry] : devices_) devices.push_back(view(id));
  return devices;
}

}  // namespace weft::queue
