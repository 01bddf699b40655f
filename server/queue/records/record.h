// SPDX-License-Identifier: Apache-2.0
// A job as the queue keeps it: what users see, and what only the queue needs to know. Plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "weft/internal/v1/credentials.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

struct JobRecord {
  // Without waiting_reason: that is derived when somebody asks. Its progress is not durable.
  v1::Job job;

  // Durable.
  internal::v1::Credentials submitter = {};  // with whose rights its files are opened
  v1::JobSpec real_paths = {};               // `spec` with links resolved, as at submit; empty: it names none
  uint64_t fingerprint = 0;  // of spec and settings as submitted; compared when a request_id comes again
  int failures = 0;  // retriable ones since the last finished segment; restarts of the daemon do not count
  int deaths = 0;    // of its worker, in a row
  bool publishing = false;  // RUNNING, finished, its result on the way to its place
  bool published = false;   // and there; it succeeded once its work folder is gone
  bool cleanup = false;     // its work folder is to be removed once no attempt uses it
  bool keeps_work = false;  // FAILED, and its work folder kept for a retry
  // Source frames in finished segments, from which the next attempt goes on. Durable soon, or with the record's next change.
  int64_t units_finished = 0;

  // Not durable: begins anew with the daemon.
  bool discarding = false;     // its work folder is being removed: no attempt may start meanwhile
  bool checkpointing = false;  // its attempt was asked to stop because the daemon stops
  int publish_failures = 0;    // in a row
  int refusals = 0;            // starts that the workers answered with "not now", in a row
  TimePoint not_before{};      // back-off: neither started nor published before
  std::string not_before_why;  // in a sentence
};

using RecordPtr = std::shared_ptr<const JobRecord>;

// What is to be seen of the job while no attempt of it works: what is finished, of as much as its estimate tells.
void show_finished(JobRecord& record);

// An image sequence is read as it is when its job runs. Notes in the result where it had another number of frames at the submit.
void note_length(v1::Job& job);

// Whether the newest attempt is still at a worker (running or stopping): it holds its device, and no other attempt
// of the job may start.
inline bool attempt_is_open(const v1::Job& job) {
  return !job.attempts().empty() && !job.attempts().rbegin()->has_end_time();
}

// The device of the newest attempt.
inline const std::string& attempt_device(const v1::Job& job) { return job.attempts().rbegin()->device(); }
// Whether the attempt that is open in `before` still is; `after` is null where the job is gone.
inline bool is_same_attempt(const JobRecord& before, const JobRecord* after) {
  return after != nullptr && attempt_is_open(after->job) &&
         after->job.attempts().rbegin()->number() == before.job.attempts().rbegin()->number();
}

// Whether nothing but a free device, and perhaps time, keeps it from starting.
inline bool may_start(const JobRecord& record) {
  return record.job.state() == v1::JOB_STATE_QUEUED && !attempt_is_open(record.job) && !record.discarding;
}

inline bool is_final(v1::JobState state) {
  return state == v1::JOB_STATE_SUCCEEDED || state == v1::JOB_STATE_FAILED ||
         state == v1::JOB_STATE_CANCELLED;
}

// "queued"; "unspecified" for anything unknown.
std::string state_name(v1::JobState state);
// "normal", "spare".
std::string class_name(v1::JobClass job_class);

// A name of the API as people read it: "DATA_LOSS" is "data-loss".
std::string with_dashes(std::string name);

// The same for the same content, on every machine and in every version that knows the fields.
uint64_t fingerprint_of(const v1::JobSpec& spec, const v1::JobSettings& settings);

google::protobuf::Timestamp to_timestamp(WallTime time);
// With its details, where they are not too long; a message is cut at kLargestErrorBytes.
google::rpc::Status to_proto(const Status& status);
inline constexpr size_t kLargestErrorBytes = 4096;

// A result as it is kept. One of more than kLargestResultBytes loses the reasons of failed inputs, then the exceptions, then the notes,
// as far as needed: all of them are in the job's log. The names of failed inputs stay, for a retry.
v1::JobResult kept_result(v1::JobResult result);
inline constexpr size_t kLargestResultBytes = 256 << 10;

}  // namespace weft::queue
