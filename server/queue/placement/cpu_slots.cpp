// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/cpu_slots.h"

#include <cmath>

#include <fmt/format.h>

namespace weft::queue {

void CpuSlots::learn(std::string_view kind, double processors) {
  if (kind.empty()) return;
  if (!learnt_.contains(kind) && learnt_.size() >= kKindsKept) learnt_.clear();
  Learnt& learnt = learnt_.try_emplace(std::string(kind)).first->second;
  learnt.samples = std::min(learnt.samples + 1, kSamples);
  learnt.processors += (processors - learnt.processors) / learnt.samples;
}

int CpuSlots::need_of(std::string_view kind, int estimated) const {
  const auto found = learnt_.find(kind);
  const bool is_learnt = found != learnt_.end() && found->second.samples >= kSamples;
  const int need = is_learnt ? int(std::ceil(found->second.processors)) : estimated;
  return std::clamp(need, 1, std::max(limit_, 1));
}

int CpuSlots::taken() const {
  int sum = 0;
  for (const auto& [key, taken] : taken_) sum += need_of(taken.kind, taken.estimated);
  return sum;
}

std::string CpuSlots::describe(int need) const {
  return fmt::format("it needs {} of {} CPU slots, jobs have {} (cpu_slots)", need, limit_, taken());
}

}  // namespace weft::queue
