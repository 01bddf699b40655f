// SPDX-License-Identifier: Apache-2.0
#include "server/graph/time_rule.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

namespace weft::graph {
namespace {

// A limit that is larger than any window.
constexpr int64_t kMostParents = 1 << 20;

class MapFollower final : public RuleFollower {
 public:
  MapFollower(std::shared_ptr<const FrameMap> map, bool makes_progressive)
      : map_(std::move(map)), makes_progressive_(makes_progressive) {}

  void push(const UnitInfo& unit) override { parents_.push_back(unit); }
  void finish() override {}
  // The state says whether a cut before the unit is still to be passed to an output unit.
  void resume(int64_t unit, int64_t number, int64_t state) override {
    offset_ = number - unit;
    resumed_at_ = unit;
    resumed_cut_ = state != 0;
    const auto& entries = map_->entries;
    const auto next = std::ranges::lower_bound(entries, offset_, {}, &FrameMap::Entry::unit);
    next_entry_ = entries.first() + size_t(next - entries.begin());
  }

  bool needs_number() const override { return true; }

  std::optional<PlannedUnit> next() override {
    if (parents_.empty()) return std::nullopt;
    const UnitInfo from = std::move(parents_.front());
    parents_.pop_front();
    const int64_t whole = next_parent_ + offset_;
    if (next_parent_ == resumed_at_) has_cut_ = resumed_cut_;
    has_cut_ = has_cut_ || (from.frame.discontinuity && whole > 0);
    PlannedUnit planned;
    const auto& entries = map_->entries;
    for (; next_entry_ < entries.size() && entries[next_entry_].unit == whole; next_entry_++)
      add(planned, from, entries[next_entry_]);
    if (const int every = map_->every; every > 0 && whole % every == 0) {
      int64_t duration = 0;
      if (__builtin_mul_overflow(int64_t{every}, from.frame.duration, &duration))
        duration = std::numeric_limits<int64_t>::max();
      add(planned, from, {whole, from.frame.pts, duration, int32_t(whole / every % 2)});
    }
    if (!planned.units.empty()) planned.units.back().ends_source = from.ends_source;
    planned.state = has_cut_ ? 1 : 0;
    next_parent_++;
    return planned;
  }

 private:
  void add(PlannedUnit& planned, const UnitInfo& from, const FrameMap::Entry& entry) {
    UnitInfo unit = from;
    unit.frame.pts = entry.pts;
    unit.frame.duration = entry.duration;
    unit.frame.discontinuity = std::exchange(has_cut_, false);
    unit.ends_source = false;
    unit.parent = next_parent_;
    unit.word = entry.word;
    if (makes_progressive_) {
      unit.frame.interlaced = unit.frame.top_field_first = unit.frame.repeats_field = false;
      unit.frame.repeated_frames = 0;
    }
    planned.units.push_back(std::move(unit));
  }

  std::shared_ptr<const FrameMap> map_;
  bool makes_progressive_ = false;
  std::deque<UnitInfo> parents_;  // parent units that are not planned yet
  int64_t next_parent_ = 0;       // index of the next parent unit
  int64_t offset_ = 0;            // number minus index of a parent unit
  size_t next_entry_ = 0;
  bool has_cut_ = false;     // a run ends between the newest output unit and the next one
  int64_t resumed_at_ = -1;  // parent unit that resumed_cut_ applies to
  bool resumed_cut_ = false;
};

class MapRule final : public TimeRule {
 public:
  MapRule(std::shared_ptr<const FrameMap> map, bool makes_progressive)
      : map_(std::move(map)), makes_progressive_(makes_progressive) {}

  bool equals(const TimeRule& other) const override {
    const auto* rule = dynamic_cast<const MapRule*>(&other);
    return rule != nullptr && rule->map_ == map_ && rule->makes_progressive_ == makes_progressive_;
  }
  Rate rate() const override { return map_->rate; }
  int64_t time_divisor() const override { return map_->time_divisor; }

  int most_units(int parents) const override {
    if (parents <= 0) return 0;
    if (map_->growth) return scaled_up(parents, map_->rate) + map_->growth->more_entries;
    const auto& entries = map_->entries;
    size_t most = 0, end = 0;
    for (size_t i = 0; i < entries.size(); i++) {
      while (end < entries.size() && entries[end].unit < entries[i].unit + parents) end++;
      most = std::max(most, end - i);
    }
    return std::max(int(most), scaled_up(parents, map_->rate));
  }
  // A map from a decision may drop any unit.
  int fewest_units(int parents) const override { return map_->every > 0 ? parents / map_->every : 0; }
  int most_parents(int units) const override {
    if (units <= 0) return 0;
    if (const auto& growth = map_->growth)
      return int(std::min<int64_t>(scaled_up(units, growth->units_each) + growth->more_units, kMostParents));
    const auto& entries = map_->entries;
    int64_t most = int64_t(units) * std::max(map_->every, 1);
    for (size_t i = 0; i < entries.size(); i++) {
      const size_t last = std::min(i + size_t(units), entries.size() - 1);
      most = std::max(most, entries[last].unit - entries[i].unit);
    }
    return int(std::min(most, kMostParents));
  }

  UnitSet parents_of(const UnitSet& units) const override {
    if (map_->every > 0) return units.scaled(map_->every);
    UnitSet parents;
    for (size_t i = map_->entries.first(); i < map_->entries.size(); i++)
      if (units.has(int64_t(i))) parents.add(map_->entries[i].unit, map_->entries[i].unit + 1);
    return parents;
  }

  bool is_by_unit() const override { return true; }
  int targets() const override { return 1; }
  bool lookahead(bool, bool) const override { return false; }
  std::unique_ptr<RuleFollower> follow(bool) const override {
    return std::make_unique<MapFollower>(map_, makes_progressive_);
  }
  const FrameMap* listed() const override { return map_->entries.empty() ? nullptr : map_.get(); }

 private:
  std::shared_ptr<const FrameMap> map_;
  bool makes_progressive_ = false;
};

}  // namespace

bool equal_rules(const TimeRulePtr& a, const TimeRulePtr& b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->equals(*b);
}

TimeRulePtr by_map(std::shared_ptr<const FrameMap> map, bool makes_progressive) {
  return std::make_shared<MapRule>(std::move(map), makes_progressive);
}

}  // namespace weft::graph
