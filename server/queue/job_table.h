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
#include "server/queue/records/job_filter.h"
#include "server/queue/records/record.h"
#include "weft/v1/job_service.pb.h"

namespace weft::queue {

inline constexpr size_t kShortestIdPrefix = 4;
inline constexpr int kDefaultPageSize = 100;
inline constexpr int kLargestPageSize = 1000;
inline constexpr size_t kLargestPageBytes = 1 << 20;  // a page has at least one job
inline constexpr int kStretchLength = 1000;

// What a job takes of its owner's bytes.
int64_t bytes_of(const v1::Job& job);
// The token of the page that begins behind the job.
std::string page_token_after(const std::string& id);

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
  // The job that is not final and writes an output of `spec`, or may (claims_of_outputs); null: none. Paths are compared as they are
  // written, without "." and "..", and as `real_paths` (JobRecord) has them.
  RecordPtr find_writer(const v1::JobSpec& spec, const v1::JobSpec& real_paths) const;
  // As find_writer: one that reads what `spec` writes.
  RecordPtr find_reader(const v1::JobSpec& spec, const v1::JobSpec& real_paths) const;

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
  // that stops in between. Ends earlier when those that match have kLargestPageBytes together.
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

  // What is remembered of an owner's jobs, in bytes of their messages.
  struct OwnerBytes {
    int64_t all = 0;
    int64_t ended = 0;  // of these those that have ended
  };
  OwnerBytes bytes_of(const std::string& owner) const;
  // visit_ended() of one owner's jobs.
  void visit_ended_of(const std::string& owner, const std::function<bool(const RecordPtr&)>& visit) const;
  std::string newest_id() const { return jobs_.empty() ? std::string() : jobs_.rbegin()->first; }

  int64_t count(v1::JobState state) const { return int64_t(by_state_[size_t(state)].size()); }
  int64_t count_queued(v1::JobClass job_class) const { return queued_by_class_[size_t(job_class)]; }
  size_t size() const { return jobs_.size(); }

 private:
  void count_queued(const v1::Job& job, int change);
  // A job that is not final holds its files.
  void hold(const JobRecord& record);
  void let_go(const JobRecord& record);
  void forget_end(const JobRecord& record);
  void count_owner(const JobRecord& record, int change);
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
  using Holders = std::unordered_map<std::string, std::set<std::string>>;  // by claim: the jobs, not final
  static void let_go(const FileClaims& claims, const std::string& id, Holders& holders);
  RecordPtr find_holder(const FileClaims& claims, const Holders& holders) const;
  Holders writers_;  // of outputs
  Holders readers_;  // of inputs
  using Ends =
      std::set<std::pair<int64_t, std::string>>;  // the time of a job's end in nanoseconds, and its id
  void visit_ends(const Ends& ends, const std::function<bool(const RecordPtr&)>& visit) const;
  Ends ended_;
  Ends kept_work_;
  struct Owned {
    OwnerBytes bytes;
    Ends ended;
  };
  std::unordered_map<std::string, Owned> owners_;  // that have jobs
};

}  // namespace weft::queue
