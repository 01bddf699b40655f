// SPDX-License-Identifier: Apache-2.0
#include "server/graph/unit_set.h"

#include <algorithm>
#include <numeric>

namespace weft::graph {

UnitSet UnitSet::all() { return of_every(1); }

UnitSet UnitSet::of_every(int64_t period) {
  if (period > kMostPeriod) return all();
  UnitSet set;
  set.ranges_ = {{0, 1}};
  set.period_ = period;
  return set;
}

bool UnitSet::has(int64_t unit) const {
  if (is_all()) return true;
  if (period_ > 0) unit = (unit % period_ + period_) % period_;
  const auto after = std::ranges::upper_bound(ranges_, unit, {}, &Range::first);
  return after != ranges_.begin() && unit < std::prev(after)->second;
}

void UnitSet::add(int64_t begin, int64_t end) {
  if (!ranges_.empty() && begin <= ranges_.back().second)
    ranges_.back().second = std::max(ranges_.back().second, end);
  else
    ranges_.emplace_back(begin, end);
}

void UnitSet::add(const UnitSet& other) {
  if (is_all() || other.is_none()) return;
  if (is_none() || other.is_all()) {
    *this = other;
    return;
  }
  const int64_t period = std::lcm(period_, other.period_);  // 0: one of the sets does not repeat
  if (period > kMostPeriod || (period == 0 && period_ != other.period_)) {
    *this = all();
    return;
  }
  UnitSet same = other;
  if (period > 0) {
    repeat(period);
    same.repeat(period);
  }
  ranges_.insert(ranges_.end(), same.ranges_.begin(), same.ranges_.end());
  sort();
}

UnitSet UnitSet::around(const Window& window) const {
  if (is_all() || is_none()) return *this;
  UnitSet set;
  set.period_ = period_;
  for (auto [begin, end] : ranges_) {
    begin -= window.before;
    end += window.after;
    if (period_ > 0 && end - begin >= period_) return all();
    if (period_ > 0 && begin < 0) {
      set.ranges_.emplace_back(begin + period_, period_);
      begin = 0;
    }
    if (period_ > 0 && end > period_) {
      set.ranges_.emplace_back(0, end - period_);
      end = period_;
    }
    set.ranges_.emplace_back(begin, end);
  }
  set.sort();
  return set;
}

UnitSet UnitSet::scaled(int64_t factor) const {
  UnitSet set;
  if (period_ > kMostPeriod / factor) return all();
  set.period_ = period_ * factor;
  for (const auto& [begin, end] : ranges_)
    for (int64_t unit = begin; unit < end; unit++) set.ranges_.emplace_back(unit * factor, unit * factor + 1);
  set.sort();
  return set;
}

void UnitSet::repeat(int64_t period) {
  const std::vector<Range> once = ranges_;
  for (int64_t at = period_; at < period; at += period_)
    for (const auto& [begin, end] : once) ranges_.emplace_back(begin + at, end + at);
  period_ = period;
  sort();
}

void UnitSet::sort() {
  std::ranges::sort(ranges_);
  const std::vector<Range> unsorted = std::exchange(ranges_, {});
  for (const auto& [begin, end] : unsorted) add(begin, end);
  if (period_ > 0 && ranges_.size() == 1 && ranges_[0] == Range(0, period_)) *this = all();
}

}  // namespace weft::graph
