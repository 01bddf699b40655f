// SPDX-License-Identifier: Apache-2.0
// An attempt at a job of any kind, as the session sees it: what it was ordered to do, and how it is run, steered and watched.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/worker/device/device_share.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/job/open_input.h"
#include "server/worker/job/pipeline_state.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

// What an attempt is ordered to do. Its first input is what is worked on, its first output what comes of it; a kind of job may have
// neither.
struct JobOrder {
  std::string id;
  int attempt = 1;
  v1::JobSpec spec;
  std::vector<OpenJobFile> inputs;
  std::vector<options::JobFile> outputs;
  channel::FileDescriptor work_folder;
  schedule::SourceSpec source = {};  // on the device: owner, class, priority and weights

  // Null: there is none.
  const options::JobFile* output(std::string_view option) const;
};
// INTERNAL: the descriptors are not those of its inputs and its work folder.
StatusOr<JobOrder> take_order(const internal::v1::StartJob& order,
                              std::vector<channel::FileDescriptor> descriptors);

// Told by the runner's threads, as things happen.
class JobEvents {
 public:
  virtual ~JobEvents() = default;
  // A piece of the job is durable: a segment, or a frame of a sequence.
  virtual void on_segment_finished(int index, int64_t units_done) = 0;
  // level: "info", "warning", "error".
  virtual void on_log(std::string_view level, std::string_view text) = 0;
};

struct JobEnd {
  Status status;           // OK: what is finished is in the work folder, checked and synced
  bool retriable = false;  // another attempt may go better
  bool device_failed = false;
  v1::JobResult result;  // as far as it came
};

class JobRunner {
 public:
  virtual ~JobRunner() = default;

  // Blocks until the attempt ends, one way or the other. Once.
  virtual JobEnd run() = 0;
  // Closes its files. On the thread that ran it: closing may wait for a file system.
  virtual void close() = 0;

  // Any thread, any number of times. CANCEL and PAUSE act at the end of the batch that runs; CHECKPOINT lets the piece
  // at hand finish if that is a matter of seconds.
  virtual void stop(internal::v1::StopKind kind) = 0;
  // Any thread, any number of times: class, priority and weights on the device from now on.
  virtual void change(const schedule::SourceChanged& change) = 0;
  // Any thread, at any time.
  virtual v1::JobProgress progress() const = 0;
  virtual const JobMeter& meter() const = 0;
};

// Closes its inputs and its folder.
void close_files(JobOrder& order);

// For runners. How an attempt ended by what its stages share, and why a stop ends it, in a sentence.
JobEnd end_of(const PipelineState& state, v1::JobResult result);
const char* reason_of(internal::v1::StopKind kind);

// What a careful user should know of a job: in its result once, and in its log. Any thread.
class JobNotes {
 public:
  explicit JobNotes(JobEvents& events) : events_(events) {}
  void add(std::string text);
  void put_into(v1::JobResult& result) const;  // in place of what is there

 private:
  JobEvents& events_;
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;  // guarded by mutex_
};

}  // namespace weft::worker
