// SPDX-License-Identifier: Apache-2.0
// Between the queue and the processes that do the work: what each may ask of the other. The supervisor
// implements Workers with real processes; simulations implement it with a virtual clock.
//
// The queue calls start, stop and change on its own thread; they return at once. publish and discard may wait for the disk: they
// are called on threads of their own, for several jobs at a time, but never for one job twice or while it runs. The queue takes events on any thread and
// handles them in order on its own; an event that arrives during a call to Workers is handled after it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/records/orphans.h"
#include "server/queue/records/record.h"
#include "weft/internal/v1/worker.pb.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// The fencing token: a job and one try at it.
struct AttemptId {
  std::string job_id;
  int attempt = 0;
  bool operator==(const AttemptId&) const = default;
};

// What the queue asks of the workers.
class Workers {
 public:
  virtual ~Workers() = default;

  // Opens the job's files, passes them to the device's worker and starts the attempt. An error: it was not
  // started, and no event follows. UNAVAILABLE and RESOURCE_EXHAUSTED (the worker is not in service) mean "not now": the
  // job waits and is tried again, and no failure is counted. Every other error fails the job.
  virtual Status start(const AttemptId& attempt, const JobRecord& record, std::string_view device) = 0;
  // Asks the worker to stop an attempt; its end arrives as an event. A worker that does not answer within
  // the supervisor's limit is killed, which arrives as on_worker_lost.
  virtual void stop(const AttemptId& attempt, internal::v1::StopKind kind) = 0;
  // Tells the worker of an attempt how urgent it is from now on. One that has ended changes nothing.
  virtual void change(const AttemptId& attempt, const v1::JobSettings& settings) = 0;
  // Moves finished files to their places (rename and sync of the folders). Repeating it is harmless until discard(). Errors are read
  // as start's are.
  virtual Status publish(const JobRecord& record) = 0;
  // Removes the work folder of a job that was published or will not go on; OK when there is none.
  virtual Status discard(const v1::Job& job) = 0;
  // Takes the device also from another daemon or program that holds its lock. Changes nothing where it is ours.
  virtual void take_device(std::string_view /*device*/) {}
  // At the start, for each folder with outputs, and the one of jobs that write no file: removes work folders of jobs that the store does not know.
  virtual void remove_orphans(const KnownJobs&, const std::string& /*folder*/) {}
};

// Open files that may lie on any file system. Whoever opened them says where they are closed (FileThreads::keep).
using SharedFiles = std::shared_ptr<const std::vector<channel::FileDescriptor>>;

// What a worker tells of one stream. Called on the thread that has the device's worker; must not block.
class StreamEvents {
 public:
  virtual ~StreamEvents() = default;

  // One of the messages about streams (proto/weft/internal/v1/stream.proto).
  virtual void on_stream_message(const internal::v1::FromWorker& message) = 0;
  // The worker is gone or was never there. The last call. `reason`: a sentence.
  virtual void on_stream_lost(std::string_view reason) = 0;
};

// What streams ask of the workers. Any thread; returns at once.
class StreamWorkers {
 public:
  virtual ~StreamWorkers() = default;

  // Passes the order to the device's worker, with the descriptors of its inputs. All that follows arrives as events, the first
  // of which may be on_stream_lost.
  virtual void start_stream(std::string_view device, internal::v1::StartStream order, SharedFiles files,
                            std::shared_ptr<StreamEvents> events) = 0;
  // The stream's number is filled in. `files` travel with the message; null: none do. Dropped when the stream is not there any more.
  virtual void send_to_stream(std::string_view device, uint64_t stream, internal::v1::ToWorker message,
                              SharedFiles files) = 0;
  // Stops the stream, if it still runs. No events come after those that are on their way.
  virtual void leave_stream(std::string_view device, uint64_t stream) = 0;
  // Kills the worker if it still has the stream.
  virtual void kill_worker_of_stream(std::string_view device, uint64_t stream, std::string_view reason) = 0;
};

// What workers tell the queue.
class WorkerEvents {
 public:
  virtual ~WorkerEvents() = default;

  // A device that is there, in whatever state; told again at every change of it.
  virtual void on_device(const v1::DeviceStatus& device) = 0;
  virtual void on_report(std::string_view device, const internal::v1::DeviceReport& report) = 0;
  virtual void on_progress(const AttemptId& attempt, const v1::JobProgress& progress) = 0;
  virtual void on_segment_finished(const AttemptId& attempt, int index, int64_t units_done) = 0;
  // What is finished lies in the work folder, synced and checked.
  virtual void on_finished(const AttemptId& attempt, const v1::JobResult& result) = 0;
  virtual void on_stopped(const AttemptId& attempt, const Status& error, bool retriable,
                          const v1::JobResult& result) = 0;
  // The attempt did not begin; errors are read as start's are.
  virtual void on_start_refused(const AttemptId& attempt, const Status& error) = 0;
  // The attempt was stopped because the disk is full, or nearly: the job waits with its finished segments, is tried again,
  // and no failure is counted.
  virtual void on_out_of_space(const AttemptId& attempt, const Status& error) = 0;
  // The worker process of a device ended or was killed, with the attempts that had been given to it and have not
  // ended. (Named, because by now others may have been given to the next worker.) `reason`: a sentence.
  virtual void on_worker_lost(std::string_view device, const std::vector<AttemptId>& attempts,
                              std::string_view reason) = 0;
  virtual void on_log(const AttemptId& attempt, std::string_view level, std::string_view text) = 0;
  // The attempt waits for a file system, in a sentence; empty: no longer. Not durable.
  virtual void on_file_wait(const AttemptId& attempt, std::string_view reason) = 0;
};

}  // namespace weft::queue
