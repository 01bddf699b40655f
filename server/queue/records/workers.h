// SPDX-License-Identifier: Apache-2.0
// Defines the interface between the queue and the worker processes. The supervisor implements
// Workers with real processes; simulations implement it with a virtual clock.
//
// The queue calls start, stop and change on its own thread; they return at once. publish and
// discard may wait for the disk. They are called on other threads, for several jobs at a time, but
// never twice for one job or while the job runs. Any thread may report events; the queue handles
// them in order on its own thread. An event that is reported during a call to Workers is handled
// after this call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/records/copy_report.h"
#include "server/queue/records/orphans.h"
#include "server/queue/records/record.h"
#include "weft/internal/v1/worker.pb.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// The fencing token: a job, the number of one of its attempts, and of a task of the attempt.
struct AttemptId {
  std::string job_id;
  int attempt = 0;
  int task = 0;  // 0: the attempt's own task; others: as in v1.JobTask
  bool operator==(const AttemptId&) const = default;
};

// Passes requests of the queue to the workers.
class Workers {
 public:
  virtual ~Workers() = default;

  // Opens the job's files, passes them to the device's worker and starts the attempt, or a further
  // task of it on that device. After an error it was not started, and no event follows. UNAVAILABLE
  // and RESOURCE_EXHAUSTED are temporary: the job waits and is tried again, and no failure is
  // counted. Every other error fails the job.
  virtual Status start(const AttemptId& attempt, const JobRecord& record, std::string_view device) = 0;
  // Requests the workers to stop an attempt with all its tasks, or one further task; the end of
  // each is reported as an event. A
  // worker that does not respond within the supervisor's limit is killed, which is reported by
  // on_worker_lost().
  virtual void stop(const AttemptId& attempt, internal::v1::StopKind kind) = 0;
  // Passes changed settings (class, priority) of a job to the worker that runs the attempt. Has no
  // effect if the attempt has ended.
  virtual void change(const AttemptId& attempt, const v1::JobSettings& settings) = 0;
  // Moves finished files to their places (renames them and syncs the folders), and copies them
  // first if the work folder is on another file system. It may be repeated until discard(). Errors
  // have the same meaning as those of start().
  virtual Status publish(const JobRecord& record, const CopyReport& report) = 0;
  // Removes the work folder of a job that was published or will not be resumed. Returns OK if there
  // is no folder.
  virtual Status discard(const v1::Job& job) = 0;
  // Takes the device from another daemon or program that holds its lock. Has no effect if this
  // daemon has the lock.
  virtual void take_device(std::string_view /*device*/) {}
  // Removes the work folders in `folder` with a job unknown to the store. Called at the start for
  // each folder with outputs, and for the folder with the work folders of jobs without an output.
  virtual void remove_orphans(const KnownJobs&, const std::string& /*folder*/) {}
};

// Open files on any file system. The code that opens them chooses the thread that closes them
// (FileThreads::keep).
using SharedFiles = std::shared_ptr<const std::vector<channel::FileDescriptor>>;

// Receives a worker's events of one stream, on the thread of the device's worker. Functions must
// not block.
class StreamEvents {
 public:
  virtual ~StreamEvents() = default;

  // Receives a message about streams (proto/weft/internal/v1/stream.proto).
  virtual void on_stream_message(const internal::v1::FromWorker& message) = 0;
  // The worker has ended, or there was none. This is the last call. `reason` is a sentence.
  virtual void on_stream_lost(std::string_view reason) = 0;
};

// Passes requests of streams to the workers. Any thread may call; functions return at once.
class StreamWorkers {
 public:
  virtual ~StreamWorkers() = default;

  // Passes the order to the device's worker, with the descriptors of its inputs. The result arrives
  // as events; on_stream_lost() may be the first.
  virtual void start_stream(std::string_view device, internal::v1::StartStream order, SharedFiles files,
                            std::shared_ptr<StreamEvents> events) = 0;
  // Sends a message to a stream, with `files` unless null. The function sets the stream's number in
  // the message. The message is dropped if the stream has ended.
  virtual void send_to_stream(std::string_view device, uint64_t stream, internal::v1::ToWorker message,
                              SharedFiles files) = 0;
  // Stops the stream if it still runs. Only events that are being delivered may follow.
  virtual void leave_stream(std::string_view device, uint64_t stream) = 0;
  // Kills the worker if it still runs the stream.
  virtual void kill_worker_of_stream(std::string_view device, uint64_t stream, std::string_view reason) = 0;
};

// Receives the events of workers; the queue implements it. A further task reports only its end and
// its log.
class WorkerEvents {
 public:
  virtual ~WorkerEvents() = default;

  // Reports a present device in any state, and again at every change of its state.
  virtual void on_device(const v1::DeviceStatus& device) = 0;
  virtual void on_report(std::string_view device, const internal::v1::DeviceReport& report) = 0;
  virtual void on_progress(const AttemptId& attempt, const v1::JobProgress& progress) = 0;
  virtual void on_segment_finished(const AttemptId& attempt, int index, int64_t units_done) = 0;
  // The attempt succeeded: its output is in the work folder, synced and checked.
  virtual void on_finished(const AttemptId& attempt, const v1::JobResult& result) = 0;
  virtual void on_stopped(const AttemptId& attempt, const Status& error, bool retriable,
                          const v1::JobResult& result) = 0;
  // The attempt was not started. Errors have the same meaning as those of start().
  virtual void on_start_refused(const AttemptId& attempt, const Status& error) = 0;
  // The attempt was stopped because the disk is full, or nearly full. The job keeps its finished
  // segments and is tried again, and no failure is counted.
  virtual void on_out_of_space(const AttemptId& attempt, const Status& error) = 0;
  // The encoder of the device's GPU refused the attempt a session while the worker had `open` ones.
  // If jobs have sessions, the job keeps its finished segments and waits for one, and no failure is
  // counted.
  virtual void on_session_refused(const AttemptId& attempt, const Status& error, int open,
                                  const v1::JobResult& result) = 0;
  // The worker process of a device ended or was killed. `attempts` had been passed to this worker
  // and have not ended; attempts that were passed to its successor are not among them. `reason` is
  // a sentence.
  virtual void on_worker_lost(std::string_view device, const std::vector<AttemptId>& attempts,
                              std::string_view reason) = 0;
  virtual void on_log(const AttemptId& attempt, std::string_view level, std::string_view text) = 0;
  // The attempt waits for a file system; `reason` is a sentence, or empty when the wait is over.
  // Not durable.
  virtual void on_file_wait(const AttemptId& attempt, std::string_view reason) = 0;
};

}  // namespace weft::queue
