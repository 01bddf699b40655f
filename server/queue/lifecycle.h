// SPDX-License-Identifier: Apache-2.0
// The life of one job, pure: (record, event, now) to (record, actions), or an error for a request that the job's
// state does not allow. Nothing here waits, writes or asks the time.
//
//          start            finished          published         discarded
//   QUEUED ------> RUNNING --------> RUNNING ---------> RUNNING ---------> SUCCEEDED
//    ^  ^ |         |  |  \        (publishing)        (published)
//    |  | |pause    |  |   \ error, not retriable or too often
//    |  | v   pause |  |    -----------------------------------> FAILED
//    | PAUSED <-----   | retriable error, lost worker                |
//    |                 v                                             | retry
//    ---------------- QUEUED (after a back-off)    CANCELLED <- any of QUEUED, RUNNING, PAUSED
//
// An attempt is open from its start until its worker says that it has ended, or is lost: a cancelled or paused job
// may still have one. What an attempt says counts only while it is the job's newest and open; everything else is a
// late message of a dead attempt and changes nothing.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/status.h"
#include "server/queue/records/record.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::queue {

inline constexpr int kDeathsThatFailAJob = 3;        // of its worker, in a row
inline constexpr int kPublishFailuresThatFail = 10;  // in a row, of the kind that may pass
inline constexpr int kAttemptsKept = 32;             // in Job.attempts: the newest

// What can happen to a job.
namespace event {
struct Start {
  std::string device;
};  // placement gives it a device
struct StartRefused {
  int attempt;
  Status error;
};  // Workers::start did not
struct SegmentDone {
  int attempt;
  int64_t units_done;  // in all segments
};
struct Finished {
  int attempt;
  v1::JobResult result;
};
struct Stopped {
  int attempt;
  Status error;
  bool retriable;
  v1::JobResult result;
};
struct OutOfSpace {
  int attempt;
  Status error;
};  // stopped because the disk is full, or nearly
struct WorkerLost {
  int attempt;
  std::string reason;
};
struct Published {
  int attempt;
  Status status;
};                     // the answer of Workers::publish
struct PublishDue {};  // the wait after a failure to publish is over
struct Discarded {
  Status status;
};                      // the work folder is gone, or could not be removed
struct WorkExpired {};  // a failed job's work folder was kept for long enough
struct Cancel {};
struct Pause {};
struct Resume {};
struct Retry {};
struct ChangePriority {
  int priority;
};
struct Checkpoint {};  // the daemon stops
struct Recover {};     // the daemon starts: no attempt of an earlier one lives
}  // namespace event

using Event =
    std::variant<event::Start, event::StartRefused, event::SegmentDone, event::Finished, event::Stopped,
                 event::OutOfSpace, event::WorkerLost, event::Published, event::PublishDue, event::Discarded,
                 event::WorkExpired, event::Cancel, event::Pause, event::Resume, event::Retry,
                 event::ChangePriority, event::Checkpoint, event::Recover>;

// What is to be done once the new record is durable, in order.
struct Action {
  enum class Kind { kStart, kStop, kChange, kPublish, kDiscard };
  Kind kind;
  internal::v1::StopKind stop = internal::v1::STOP_KIND_UNSPECIFIED;  // kStop
  bool operator==(const Action&) const = default;
};

struct Transition {
  enum class Change {
    kNone,   // `record` is as it was
    kNoted,  // as kQuiet, but saved some seconds later, or with the next change
    kQuiet,  // only what users do not see: saved, no new revision, watches hear nothing
    kSeen,   // saved under a new revision
  };
  Change change = Change::kNone;
  JobRecord record;
  std::vector<Action> actions;
  std::string log;  // a sentence for the job's log; empty: none
};

struct Now {
  TimePoint steady;
  WallTime wall;
};

struct RetryDelays {
  Duration first;
  Duration longest;
};

// FAILED_PRECONDITION: a request that the state does not allow; nothing changes. Requests that are fulfilled
// already, and late messages, are OK and kNone.
StatusOr<Transition> apply(const JobRecord& record, const Event& event, const Now& now,
                           const RetryDelays& delays);

// The wait before the next try after `failures` (1 or more) in a row: first, twice that, four times ...
Duration retry_delay(int failures, const RetryDelays& delays);

}  // namespace weft::queue
