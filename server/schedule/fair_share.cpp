// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/fair_share.h"

#include <algorithm>

#include "server/schedule/durations.h"

namespace weft::schedule {
void FairShare::activate(const std::string& owner, double owner_weight, SourceId source, double weight) {
  Owner& o = owners_[owner];
  Member& member = o.sources[source];
  o.weight = owner_weight;
  member.weight = weight;
  if (member.active) return;
  if (o.active == 0) o.tag = std::max(o.tag, served_);
  member.tag = std::max(member.tag, o.served);
  member.active = true;
  o.active++;
}

void FairShare::deactivate(const std::string& owner, SourceId source) {
  const auto o = owners_.find(owner);
  if (o == owners_.end()) return;
  const auto member = o->second.sources.find(source);
  if (member == o->second.sources.end() || !member->second.active) return;
  member->second.active = false;
  o->second.active--;
  forget_the_even();
}

// Removes the idle participants without excess use. Such a participant starts at the current tag
// when it returns, so its own tag is not needed.
void FairShare::forget_the_even() {
  for (auto& [name, owner] : owners_)
    std::erase_if(owner.sources, [&, served = owner.served](const auto& entry) {
      return !entry.second.active && entry.second.tag <= served;
    });
  std::erase_if(owners_, [&](const auto& entry) {
    return entry.second.active == 0 && entry.second.sources.empty() && entry.second.tag <= served_;
  });
}

void FairShare::serve(const std::string& owner, SourceId source, Duration predicted) {
  const auto o = owners_.find(owner);
  if (o == owners_.end()) return;
  const auto member = o->second.sources.find(source);
  if (member == o->second.sources.end()) return;
  const double claim = seconds_of(kMostClaim);
  o->second.tag = std::max(o->second.tag, served_ - claim / o->second.weight);
  member->second.tag = std::max(member->second.tag, o->second.served - claim / member->second.weight);
  served_ = std::max(served_, o->second.tag);
  o->second.served = std::max(o->second.served, member->second.tag);
  correct(owner, source, predicted);
}

void FairShare::correct(const std::string& owner, SourceId source, Duration longer) {
  const auto o = owners_.find(owner);
  if (o == owners_.end()) return;
  o->second.tag += seconds_of(longer) / o->second.weight;
  const auto member = o->second.sources.find(source);
  if (member != o->second.sources.end()) member->second.tag += seconds_of(longer) / member->second.weight;
}

FairShare::Tags FairShare::tags_of(const std::string& owner, SourceId source) const {
  const auto o = owners_.find(owner);
  if (o == owners_.end()) return {};
  const auto member = o->second.sources.find(source);
  return {o->second.tag, member == o->second.sources.end() ? 0 : member->second.tag};
}

}  // namespace weft::schedule
