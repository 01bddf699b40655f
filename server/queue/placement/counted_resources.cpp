// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/counted_resources.h"

#include <algorithm>

#include "base/status.h"

namespace weft::queue {

void CountedResources::take(const std::string& key, const std::string& device, const CountedNeed& need,
                            int segments) {
  slots_.take(key, need.pace_key, need.cpu_slots);
  sessions_.take(key, encoder_of(device), device, need.encoder_sessions * std::max(segments, 1));
}

void CountedResources::give_back(const std::string& key) {
  slots_.give_back(key);
  sessions_.give_back(key);
}

std::string CountedResources::lack(const CountedNeed& need, const std::string& device, bool is_idle) const {
  if (!has_session(need, device))
    return fmt::format("Waits for an encoder session: {}", sessions_.describe(encoder_of(device)));
  if (!has_slots(need, is_idle))
    return fmt::format("Waits for CPU slots: {}",
                       slots_.describe(slots_.need_of(need.pace_key, need.cpu_slots)));
  return "";
}

bool CountedResources::session_refused(const std::string& device, int open) {
  const std::string& gpu = encoder_of(device);
  const int all_open = open + sessions_.taken_elsewhere(gpu, device);
  if (all_open < 1) return false;
  sessions_.learn(gpu, all_open);
  return true;
}

void CountedResources::describe_sessions(v1::DeviceStatus& device) const {
  const int limit = sessions_.limit(device.id());
  device.set_encoder_sessions(sessions_.taken(device.id()));
  device.set_encoder_session_limit(limit == EncoderSessions::kNoLimit ? 0 : limit);
}

}  // namespace weft::queue
