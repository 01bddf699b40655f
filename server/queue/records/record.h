// SPDX-License-Identifier: Apache-2.0
// Defines a job as the queue stores it: the public part and the queue's own data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "weft/internal/v1/credentials.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

struct JobRecord {
  // The public part. Its waiting_reason is not set, but made for each answer. Its progress is not
  // durable.
  v1::Job job;

  // Durable members.
  internal::v1::Credentials submitter = {};  // credentials with which the job's files are opened
  // Paths of `spec` with links resolved, as at submit. Empty if the job names no file.
  v1::JobSpec real_paths = {};
  // Hash of spec and settings as submitted. Compared when a request_id is repeated.
  uint64_t fingerprint = 0;
  // Number of retriable failures since the last finished segment. Restarts of the daemon do not
  // count.
  int failures = 0;
  int deaths = 0;           // consecutive deaths of the worker that ran the job
  bool publishing = false;  // RUNNING; the finished output is being moved to its place
  bool published = false;   // the output is in place; the job succeeds once its work folder is gone
  bool cleanup = false;     // the work folder is to be removed once no attempt uses it
  bool keeps_work = false;  // FAILED; the work folder is kept for a retry
  // Units (source frames of a video) in finished segments, after which the next attempt resumes.
  // Durable within seconds, or with the record's next change.
  int64_t units_finished = 0;

  // Members that are not durable. A new daemon begins with the defaults.
  bool discarding = false;     // the work folder is being removed; no attempt may start
  bool checkpointing = false;  // the attempt was requested to stop because the daemon stops
  int publish_failures = 0;    // consecutive failures to publish
  int refusals = 0;            // consecutive starts that a worker refused temporarily
  // end of the back-off; until then the job is not started or published
  TimePoint not_before{};
  std::string not_before_why;  // reason of the back-off, a sentence
};

using RecordPtr = std::shared_ptr<const JobRecord>;

// Sets the public progress of a job without a running attempt to its finished units and the total
// of its estimate.
void show_finished(JobRecord& record);

// Adds a note to the result if an image sequence had another number of frames when its job ran than
// at its submit.
void note_length(v1::Job& job);

// Returns true if the newest attempt has not ended at its worker (running or stopping). The attempt
// occupies its device, and no other attempt of the job may start.
inline bool attempt_is_open(const v1::Job& job) {
  return !job.attempts().empty() && !job.attempts().rbegin()->has_end_time();
}

// Returns the device of the newest attempt. The job has at least one attempt.
inline const std::string& attempt_device(const v1::Job& job) { return job.attempts().rbegin()->device(); }
// Returns the tasks that the open attempt has on other devices.
inline std::vector<const v1::JobTask*> open_tasks(const v1::Job& job) {
  std::vector<const v1::JobTask*> tasks;
  if (!attempt_is_open(job)) return tasks;
  for (const v1::JobTask& task : job.attempts().rbegin()->tasks())
    if (!task.has_end_time()) tasks.push_back(&task);
  return tasks;
}

// Returns true if the open attempt of `before` is also open in `after`. `after` is null if the job
// is gone.
inline bool is_same_attempt(const JobRecord& before, const JobRecord* after) {
  return after != nullptr && attempt_is_open(after->job) &&
         after->job.attempts().rbegin()->number() == before.job.attempts().rbegin()->number();
}

// Returns true if the job waits only for a free device, or for the end of a back-off.
inline bool may_start(const JobRecord& record) {
  return record.job.state() == v1::JOB_STATE_QUEUED && !attempt_is_open(record.job) && !record.discarding;
}

inline bool is_final(v1::JobState state) {
  return state == v1::JOB_STATE_SUCCEEDED || state == v1::JOB_STATE_FAILED ||
         state == v1::JOB_STATE_CANCELLED;
}

// Returns a name such as "queued", or "unspecified" for an unknown state.
std::string state_name(v1::JobState state);
// Returns "normal" or "spare".
std::string class_name(v1::JobClass job_class);

// Returns a name of the API in its form for users: "DATA_LOSS" becomes "data-loss".
std::string with_dashes(std::string name);

// Returns a hash that is equal for equal content, on every machine and in every version that has
// the same fields.
uint64_t fingerprint_of(const v1::JobSpec& spec, const v1::JobSettings& settings);

google::protobuf::Timestamp to_timestamp(WallTime time);
// Converts a status. A message is cut at kLargestErrorBytes, and larger payloads are left out.
google::rpc::Status to_proto(const Status& status);
inline constexpr size_t kLargestErrorBytes = 4096;

// Returns a result as it is stored. If it has more than kLargestResultBytes, the reasons of failed
// inputs, then the exceptions, then the notes are removed, as far as needed; the job's log contains
// all of them. The names of failed inputs stay, since a retry needs them.
v1::JobResult kept_result(v1::JobResult result);
inline constexpr size_t kLargestResultBytes = 256 << 10;

}  // namespace weft::queue
