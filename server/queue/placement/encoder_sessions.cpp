// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/encoder_sessions.h"

namespace weft::queue {

int EncoderSessions::taken(const std::string& gpu) const {
  int sum = 0;
  for (const auto& [key, taken] : taken_)
    if (taken.gpu == gpu) sum += taken.sessions;
  return sum;
}

int EncoderSessions::taken_elsewhere(const std::string& gpu, const std::string& device) const {
  int sum = 0;
  for (const auto& [key, taken] : taken_)
    if (taken.gpu == gpu && taken.device != device) sum += taken.sessions;
  return sum;
}

int EncoderSessions::segments_at_once(const std::string& gpu, int sessions, int segments) const {
  if (sessions == 0 || limit(gpu) == kNoLimit) return segments;
  constexpr int kShare = 2;
  const int free = std::max(limit(gpu) - taken(gpu) - sessions, 0);
  return std::min(segments, 1 + free / kShare / sessions);
}

std::string EncoderSessions::describe(const std::string& gpu) const {
  const std::string origin =
      learnt_limit(gpu) < configured_
          ? fmt::format("learnt when it refused a further one; `weft resume {}` forgets this", gpu)
          : "encoder_sessions";
  return fmt::format("jobs have {} of {} sessions of the encoder of {} ({})", taken(gpu), limit(gpu), gpu,
                     origin);
}

}  // namespace weft::queue
