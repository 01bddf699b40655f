// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/line.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace weft::queue {
namespace {

// Orders the jobs in front of their lines.
bool is_before(const WaitKey& a, const WaitKey& b) {
  return std::tie(a.level, a.id) < std::tie(b.level, b.id);
}

// A position within a level: the turn, and the smallest id of the owner's jobs.
using LineRank = std::pair<double, std::string_view>;

// The jobs of one owner and level in several lines.
struct OwnJobs {
  std::string_view head;
  int64_t count = 0;
  void add(const Line::Ids& ids) {
    const std::string& first = *ids.begin();
    if (head.empty() || first < head) head = first;
    count += int64_t(ids.size());
  }
};

int64_t count_turns_before(const LineRank& rank, const Turns& turns, const OwnJobs& jobs) {
  const auto is_turn_before = [&](int64_t n) { return LineRank(turns.of(n), jobs.head) < rank; };
  const double estimate = std::ceil((rank.first - turns.first) / turns.step);
  auto count = int64_t(std::clamp(estimate, 0.0, double(jobs.count)));
  while (count < jobs.count && is_turn_before(count)) count++;
  while (count > 0 && !is_turn_before(count - 1)) count--;
  return count;
}

}  // namespace

bool Level::operator<(const Level& lower) const {
  // A higher priority comes first, hence the swapped pair.
  return std::tie(spare, lower.priority) < std::tie(lower.spare, priority);
}

WaitKey wait_key(const v1::Job& job) {
  const v1::JobSettings& settings = job.settings();
  return {{settings.job_class() == v1::JOB_CLASS_SPARE, settings.priority()}, settings.owner(), job.id()};
}

void Line::add(const WaitKey& key, TimePoint since) {
  Jobs& jobs = levels_[key.level];
  jobs.by_owner[key.owner].insert(key.id);
  jobs.count++;
  by_age_.emplace(since, key.id, key.level);
}

void Line::erase(const WaitKey& key) {
  const auto level = levels_.find(key.level);
  Jobs& jobs = level->second;
  const auto owner = jobs.by_owner.find(key.owner);
  owner->second.erase(key.id);
  if (owner->second.empty()) jobs.by_owner.erase(owner);
  if (--jobs.count == 0) levels_.erase(level);
}

void Line::remove(const WaitKey& key, TimePoint since) {
  by_age_.erase({since, key.id, key.level});
  if (aged_.has_value() && aged_->id == key.id)
    aged_.reset();
  else
    erase(key);
}

void Line::age(const Level& highest, const OwnerShares& shares, TimePoint now, Duration aging) {
  if (aged_.has_value() || by_age_.empty() || starts_since_aged_ < kStartsBetweenAged) return;
  const auto& [since, id, oldest] = *by_age_.begin();
  if (now - since < aging || !(highest < oldest)) return;
  const Level level = oldest;
  const auto rank_of = [&](const auto& entry) {
    return LineRank(shares.turns({level.spare, entry.first}, now).first, *entry.second.begin());
  };
  const auto& owners = levels_.at(level).by_owner;
  const auto next = std::min_element(owners.begin(), owners.end(),
                                     [&](const auto& a, const auto& b) { return rank_of(a) < rank_of(b); });
  const WaitKey key{level, next->first, *next->second.begin()};
  erase(key);
  aged_ = key;
}

void Line::count_start(const std::string& id) {
  const bool is_aged = aged_.has_value() && aged_->id == id;
  starts_since_aged_ = is_aged ? 0 : starts_since_aged_ + 1;
}

int64_t count_before(const WaitKey& key, const std::vector<const Line*>& lines, const OwnerShares& shares,
                     TimePoint now) {
  const auto is_aged = [&](const Line* line) {
    return line->aged().has_value() && line->aged()->id == key.id;
  };
  const bool aged = std::any_of(lines.begin(), lines.end(), is_aged);
  int64_t before = 0;
  std::map<std::string_view, OwnJobs> owners;  // jobs of this level by owner
  int64_t own_before = 0;
  for (const Line* line : lines) {
    if (line->aged().has_value() && (!aged || is_before(*line->aged(), key))) before++;
    if (aged) continue;
    for (const auto& [level, jobs] : line->levels()) {
      if (key.level < level) break;
      if (level < key.level) before += jobs.count;
      if (level != key.level) continue;
      for (const auto& [owner, ids] : jobs.by_owner) {
        owners[owner].add(ids);
        if (owner == key.owner) own_before += int64_t(ids.order_of_key(key.id));
      }
    }
  }
  const auto own = owners.find(key.owner);
  const LineRank rank(shares.turns(key.share(), now).of(own_before),
                      own == owners.end() ? std::string_view(key.id) : own->second.head);
  for (const auto& [owner, jobs] : owners)
    before += owner == key.owner
                  ? own_before
                  : count_turns_before(rank, shares.turns({key.level.spare, std::string(owner)}, now), jobs);
  return before;
}

void LineWalk::add(const Line& line, bool may_start) {
  int64_t left = most_of_a_line_;
  if (line.aged().has_value()) {
    aged_.push_back(&*line.aged());
    std::sort(aged_.begin(), aged_.end(), [](const auto* a, const auto* b) { return is_before(*b, *a); });
    left--;
  }
  lines_.push_back({line.levels().begin(), line.levels().end(), left, may_start});
}

// Begins the highest level that no line has passed yet. Returns false if there is none.
bool LineWalk::open_level() {
  const Level* highest = nullptr;
  for (const LineState& line : lines_)
    if (line.level != line.end && line.left > 0 && (highest == nullptr || line.level->first < *highest))
      highest = &line.level->first;
  if (highest == nullptr) return false;
  std::map<std::string_view, Run> runs;
  for (LineState& line : lines_) {
    if (line.level == line.end || line.level->first != *highest) continue;
    for (const auto& [owner, ids] : line.level->second.by_owner) {
      Run& run = runs[owner];
      if (run.head.empty() || *ids.begin() < run.head) run.head = *ids.begin();
      run.parts.push_back({&line, ids.begin(), ids.end()});
    }
    ++line.level;
  }
  for (auto& [owner, run] : runs) {
    run.turns = shares_.turns({highest->spare, std::string(owner)}, now_);
    runs_.push_back(std::move(run));
  }
  std::make_heap(runs_.begin(), runs_.end(), is_later);
  return true;
}

// Returns the owner's first job that may still be considered, or null.
const std::string* LineWalk::take(Run& run) {
  std::erase_if(run.parts, [](const Part& part) { return part.next == part.end || part.line->left == 0; });
  if (run.parts.empty()) return nullptr;
  Part& first = *std::min_element(run.parts.begin(), run.parts.end(),
                                  [](const Part& a, const Part& b) { return *a.next < *b.next; });
  first.line->left--;
  if (first.line->may_start) run.taken++;
  return &*first.next++;
}

const std::string* LineWalk::next() {
  if (!aged_.empty()) {
    const std::string* id = &aged_.back()->id;
    aged_.pop_back();
    return id;
  }
  while (!runs_.empty() || open_level()) {
    std::pop_heap(runs_.begin(), runs_.end(), is_later);
    if (const std::string* id = take(runs_.back()); id != nullptr) {
      std::push_heap(runs_.begin(), runs_.end(), is_later);
      return id;
    }
    runs_.pop_back();
  }
  return nullptr;
}

}  // namespace weft::queue
