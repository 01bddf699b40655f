// SPDX-License-Identifier: Apache-2.0
// All jobs in memory, found by id, request id and filter. Records are immutable: a change puts a new one in, so that
// readers and watches may keep what they have.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "server/queue/records/record.h"
#include "weft/v1/job_service.pb.h"

namespace weft::queue {

inline constexpr size_t kShortestIdPrefix = 4;
inline constexpr int kDefaultPageSize = 100;
inline constexpr int kLargestPageSize = 1000;
inline constexpr int kStretchLength = 1000;

class JobTable {
 public:
  struct Page {
    std::vector<RecordPtr> jobs;  // newest first
    std::string next_page_token;  // empty: no more
    int64_t total = 0;            // all that match
  };

  struct Stretch {
    std::vector<RecordPtr> jobs;  // oldest first
    std::string last;             // looked at so far
    bool end = false;             // there are no more
  };

  // Adds the job, or replaces the one of the same id.
  void put(RecordPtr record);
  // Takes back a job that was added.
  void remove(const std::string& id);

  RecordPtr find(const std::string& id) const;  // null: none
  // By id or a unique beginning of at least kShortestIdPrefix characters.
  StatusOr<RecordPtr> resolve(std::string_view id_or_prefix) const;
  RecordPtr find_request(const std::string& request_id) const;  // null: none
  // The job that is not final and writes the same output as `spec`; null: none. Paths are compared as they are written,
  // without "." and "..".
  RecordPtr find_writer(const v1::JobSpec& spec) const;
  // As find_writer: one that reads what `spec` writes.
  RecordPtr find_reader(const v1::JobSpec& spec) const;

  // A list that is made piece by piece, so that a filter that looks at every job holds nobody up: list_some() until it is
  // `complete`. A job is looked at once, as it is then; jobs added meanwhile are left out.
  struct Walk {
    v1::ListJobsRequest request;
    Page page;
    std::string before;  // jobs from here on are still to be looked at; empty: all
    bool begun = false;
    bool complete = false;
  };
  // Looks at kStretchLength jobs more. INVALID_ARGUMENT: the page size or token.
  Status list_some(Walk& walk) const;
  // The matching ones among the next kStretchLength jobs by id, after `after` up to `last` included: a walk over all
  // that stops in between.
  Stretch stretch(const v1::JobFilter& filter, const std::string& after, const std::string& last) const;
  // Those with the highest revisions, the highest first.
  std::vector<RecordPtr> newest_changes(size_t count) const;
  std::vector<std::string> ids() const;
  std::vector<std::string> ids(v1::JobState state) const;
  // Jobs that ended, those first that ended first, until `visit` returns false.
  void visit_ended(const std::function<bool(const RecordPtr&)>& visit) const;
  // The same of those that keep their work folders.
  void visit_kept_work(const std::function<bool(const RecordPtr&)>& visit) const;
  int64_t ended_count() const { return int64_t(ended_.size()); }
  std::string newest_id() const { return jobs_.empty() ? std::string() : jobs_.rbegin()->first; }

  int64_t count(v1::JobState state) const { return int64_t(by_state_[size_t(state)].size()); }
  int64_t count_queued(v1::JobClass job_class) const { return queued_by_class_[size_t(job_class)]; }
  size_t size() const { return jobs_.size(); }

 private:
  void count_queued(const v1::Job& job, int change);
  // A job that is not final holds its files.
  void hold(const v1::Job& job);
  void let_go(const v1::Job& job);
  void forget_end(const JobRecord& record);
  Status begin(Walk& walk) const;
  using Visit = std::function<bool(const RecordPtr&)>;            // false: no more
  using StateMap = std::map<std::string_view, const RecordPtr*>;  // keys live in jobs_
  // Newest first, those of the filter's states or ids that are older than `before` (empty: all), whether they match the
  // rest of it or not.
  void visit(const v1::JobFilter& filter, std::string_view before, const Visit& visit) const;
  void visit_states(const v1::JobFilter& filter, std::string_view before, const Visit& visit) const;
  void visit_ids(const v1::JobFilter& filter, std::string_view before, const Visit& visit) const;
  std::vector<size_t> wanted_states(const v1::JobFilter& filter) const;

  using Jobs = std::map<std::string, RecordPtr, std::less<>>;
  Jobs jobs_;
  std::array<StateMap, v1::JobState_ARRAYSIZE> by_state_;
  std::array<int64_t, v1::JobClass_ARRAYSIZE> queued_by_class_ = {};
  std::unordered_map<std::string, std::string> requests_;
  std::unordered_map<std::string, std::string> writers_;  // of an output: the job that is not final
  std::unordered_map<std::string, std::set<std::string>>
      readers_;  // of an input: the jobs that are not final
  using Ends =
      std::set<std::pair<int64_t, std::string>>;  // the time of a job's end in nanoseconds, and its id
  void visit_ends(const Ends& ends, const std::function<bool(const RecordPtr&)>& visit) const;
  Ends ended_;
  Ends kept_work_;
};

}  // namespace weft::queue
