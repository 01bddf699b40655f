// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/device_speed.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "server/queue/records/proto_time.h"

namespace weft::queue {
namespace {

// Returns assumed rates for a device that its worker did not measure. Only their order matters: a
// GPU is faster than the CPU.
PredictionRates assumed_rates(v1::DeviceKind kind, bool is_the_cpu) {
  if (is_the_cpu) return {5e9, 2e10, 1e-6};
  return kind == v1::DEVICE_KIND_CUDA ? PredictionRates{5e11, 1e13, 5e-6}
                                      : PredictionRates{2.5e11, 5e12, 1e-5};
}

PredictionRates rates_of(const v1::DeviceStatus& device, bool is_the_cpu) {
  const v1::DeviceRates& given = device.rates();
  if (given.bytes_per_second() <= 0 || given.operations_per_second() <= 0)
    return assumed_rates(device.kind(), is_the_cpu);
  return {given.bytes_per_second(), given.operations_per_second(), seconds_of(given.launch())};
}

// Removes the oldest entry if the map is full.
template <class Map>
void forget_oldest(Map& map, size_t kept) {
  if (map.size() < kept) return;
  map.erase(std::min_element(map.begin(), map.end(),
                             [](const auto& a, const auto& b) { return a.second.learnt < b.second.learnt; }));
}

std::string kept_as(const v1::DeviceStatus& device) {
  return fmt::format("{} {}", v1::DeviceKind_Name(device.kind()),
                     device.uuid().empty() ? device.id() : device.uuid());
}

int64_t whole_ns(double seconds) { return std::max<int64_t>(std::llround(seconds * 1e9), 1); }

}  // namespace

bool is_software_device(const v1::DeviceStatus& device) {
  if (device.kind() != v1::DEVICE_KIND_VULKAN) return false;
  for (const char* name : {"llvmpipe", "lavapipe", "SwiftShader"})
    if (device.name().find(name) != std::string::npos || device.driver().find(name) != std::string::npos)
      return true;
  return false;
}

bool shares_memory(const v1::DeviceStatus& device) {
  return device.kind() == v1::DEVICE_KIND_CPU || is_software_device(device);
}

WorkKind kind_of_work(const v1::Job& job) {
  const v1::JobEstimate& estimate = job.estimate();
  const v1::UnitWork& unit = estimate.unit_work();
  return {estimate.cost_key(),     estimate.pace_key(), unit.bytes(),
          unit.operations(),       unit.launches(),     estimate.cost_units() > 0 ? estimate.cost_units() : 1,
          device_need_of(estimate)};
}

double predicted_cost(const WorkKind& work, const PredictionRates& rates) {
  if (work.bytes <= 0) return 0;
  return work.bytes / rates.bytes_per_second + work.operations / rates.operations_per_second +
         work.launches * rates.launch_seconds;
}

std::optional<int64_t> units_left(const v1::Job& job) {
  const v1::JobProgress& progress = job.progress();
  const int64_t total = progress.units_total() > 0 ? progress.units_total() : job.estimate().units_in();
  if (total <= 0 || total < progress.units_done()) return std::nullopt;
  return total - progress.units_done();
}

void DeviceSpeeds::set_device(const v1::DeviceStatus& device) {
  Speeds& speeds = devices_[device.id()];
  speeds.is_the_cpu = device.kind() == v1::DEVICE_KIND_CPU || is_software_device(device);
  if (device.has_rates() || speeds.rates.bytes_per_second <= 0)
    speeds.rates = rates_of(device, speeds.is_the_cpu);
  speeds.kept_as = kept_as(device);
  const auto recalled = recalled_.extract(speeds.kept_as);
  if (recalled.empty()) return;
  for (const KeptSpeed& kept : recalled.mapped()) put(kept, speeds);
}

void DeviceSpeeds::recall(std::vector<KeptSpeed> kept) {
  for (KeptSpeed& each : kept) recalled_[each.device].push_back(std::move(each));
}

void DeviceSpeeds::put(const KeptSpeed& kept, Speeds& speeds) {
  const double seconds = 1e-9 * double(kept.unit_ns);
  if (!kept.is_pace) {
    if (speeds.costs.size() < kKeysKept) speeds.costs.try_emplace(kept.key, Cost{seconds, seconds, {}, true});
  } else if (speeds.paces.size() < kKeysKept) {
    const bool limited = kept.limit_share > 0;
    speeds.paces.try_emplace(
        kept.key, Pace{1 / seconds, limited, limited ? 1e-6 * double(kept.limit_share) : 1, {}, true});
  }
}

std::vector<KeptSpeed> DeviceSpeeds::to_keep() const {
  std::vector<KeptSpeed> kept;
  for (const auto& [id, speeds] : devices_) {
    for (const auto& [key, cost] : speeds.costs)
      if (!cost.kept) kept.push_back({speeds.kept_as, key, false, whole_ns(cost.best), 0});
    for (const auto& [key, pace] : speeds.paces)
      if (!pace.kept)
        kept.push_back({speeds.kept_as, key, true, whole_ns(1 / pace.units_per_second),
                        pace.device_is_the_limit ? std::llround(1e6 * pace.share) : 0});
  }
  return kept;
}

void DeviceSpeeds::kept() {
  for (auto& [id, speeds] : devices_) {
    for (auto& [key, cost] : speeds.costs) cost.kept = true;
    for (auto& [key, pace] : speeds.paces) pace.kept = true;
  }
}

void DeviceSpeeds::learn(std::string_view device, const v1::ScheduleSample& sample, TimePoint now) {
  const auto found = devices_.find(device);
  if (found == devices_.end()) return;
  Speeds& speeds = found->second;
  speeds.share_left = std::clamp(1 - sample.predicted_load(), kLeastShare, 1.0);
  for (const v1::LearntCost& learnt : sample.costs()) {
    const double seconds = seconds_of(learnt.unit());
    if (seconds <= 0) continue;
    auto cost = speeds.costs.find(learnt.key());
    if (cost == speeds.costs.end()) {
      forget_oldest(speeds.costs, kKeysKept);
      cost = speeds.costs.emplace(learnt.key(), Cost{}).first;
    }
    const double best = cost->second.learnt ? std::min(cost->second.best, seconds) : seconds;
    cost->second = {seconds, best, now};
  }
}

void DeviceSpeeds::learn_pace(std::string_view device, const WorkKind& work, double units_per_second,
                              size_t jobs, TimePoint now) {
  const auto found = devices_.find(device);
  if (found == devices_.end() || work.pace_key.empty() || !(units_per_second > 0)) return;
  Speeds& speeds = found->second;
  const auto cost = speeds.costs.find(work.cost_key);
  // without the cost it is unknown whether the device was the limit
  if (cost == speeds.costs.end()) return;
  Pace pace{units_per_second, false, speeds.share_left, now};
  const double used = units_per_second * cost->second.seconds * work.cost_units * double(jobs);
  pace.device_is_the_limit = used >= kDeviceIsTheLimit * speeds.share_left;
  if (pace.device_is_the_limit) pace.units_per_second *= double(jobs);
  if (!speeds.paces.contains(work.pace_key)) forget_oldest(speeds.paces, kKeysKept);
  speeds.paces[work.pace_key] = pace;
}

// Estimates the cost from the device with the most keys in common. The ratio of the two devices is
// the geometric mean over these keys.
std::optional<double> DeviceSpeeds::guess_from_others(const Speeds& device, const WorkKind& work,
                                                      std::string& other) const {
  std::optional<double> guess;
  int most_common = -1;
  for (const auto& [id, speeds] : devices_) {
    const auto known = speeds.costs.find(work.cost_key);
    if (&speeds == &device || known == speeds.costs.end()) continue;
    double sum = 0;
    int common = 0;
    for (const auto& [key, cost] : device.costs) {
      const auto there = speeds.costs.find(key);
      if (there == speeds.costs.end()) continue;
      sum += std::log(cost.seconds / there->second.seconds);
      common++;
    }
    if (common <= most_common) continue;
    most_common = common;
    other = id;
    const double here = predicted_cost(work, device.rates), there = predicted_cost(work, speeds.rates);
    const double by_rates =
        there > 0 ? here / there : speeds.rates.operations_per_second / device.rates.operations_per_second;
    const double slower = common > 0 ? std::exp(sum / common) : by_rates;
    guess = known->second.seconds * work.cost_units * slower;
  }
  return guess;
}

void DeviceSpeeds::set_device_time(const Speeds& device, const WorkKind& work, TimePoint now,
                                   UnitTime& time) const {
  const auto learnt = device.costs.find(work.cost_key);
  if (learnt != device.costs.end()) {
    const bool believed = learnt->second.learnt && now - *learnt->second.learnt <= kBelieved;
    time.source = believed ? UnitTime::Source::kLearnt : UnitTime::Source::kLearntOnce;
    time.device_seconds = work.cost_units * (believed ? learnt->second.seconds : learnt->second.best);
    return;
  }
  std::optional<double> guess = guess_from_others(device, work, time.other);
  time.source = UnitTime::Source::kOtherDevice;
  if (const double rated = predicted_cost(work, device.rates); !guess && rated > 0) {
    guess = rated * work.cost_units;
    time.source = UnitTime::Source::kRates;
  }
  if (!guess) time.source = UnitTime::Source::kUnknown;
  time.device_seconds = guess.value_or(0);
}

void DeviceSpeeds::set_seconds(const Speeds& device, const WorkKind& work, UnitTime& time) const {
  time.seconds = time.device_seconds / time.share_left;
  if (const auto here = device.paces.find(work.pace_key); here != device.paces.end()) {
    const Pace& pace = here->second;
    if (pace.device_is_the_limit) {
      time.seconds = std::max(time.seconds, pace.share / time.share_left / pace.units_per_second);
    } else {
      time.pace = pace.units_per_second;
      time.seconds = std::max(time.seconds, 1 / time.pace);
    }
    return;
  }
  for (const auto& [id, speeds] : devices_) {
    const auto there = speeds.paces.find(work.pace_key);
    if (there != speeds.paces.end() && !there->second.device_is_the_limit)
      time.pace = std::max(time.pace, there->second.units_per_second);
  }
  if (time.pace > 0)
    time.seconds = device.is_the_cpu ? time.seconds + 1 / time.pace : std::max(time.seconds, 1 / time.pace);
}

UnitTime DeviceSpeeds::unit_time(std::string_view device, const WorkKind& work, TimePoint now) const {
  UnitTime time;
  const auto found = devices_.find(device);
  if (found == devices_.end() || work.cost_key.empty()) return time;
  time.share_left = found->second.share_left;
  set_device_time(found->second, work, now, time);
  if (time.is_known()) set_seconds(found->second, work, time);
  return time;
}

}  // namespace weft::queue
