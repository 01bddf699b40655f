// SPDX-License-Identifier: Apache-2.0
// The line of jobs that may use the same devices, and the order of the jobs in several lines. Pure.
//
// Class NORMAL before SPARE, then by priority. Those that are equal so far are shared among their owners
// (owner_shares.h), and of an owner's the one is next that was submitted first. Of four jobs that start one is of the class and
// priority of the oldest of those that have stood in line for the aging time: so a stream of more important jobs starves
// nobody, and many old jobs hold up none of those.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>

#include "base/clock.h"
#include "server/queue/placement/owner_shares.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// Jobs of a level share by owners; those of a higher one go before them.
struct Level {
  bool spare = false;
  int priority = 0;
  bool operator<(const Level& lower) const;
  bool operator==(const Level&) const = default;
};

// What a job's place in line follows from.
struct WaitKey {
  Level level;
  std::string owner;
  std::string id;  // ids sort by submit time
  ShareKey share() const { return {level.spare, owner}; }
};
WaitKey wait_key(const v1::Job& job);

class Line {
 public:
  static constexpr int kStartsBetweenAged = 3;  // of others
  // A set that knows the rank of each element.
  using Ids = __gnu_pbds::tree<std::string, __gnu_pbds::null_type, std::less<>, __gnu_pbds::rb_tree_tag,
                               __gnu_pbds::tree_order_statistics_node_update>;
  struct Jobs {
    std::map<std::string, Ids> by_owner;
    int64_t count = 0;
  };
  using Levels = std::map<Level, Jobs>;

  // `since`: when it joined.
  void add(const WaitKey& key, TimePoint since);
  void remove(const WaitKey& key, TimePoint since);
  bool empty() const { return by_age_.empty(); }

  // Puts the next job of the oldest one's level in front, if that one is older than `aging`, it is such a one's turn, and the
  // level is below `highest`, which needs no help.
  void age(const Level& highest, const OwnerShares& shares, TimePoint now, Duration aging);
  // The job starts; it is still in line.
  void count_start(const std::string& id);

  // Of its jobs' levels; it is not empty.
  const Level& highest() const { return levels_.empty() ? aged_->level : levels_.begin()->first; }
  const std::optional<WaitKey>& aged() const { return aged_; }
  const Levels& levels() const { return levels_; }  // without the aged one

 private:
  void erase(const WaitKey& key);

  Levels levels_;
  std::set<std::tuple<TimePoint, std::string, Level>> by_age_;  // all, by when they joined
  std::optional<WaitKey> aged_;                                 // goes before the others
  int starts_since_aged_ = kStartsBetweenAged;
};

// How many of the jobs in these lines are before the job, which is in one of them or joins one now.
int64_t count_before(const WaitKey& key, const std::vector<const Line*>& lines, const OwnerShares& shares,
                     TimePoint now);

// The jobs of several lines in their order, as things are now: each that is passed is taken to start. Lines do not change
// meanwhile.
class LineWalk {
 public:
  LineWalk(const OwnerShares& shares, TimePoint now, int64_t most_of_a_line)
      : shares_(shares), now_(now), most_of_a_line_(most_of_a_line) {}
  // `may_start`: whether its jobs can start now. Those that cannot take no turn from their owner's other jobs.
  void add(const Line& line, bool may_start = true);

  // The next job's id; null: none is left.
  const std::string* next();

 private:
  struct LineState {
    Line::Levels::const_iterator level, end;
    int64_t left;  // jobs that may still be looked at
    bool may_start;
  };
  // An owner's jobs of a level in one line.
  struct Part {
    LineState* line;
    Line::Ids::const_iterator next, end;
  };
  // An owner's jobs of a level.
  struct Run {
    Turns turns;
    std::string_view head;  // the first of them all
    int64_t taken = 0;
    std::vector<Part> parts;
  };
  static bool is_later(const Run& a, const Run& b) {
    return std::pair(a.turns.of(a.taken), a.head) > std::pair(b.turns.of(b.taken), b.head);
  }
  bool open_level();
  static const std::string* take(Run& run);

  const OwnerShares& shares_;
  const TimePoint now_;
  const int64_t most_of_a_line_;
  std::vector<const WaitKey*> aged_;  // the first is last
  std::deque<LineState> lines_;
  std::vector<Run> runs_;  // a heap: the next one is in front
};

}  // namespace weft::queue
