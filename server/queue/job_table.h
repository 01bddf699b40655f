// SPDX-License-Identifier: Apache-2.0
// Holds all jobs in memory and finds them by id, request id and filter. Records are immutable: a
// change replaces the record, so that readers and watches may keep an older one.
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
inline constexpr size_t kLargestPageBytes = 1 << 20;  // bytes of jobs; a page has at least one job
inline constexpr int kStretchLength = 1000;

// Returns the bytes of a job that count against its owner's quota.
int64_t bytes_of(const v1::Job& job);
// Returns the token of the page that begins after the job.
std::string page_token_after(const std::string& id);

class JobTable {
 public:
  struct Page {
    std::vector<RecordPtr> jobs;  // newest first
    std::string next_page_token;  // empty on the last page
    int64_t total = 0;            // number of all jobs that match the filter
  };

  struct Stretch {
    std::vector<RecordPtr> jobs;  // oldest first
    std::string last;             // id of the last job examined
    bool end = false;             // true if no job follows
  };

  // Adds the job, or replaces the record with the same id.
  void put(RecordPtr record);
  // Removes a job, after a rollback of its addition or when it is forgotten.
  void remove(const std::string& id);

  RecordPtr find(const std::string& id) const;  // null if there is none
  // Finds a job by its id, or by a unique prefix of at least kShortestIdPrefix characters.
  StatusOr<RecordPtr> resolve(std::string_view id_or_prefix) const;
  RecordPtr find_request(const std::string& request_id) const;  // null if there is none
  // Returns a job that is not final and writes, or may write, an output of `spec`
  // (claims_of_outputs), or null. Paths are compared as written, without "." and "..", and also as
  // in `real_paths` (JobRecord).
  RecordPtr find_writer(const v1::JobSpec& spec, const v1::JobSpec& real_paths) const;
  // Returns a job that is not final and reads an output of `spec`, or null. Paths are compared as
  // in find_writer().
  RecordPtr find_reader(const v1::JobSpec& spec, const v1::JobSpec& real_paths) const;

  // State of a list that is made in several steps, so that a filter over all jobs does not block
  // the queue. The caller repeats list_some() until `complete`. Each job is examined once, in its
  // state at that time. Jobs added after the first step are left out.
  struct Walk {
    v1::ListJobsRequest request;
    Page page;
    std::string before;  // id; older jobs are not examined yet; empty: none is
    bool begun = false;
    bool complete = false;
  };
  // Examines up to kStretchLength further jobs. INVALID_ARGUMENT: the page size is out of range or
  // the page token is invalid.
  Status list_some(Walk& walk) const;
  // Examines the next kStretchLength jobs in order of id, after `after` and up to `last` inclusive,
  // and returns those that match the filter. Ends earlier once the matching jobs have
  // kLargestPageBytes together. Repeated calls examine all jobs.
  Stretch stretch(const v1::JobFilter& filter, const std::string& after, const std::string& last) const;
  // Returns the `count` jobs with the highest revisions, in descending order.
  std::vector<RecordPtr> newest_changes(size_t count) const;
  std::vector<std::string> ids() const;
  std::vector<std::string> ids(v1::JobState state) const;
  // Visits ended jobs in order of their end, the earliest first, until `visit` returns false.
  void visit_ended(const std::function<bool(const RecordPtr&)>& visit) const;
  // Visits ended jobs with a kept work folder, in the same order.
  void visit_kept_work(const std::function<bool(const RecordPtr&)>& visit) const;
  int64_t ended_count() const { return int64_t(ended_.size()); }

  // Size of an owner's stored jobs, in bytes of their messages.
  struct OwnerBytes {
    int64_t all = 0;
    int64_t ended = 0;  // bytes of ended jobs, part of `all`
  };
  OwnerBytes bytes_of(const std::string& owner) const;
  // Visits one owner's ended jobs, as visit_ended() does.
  void visit_ended_of(const std::string& owner, const std::function<bool(const RecordPtr&)>& visit) const;
  std::string newest_id() const { return jobs_.empty() ? std::string() : jobs_.rbegin()->first; }

  int64_t count(v1::JobState state) const { return int64_t(by_state_[size_t(state)].size()); }
  int64_t count_queued(v1::JobClass job_class) const { return queued_by_class_[size_t(job_class)]; }
  size_t size() const { return jobs_.size(); }

 private:
  void count_queued(const v1::Job& job, int change);
  // hold() adds the claims of a job on its files, let_go() removes them. A final job has no claims.
  void hold(const JobRecord& record);
  void let_go(const JobRecord& record);
  void forget_end(const JobRecord& record);
  void count_owner(const JobRecord& record, int change);
  Status begin(Walk& walk) const;
  using Visit = std::function<bool(const RecordPtr&)>;            // returns false to stop
  using StateMap = std::map<std::string_view, const RecordPtr*>;  // the keys refer to keys of jobs_
  // Visits the jobs with the filter's states or ids that are older than `before` (empty: all jobs),
  // newest first. Ignores the other parts of the filter.
  void visit(const v1::JobFilter& filter, std::string_view before, const Visit& visit) const;
  void visit_states(const v1::JobFilter& filter, std::string_view before, const Visit& visit) const;
  void visit_ids(const v1::JobFilter& filter, std::string_view before, const Visit& visit) const;
  std::vector<size_t> wanted_states(const v1::JobFilter& filter) const;

  using Jobs = std::map<std::string, RecordPtr, std::less<>>;
  Jobs jobs_;
  std::array<StateMap, v1::JobState_ARRAYSIZE> by_state_;
  std::array<int64_t, v1::JobClass_ARRAYSIZE> queued_by_class_ = {};
  std::unordered_map<std::string, std::string> requests_;
  // Ids of the jobs that are not final, by file claim.
  using Holders = std::unordered_map<std::string, std::set<std::string>>;
  static void let_go(const FileClaims& claims, const std::string& id, Holders& holders);
  RecordPtr find_holder(const FileClaims& claims, const Holders& holders) const;
  Holders writers_;  // by output
  Holders readers_;  // by input
  // Time of a job's end in nanoseconds since the epoch, and the job's id.
  using Ends = std::set<std::pair<int64_t, std::string>>;
  void visit_ends(const Ends& ends, const std::function<bool(const RecordPtr&)>& visit) const;
  Ends ended_;
  Ends kept_work_;
  struct Owned {
    OwnerBytes bytes;
    Ends ended;
  };
  std::unordered_map<std::string, Owned> owners_;  // owners with at least one job
};

}  // namespace weft::queue
