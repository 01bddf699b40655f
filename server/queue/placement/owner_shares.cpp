// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/owner_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::queue {
namespace {

constexpr double kNewest = 0.25;  // weight of the newest job in the usual duration
// Shortest duration of a job, and shortest remaining duration of a running one, in seconds.
constexpr double kShortest = 1;

double in_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

// Returns the tag with the time used so far, running jobs included.
double OwnerShares::tag_by_now(const std::string& owner, const Share& share, TimePoint now) const {
  double had = 0;
  for (const auto& [job, since] : share.running) had += in_seconds(now - since);
  return share.tag + had / weight_of(weights_, owner);
}

// Returns the tag of the job that started last or, if larger, the smallest tag of active owners.
double OwnerShares::tag_where_others_are(bool spare, TimePoint now) const {
  double hindmost = std::numeric_limits<double>::infinity();
  for (const auto& [key, share] : shares_)
    if (key.spare == spare && share.is_active())
      hindmost = std::min(hindmost, tag_by_now(key.owner, share, now));
  const double served = served_[size_t(spare)];
  return std::isinf(hindmost) ? served : std::max(served, hindmost);
}

// Returns the lower bound of an owner's tag given the owners of running jobs.
double OwnerShares::least_tag(const ShareKey& key, TimePoint now) const {
  double hindmost = std::numeric_limits<double>::infinity();
  for (const auto& [other, share] : shares_)
    if (other.spare == key.spare && other.owner != key.owner && !share.running.empty())
      hindmost = std::min(hindmost, tag_by_now(other.owner, share, now));
  return std::isinf(hindmost) ? 0 : hindmost - in_seconds(kMostClaim) / weight_of(weights_, key.owner);
}

OwnerShares::Share& OwnerShares::activate(const ShareKey& key, TimePoint now) {
  const auto [found, is_new] = shares_.try_emplace(key);
  Share& share = found->second;
  if (is_new) share.usual = in_seconds(kUsualAtFirst);
  if (!share.is_active()) share.tag = std::max(share.tag, tag_where_others_are(key.spare, now));
  return share;
}

void OwnerShares::join(const ShareKey& key, TimePoint now) { activate(key, now).waiting++; }

void OwnerShares::leave(const ShareKey& key) {
  const auto found = shares_.find(key);
  if (found == shares_.end() || found->second.waiting == 0) return;
  found->second.waiting--;
  forget_some();
}

void OwnerShares::start(const ShareKey& key, const std::string& job_id, TimePoint now) {
  if (!runs_.emplace(job_id, key).second) return;
  Share& share = activate(key, now);
  double& served = served_[size_t(key.spare)];
  share.tag = std::max(share.tag, least_tag(key, now));
  served = std::max(served, turns(key, now).first);
  share.running.emplace(job_id, now);
}

void OwnerShares::end(const std::string& job_id, TimePoint now) {
  const auto run = runs_.find(job_id);
  if (run == runs_.end()) return;
  const ShareKey key = std::move(run->second);
  runs_.erase(run);
  Share& share = shares_.at(key);
  const auto running = share.running.find(job_id);
  const double seconds = in_seconds(now - running->second);
  share.running.erase(running);
  share.tag += seconds / weight_of(weights_, key.owner);
  // A start that is undone at once contains no information about the duration of jobs.
  if (seconds > 0) share.usual = std::max(kShortest, share.usual + kNewest * (seconds - share.usual));
  forget_some();
}

// Removes owners that would start at the common tag in any case.
void OwnerShares::forget_some() {
  if (shares_.size() <= kMostRemembered) return;
  std::erase_if(shares_, [&](const auto& entry) {
    return !entry.second.is_active() && entry.second.tag <= served_[size_t(entry.first.spare)];
  });
}

Turns OwnerShares::turns(const ShareKey& key, TimePoint now) const {
  const double weight = weight_of(weights_, key.owner);
  const auto found = shares_.find(key);
  if (found == shares_.end())
    return {tag_where_others_are(key.spare, now), in_seconds(kUsualAtFirst) / weight};
  const Share& share = found->second;
  double charged = 0;
  for (const auto& [job, since] : share.running)
    charged += std::max(share.usual, in_seconds(now - since) + kShortest);
  return {share.tag + charged / weight, share.usual / weight};
}

}  // namespace weft::queue
