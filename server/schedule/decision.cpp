// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/decision.h"

#include <algorithm>

namespace weft::schedule {

bool is_start(Reason reason) { return reason <= Reason::kAged; }

const char* name_of(Reason reason) {
  switch (reason) {
    case Reason::kFrame:
      return "frame";
    case Reason::kQuantum:
      return "quantum";
    case Reason::kGap:
      return "gap";
    case Reason::kShortSlice:
      return "short_slice";
    case Reason::kProbe:
      return "probe";
    case Reason::kSeldom:
      return "seldom";
    case Reason::kAged:
      return "aged";
    case Reason::kFrameInWork:
      return "frame_in_work";
    case Reason::kArrivalNear:
      return "arrival_near";
    case Reason::kExternalWork:
      return "foreign_work";
    case Reason::kBudgetSpent:
      return "budget_spent";
    case Reason::kDeviceFilled:
      return "device_filled";
    case Reason::kTooLong:
      return "too_long";
    case Reason::kStarves:
      return "starves";
  }
  return "";
}

uint64_t DecisionRing::record(Decision decision) {
  decision.serial = next_serial_++;
  if (ring_.size() < kCapacity) {
    ring_.push_back(decision);
  } else {
    ring_[(decision.serial - 1) % kCapacity] = decision;
  }
  return decision.serial;
}

void DecisionRing::finish(uint64_t serial, Duration real) {
  if (serial == 0 || serial >= next_serial_) return;
  Decision& decision = ring_[(serial - 1) % kCapacity];
  if (decision.serial == serial) decision.real = real;
}

std::vector<Decision> DecisionRing::after(uint64_t serial, size_t limit) const {
  std::vector<Decision> found;
  const uint64_t oldest = next_serial_ - ring_.size();
  for (uint64_t i = std::max(serial + 1, oldest); i < next_serial_ && found.size() < limit; i++)
    found.push_back(ring_[(i - 1) % kCapacity]);
  return found;
}

}  // namespace weft::schedule
