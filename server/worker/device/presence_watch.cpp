// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/presence_watch.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/log.h"

namespace weft::worker {

std::optional<ForeignOption> foreign_option(std::string_view text) {
  static constexpr std::pair<std::string_view, ForeignOption> kNames[] = {{"auto", ForeignOption::kAuto},
                                                                          {"lock", ForeignOption::kLock},
                                                                          {"short", ForeignOption::kShort},
                                                                          {"yield", ForeignOption::kYield},
                                                                          {"ignore", ForeignOption::kIgnore}};
  for (const auto& [name, option] : kNames)
    if (name == text) return option;
  return std::nullopt;
}

schedule::PhaseLockLimits foreign_limits(ForeignOption foreign, ForeignOption without_period,
                                         bool has_display) {
  using schedule::ForeignMode;
  const auto mode = [&](ForeignOption option) {
    switch (option) {
      case ForeignOption::kShort:
        return ForeignMode::kShort;
      case ForeignOption::kYield:
        return ForeignMode::kYield;
      case ForeignOption::kIgnore:
        return ForeignMode::kIgnore;
      case ForeignOption::kLock:
        return ForeignMode::kLock;
      case ForeignOption::kAuto:
        break;
    }
    return has_display ? ForeignMode::kShort : ForeignMode::kLock;
  };
  schedule::PhaseLockLimits limits;
  limits.mode = mode(foreign);
  limits.without_period = without_period == ForeignOption::kYield ? ForeignMode::kYield : ForeignMode::kShort;
  return limits;
}

PresenceWatch::PresenceWatch(std::unique_ptr<device::ForeignUse> use, Tell tell, Duration interval)
    : use_(std::move(use)),
      tell_(std::move(tell)),
      interval_(interval),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void PresenceWatch::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  bool present = false;
  while (!stop.stop_requested()) {
    const StatusOr<device::ForeignSample> sample = use_->sample();
    schedule::Presence presence;
    presence.time = std::chrono::steady_clock::now();
    if (sample.ok()) {
      presence.present = !sample->processes.empty();
      presence.utilisation = sample->utilisation;
    }
    tell_(presence);
    if (!sample.ok()) {
      log_warning("Other programs on the device are no longer noticed. {}", message_of(sample.status()));
      return;
    }
    if (presence.present != present)
      log_info("{}", presence.present ? fmt::format("Another program uses the device (process {}).",
                                                    sample->processes.front().pid)
                                      : "No other program uses the device any more.");
    present = presence.present;
    stopped.wait_for(lock, stop, interval_, [&] { return stop.stop_requested(); });
  }
}

}  // namespace weft::worker
