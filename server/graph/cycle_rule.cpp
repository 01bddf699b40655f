// SPDX-License-Identifier: Apache-2.0
#include "server/graph/cycle_rule.h"

#include <deque>
#include <limits>
#include <utility>

namespace weft::graph {
namespace {

// Returns a * b + c, or the nearest 64-bit number.
int64_t product_and_sum(int64_t a, int64_t b, int64_t c) {
  int64_t result = 0;
  if (!__builtin_mul_overflow(a, b, &result) && !__builtin_add_overflow(result, c, &result)) return result;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

class CycleFollower final : public RuleFollower {
 public:
  explicit CycleFollower(int cycle) : cycle_(cycle) {}

  void push(const UnitInfo& unit) override { parents_.push_back(unit); }
  void finish() override {}
  // The units before the resumed one continue its cycle backwards.
  void resume(int64_t unit, int64_t /*number*/, int64_t state) override {
    position_ = int(((state - unit) % cycle_ + cycle_) % cycle_);
  }
  bool needs_number() const override { return true; }

  std::optional<PlannedUnit> next() override {
    if (parents_.empty()) return std::nullopt;
    UnitInfo unit = std::move(parents_.front());
    parents_.pop_front();
    if (unit.frame.discontinuity) position_ = 0;
    const int position = std::exchange(position_, (position_ + 1) % cycle_);
    PlannedUnit planned;
    planned.state = position_;
    unit.parent = next_parent_++;
    if (position == cycle_ - 1) return planned;
    const int64_t duration = unit.frame.duration;
    unit.frame.pts = product_and_sum(unit.frame.pts, cycle_ - 1, product_and_sum(duration, position, 0));
    unit.frame.duration = product_and_sum(duration, cycle_, 0);
    unit.word = position;
    planned.units.push_back(std::move(unit));
    return planned;
  }

 private:
  int cycle_;
  int position_ = 0;  // position of the next parent unit in its cycle
  int64_t next_parent_ = 0;
  std::deque<UnitInfo> parents_;  // parent units that are not planned yet
};

class CycleRule final : public TimeRule {
 public:
  explicit CycleRule(int cycle) : cycle_(cycle) {}

  bool equals(const TimeRule& other) const override {
    const auto* rule = dynamic_cast<const CycleRule*>(&other);
    return rule != nullptr && rule->cycle_ == cycle_;
  }
  Rate rate() const override { return {cycle_ - 1, cycle_}; }
  int64_t time_divisor() const override { return cycle_ - 1; }
  // A run that is shorter than a cycle keeps all units.
  int most_units(int parents) const override { return parents; }
  int fewest_units(int parents) const override { return parents - (parents + cycle_ - 1) / cycle_; }
  int most_parents(int units) const override { return units + (units + cycle_ - 2) / (cycle_ - 1); }
  bool is_by_unit() const override { return true; }
  int targets() const override { return 1; }
  bool lookahead(bool, bool) const override { return false; }
  std::unique_ptr<RuleFollower> follow(bool) const override {
    return std::make_unique<CycleFollower>(cycle_);
  }

 private:
  int cycle_;
};

}  // namespace

TimeRulePtr by_cycle(int cycle) { return std::make_shared<CycleRule>(cycle); }

}  // namespace weft::graph
