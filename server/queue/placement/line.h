// SPDX-License-Identifier: Apache-2.0
// Holds a line of jobs with the same permitted devices, and orders jobs across lines. No side
// effects.
//
// Class NORMAL precedes SPARE; within a class, higher priority precedes. Jobs of equal class and
// priority are shared among their owners (owner_shares.h), and jobs of one owner are ordered by
// submission. One of four starts goes to a job with the class and priority of the oldest job that
// has waited for the aging time. A steady arrival of more important jobs therefore starves no job,
// and many old jobs do not block more important ones.
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

// Class and priority of a job. Jobs of a higher level precede; jobs of one level are shared among
// owners.
struct Level {
  bool spare = false;
  int priority = 0;
  bool operator<(const Level& lower) const;
  bool operator==(const Level&) const = default;
};

// The values that determine a job's position in line.
struct WaitKey {
  Level level;
  std::string owner;
  std::string id;  // ids sort by submit time
  ShareKey share() const { return {level.spare, owner}; }
};
WaitKey wait_key(const v1::Job& job);

class Line {
 public:
  static constexpr int kStartsBetweenAged = 3;  // starts of other jobs between two aged ones
  // An ordered set that returns the rank of an element.
  using Ids = __gnu_pbds::tree<std::string, __gnu_pbds::null_type, std::less<>, __gnu_pbds::rb_tree_tag,
                               __gnu_pbds::tree_order_statistics_node_update>;
  struct Jobs {
    std::map<std::string, Ids> by_owner;
    int64_t count = 0;
  };
  using Levels = std::map<Level, Jobs>;

  // `since` is the time at which the job joined the line.
  void add(const WaitKey& key, TimePoint since);
  void remove(const WaitKey& key, TimePoint since);
  bool empty() const { return by_age_.empty(); }

  // Puts a job in front if the oldest job of the line is older than `aging`, kStartsBetweenAged
  // other jobs have started, and the level of the oldest job is below `highest`. The job in front
  // is the next one with the level of the oldest job.
  void age(const Level& highest, const OwnerShares& shares, TimePoint now, Duration aging);
  // Counts a start towards kStartsBetweenAged. The job is still in the line.
  void count_start(const std::string& id);

  // Returns the highest level of the line's jobs. The line must not be empty.
  const Level& highest() const { return levels_.empty() ? aged_->level : levels_.begin()->first; }
  const std::optional<WaitKey>& aged() const { return aged_; }
  const Levels& levels() const { return levels_; }  // without the job in front, aged()

 private:
  void erase(const WaitKey& key);

  Levels levels_;
  // all jobs, by the time at which they joined
  std::set<std::tuple<TimePoint, std::string, Level>> by_age_;
  std::optional<WaitKey> aged_;  // precedes all other jobs
  int starts_since_aged_ = kStartsBetweenAged;
};

// Returns the number of jobs in these lines that precede the given job. The job is in one of them,
// or counts as joining one now.
int64_t count_before(const WaitKey& key, const std::vector<const Line*>& lines, const OwnerShares& shares,
                     TimePoint now);

// Iterates over the jobs of several lines in order. The order assumes that each job returned
// starts. The lines must not change meanwhile.
class LineWalk {
 public:
  LineWalk(const OwnerShares& shares, TimePoint now, int64_t most_of_a_line)
      : shares_(shares), now_(now), most_of_a_line_(most_of_a_line) {}
  // `may_start`: jobs of the line can start now. Jobs that cannot start are not charged to their
  // owner.
  void add(const Line& line, bool may_start = true);

  // Returns the next job's id, or null at the end.
  const std::string* next();

 private:
  struct LineState {
    Line::Levels::const_iterator level, end;
    int64_t left;  // number of further jobs to be returned at most
    bool may_start;
  };
  // The jobs of one owner and level in one line.
  struct Part {
    LineState* line;
    Line::Ids::const_iterator next, end;
  };
  // The jobs of one owner and level in all lines.
  struct Run {
    Turns turns;
    std::string_view head;  // smallest id of these jobs
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
  std::vector<const WaitKey*> aged_;  // in reverse order
  std::deque<LineState> lines_;
  std::vector<Run> runs_;  // a heap with the next one in front
};

}  // namespace weft::queue
