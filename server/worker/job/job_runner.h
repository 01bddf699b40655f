// SPDX-License-Identifier: Apache-2.0
// An attempt at a job of any kind: its order, its events, and the runner that the session starts, steers and watches.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/worker/device/batch_stage.h"
#include "server/worker/device/device_share.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/device/preparing.h"
#include "server/worker/job/chain.h"
#include "server/worker/job/open_input.h"
#include "server/worker/job/pipeline_state.h"
#include "server/worker/job/progress_meter.h"
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

// Notes on a job for its user: once in its result, and in its log. Any thread.
class JobNotes {
 public:
  explicit JobNotes(JobEvents& events) : events_(events) {}
  void add(std::string text);
  void put_into(v1::JobResult& result) const;  // replaces the notes there

 private:
  JobEvents& events_;
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;  // guarded by mutex_
};

// Steps of a job, as its progress names them. Placement knows the last two. A checkpoint does not interrupt the last, a matter of seconds.
inline constexpr const char* kAnalysing = "analysing";
inline constexpr const char* kProcessing = "processing";
inline constexpr const char* kFinishing = "finishing";

// Why a stop ends an attempt, in a sentence.
const char* reason_of(internal::v1::StopKind kind);

// Runs one attempt: owns the parts that all kinds of jobs need. Each kind derives a runner, which does the kind's own work.
class JobRunner {
 public:
  virtual ~JobRunner() = default;
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // Blocks until the attempt ends, one way or the other, and its files are closed, which may wait for a file system. Once.
  JobEnd run();

  // Any thread, any number of times. CANCEL and PAUSE act at the end of the batch that runs; CHECKPOINT lets the piece
  // at hand finish if that is a matter of seconds.
  virtual void stop(internal::v1::StopKind kind);
  // Any thread, any number of times: class, priority and weights on the device from now on.
  virtual void change(const schedule::SourceChanged& change);
  // Any thread, at any time.
  v1::JobProgress progress() const { return progress_.progress(meter_, resumed_, step_); }
  const JobMeter& meter() const { return meter_; }

 protected:
  // `share` and `events` outlive the runner. `step`: the first.
  JobRunner(JobOrder order, const DeviceShare& share, JobEvents& events, const char* step);

  // The thread of run(). An error without an origin in the state counts as the output's.
  virtual Status work() = 0;
  // Adds the kind's own facts to the result so far.
  virtual void add_facts(v1::JobResult&) const {}

  v1::JobResult result_so_far() const;
  // Units of this attempt a second, lately.
  double rate() const { return progress_.rate(meter_, resumed_); }
  // The job on the device, as last changed.
  schedule::SourceSpec source() const;
  // The chain's network, prepared for its first frame. `source`: the job on the device.
  StatusOr<graph::Network> expand(const Chain& chain, const schedule::SourceSpec& source);
  // Stops and changes reach this stage from now on; null: none is at work. A stage outlives its time here.
  void steer(BatchStage* stage);
  // A thread of the attempt; an error ends the attempt.
  std::jthread start_thread(std::function<Status()> body, Origin origin);

  JobOrder order_;
  const DeviceShare share_;
  JobEvents& events_;
  PipelineState state_;
  JobMeter meter_;
  JobNotes notes_;
  std::atomic<const char*> step_;
  std::atomic<int64_t> resumed_{0};  // units that earlier attempts did
  v1::JobResult earlier_;            // theirs, where the kind keeps it
  Preparing preparing_{share_.loop, &meter_};

 private:
  const TimePoint start_ = std::chrono::steady_clock::now();
  mutable ProgressMeter progress_;
  mutable std::mutex source_mutex_;
  std::optional<schedule::SourceChanged> change_;  // the newest; guarded by source_mutex_
  BatchStage* stage_ = nullptr;                    // at work; guarded by source_mutex_
};

}  // namespace weft::worker
