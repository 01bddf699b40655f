// SPDX-License-Identifier: Apache-2.0
// Computes the life of one job without side effects: from (record, event, now) to (record,
// actions), or to an error for a request that the job's state does not allow. This file does not
// wait, write or read a clock.
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
// An attempt is open from its start until its worker reports its end or is lost. A cancelled or
// paused job may still have an open attempt. Only reports of the job's newest attempt count, and
// only while it is open; all others are late messages and change nothing.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"
#include "server/queue/placement/device_memory.h"
#include "server/queue/records/record.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::queue {

inline constexpr int kDeathsThatFailAJob = 3;        // consecutive deaths of the job's worker
inline constexpr int kPublishFailuresThatFail = 10;  // consecutive temporary failures to publish
// number of the newest attempts in Job.attempts, and of the newest tasks in an attempt
inline constexpr int kAttemptsKept = 32;
inline constexpr int kTasksKept = 32;

// The events of a job's life.
namespace event {
// Placement has chosen a device.
struct Start {
  std::string device;
  MemoryGrant memory{};
};
// Workers::start() returned an error.
struct StartRefused {
  int attempt;
  Status error;
};
// Placement has chosen another device for a task of the running attempt.
struct StartTask {
  std::string device;
  MemoryGrant memory{};
};
// A further task is to stop: a job waits for its device, or the attempt ends.
struct StopTask {
  int task;
  internal::v1::StopKind kind;
};
// A further task has ended. `error` is OK if all segments are rendered, and CANCELLED if the task
// was stopped.
struct TaskEnded {
  int attempt;
  int task;
  Status error;
  // if its device's encoder refused a session: the sessions that its worker had open
  std::optional<int> open_sessions = {};
};
struct SegmentDone {
  int attempt;
  int64_t units_done;  // in all finished segments
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
// The attempt was stopped because the disk is full, or nearly full, or because another resource is
// used up.
struct NoRoom {
  int attempt;
  Status error;
};
// The encoder of the GPU refused the attempt a session. If jobs have other sessions, the attempt
// has no room.
struct SessionRefused : NoRoom {
  int open;  // sessions that the attempt's worker had open
  v1::JobResult result;
};
struct WorkerLost {
  int attempt;
  std::string reason;
};
// Workers::publish() returned.
struct Published {
  int attempt;
  Status status;
};
struct PublishDue {};  // the delay after a failure to publish is over
// Workers::discard() returned: the work folder is gone, or could not be removed.
struct Discarded {
  Status status;
};
struct WorkExpired {};  // the retention time of a failed job's work folder is over
struct Forget {};       // the job is to be removed: its work folder is removed now
struct Cancel {};
struct Pause {};
struct Resume {};
struct Retry {};
struct ChangePriority {
  int priority;
};
struct Checkpoint {};  // the daemon stops
struct Recover {};     // the daemon starts: all attempts of an earlier daemon have ended
}  // namespace event

using Event =
    std::variant<event::Start, event::StartRefused, event::StartTask, event::StopTask, event::TaskEnded,
                 event::SegmentDone, event::Finished, event::Stopped, event::NoRoom, event::SessionRefused,
                 event::WorkerLost, event::Published, event::PublishDue, event::Discarded, event::WorkExpired,
                 event::Forget, event::Cancel, event::Pause, event::Resume, event::Retry,
                 event::ChangePriority, event::Checkpoint, event::Recover>;

// A step to execute after the new record is durable. Steps are executed in order.
struct Action {
  enum class Kind { kStart, kStop, kChange, kPublish, kDiscard };
  Kind kind;
  internal::v1::StopKind stop = internal::v1::STOP_KIND_UNSPECIFIED;  // for kStop
  // for kStart and kStop, as in AttemptId
  int task = 0;
  bool operator==(const Action&) const = default;
};

struct Transition {
  enum class Change {
    kNone,   // the record is unchanged
    kNoted,  // as kQuiet, but saved within seconds, or with the next batch
    kQuiet,  // invisible to users: saved without a new revision or watch event
    kSeen,   // saved under a new revision
  };
  Change change = Change::kNone;
  JobRecord record;
  std::vector<Action> actions;
  std::string log;  // sentence for the job's log, or empty
};

struct Now {
  TimePoint steady;
  WallTime wall;
};

struct RetryDelays {
  Duration first;
  Duration longest;
};

// Applies `event` to `record`. FAILED_PRECONDITION: the state does not allow the request; nothing
// changes. A repeated request and a late message return OK with kNone.
StatusOr<Transition> apply(const JobRecord& record, const Event& event, const Now& now,
                           const RetryDelays& delays);

// Returns the delay before the next try after `failures` (1 or more) consecutive failures: `first`,
// doubled for each further failure, at most `longest`.
Duration retry_delay(int failures, const RetryDelays& delays);

}  // namespace weft::queue
