// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/presence_watch.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/log.h"

namespace weft::worker {

std::optional<schedule::ExternalLoadMode> external_load_mode(std::string_view text) {
  if (text == "yield") return schedule::ExternalLoadMode::kYield;
  if (text == "share") return schedule::ExternalLoadMode::kShare;
  return std::nullopt;
}

PresenceWatch::PresenceWatch(std::unique_ptr<device::ExternalLoadWatch> use, Report report, Duration interval)
    : use_(std::move(use)),
      report_(std::move(report)),
      interval_(interval),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void PresenceWatch::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  bool present = false;
  while (!stop.stop_requested()) {
    const StatusOr<device::ExternalLoadSample> sample = use_->sample();
    schedule::Presence presence;
    presence.time = std::chrono::steady_clock::now();
    if (sample.ok()) {
      presence.present = !sample->processes.empty();
      presence.utilisation = sample->utilisation;
    }
    report_(presence);
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
