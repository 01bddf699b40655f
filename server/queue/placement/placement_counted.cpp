// SPDX-License-Identifier: Apache-2.0
// Implements the functions of Placement for counted resources: sessions of encoders and CPU slots.
#include <algorithm>
#include <string>

#include "server/queue/placement/placement.h"
#include "server/queue/records/record.h"

namespace weft::queue {

void Placement::learn_processors(const std::string& device, const v1::DeviceSample& sample) {
  // On the CPU as a device the filters use the processors too, as do streams anywhere.
  const auto slot = devices_.find(device);
  const auto found = running_.find(device);
  const bool is_gpu = slot != devices_.end() && !slot->second.shares_memory;
  if (!is_gpu || found == running_.end() || !sample.streams().empty()) return;
  const std::string& kind = found->second.begin()->second.kind.pace_key;
  const bool is_clear = std::ranges::all_of(found->second, [&](const auto& job) {
    return job.second.is_processing && job.second.kind.pace_key == kind;
  });
  if (is_clear) counted_.slots().learn(kind, sample.processors() / double(found->second.size()));
}

// Without a chosen number of slots, a device starts its first job in any case. On the CPU as a
// device the number of jobs is the limit: a job that waits for its disk keeps no processor busy.
bool Placement::is_spared(const std::string& device) const {
  const auto slot = devices_.find(device);
  return count_on(device) == 0 || (slot != devices_.end() && slot->second.shares_memory);
}

// After a long wait for chosen slots the job lets no other job start, as without memory. Without a
// chosen number it starts then.
Placement::Memory Placement::probe_counted(const std::string& id, const WaitingEntry& queued,
                                           const std::string& device, TimePoint now) {
  const CountedNeed need = queued.counted_need();
  const bool has_session = counted_.has_session(need, device);
  if (has_session && counted_.has_slots(need, is_spared(device))) return Memory::kFits;
  ShortOfCounted& waits = short_of_counted_.try_emplace(id, ShortOfCounted{now, ""}).first->second;
  waits.device = device;
  due_ = std::min(due_, now + kMemoryProbeInterval);
  const bool waited_long = now >= waits.since + kPassedForMemory;
  if (!waited_long || !has_session) return Memory::kPassedBy;
  return counted_.slots().is_chosen() ? Memory::kNobodyPasses : Memory::kFits;
}

std::string Placement::counted_lack(const std::string& id, const WaitingEntry& queued) const {
  const auto waits = short_of_counted_.find(id);
  if (waits == short_of_counted_.end()) return "";
  const std::string& device = waits->second.device;
  return counted_.lack(queued.counted_need(), device, is_spared(device));
}

}  // namespace weft::queue
