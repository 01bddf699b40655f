// SPDX-License-Identifier: Apache-2.0
// Declares an attempt at a job of any kind: its order, its events, and the runner that the session
// starts, controls and observes.
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
#include "server/worker/job/output_hashes.h"
#include "server/worker/job/pipeline_state.h"
#include "server/worker/job/progress_meter.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

// The order of an attempt. The first input is the main one, and the first output is the main
// result; a kind of job may have no input and no output.
struct JobOrder {
  std::string id;
  int attempt = 1;
  v1::JobSpec spec;
  std::vector<OpenJobFile> inputs;
  std::vector<options::JobFile> outputs;
  channel::FileDescriptor work_folder;
  channel::FileDescriptor analyses;  // folder of the owner's analyses; closed if there is none
  int64_t analysis_cache_bytes = 0;  // as in StartJob
  // properties of the job's source on the device: owner, class, priority and weights
  schedule::SourceSpec source = {};
  int segments_at_once = 1;  // as in v1.JobAttempt
  int batch_halvings = 0;    // as in v1.JobAttempt
  int task = 0;              // as in StartJob
  // whether tasks on other devices may render segments of the job
  bool has_several_devices = false;
  bool hashes = true;  // as in v1.JobSettings

  // Returns the output of an option, or null if the job has no such output.
  const options::JobFile* output(std::string_view option) const;
};
// Reads an order from its message. INTERNAL: the descriptors do not match its inputs and its work
// folder.
StatusOr<JobOrder> take_order(const internal::v1::StartJob& order,
                              std::vector<channel::FileDescriptor> descriptors);

// Events of a job. The runner's threads call these functions.
class JobEvents {
 public:
  virtual ~JobEvents() = default;
  // Reports that a piece of the job is durable: a segment, or a frame of a sequence.
  virtual void on_segment_finished(int index, int64_t units_done) = 0;
  // Reports a line of the job's log. `level` is "info", "warning" or "error".
  virtual void on_log(std::string_view level, std::string_view text) = 0;
};

struct JobEnd {
  Status status;           // if OK, the finished work is in the work folder, checked and synced
  bool retriable = false;  // whether another attempt may succeed
  bool device_failed = false;
  v1::JobResult result;  // result of the work done so far
};

// Collects notes on a job for its user. Each appears once in the result, and in the log.
// Thread-safe.
class JobNotes {
 public:
  explicit JobNotes(JobEvents& events) : events_(events) {}
  void add(std::string text);
  void put_into(v1::JobResult& result) const;  // replaces the notes of `result`

 private:
  JobEvents& events_;
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;  // guarded by mutex_
};

// Steps of a job, as its progress names them. The placement of jobs uses the last two. A checkpoint
// does not interrupt kFinishing, which takes seconds.
inline constexpr const char* kAnalysing = "analysing";
inline constexpr const char* kProcessing = "processing";
inline constexpr const char* kFinishing = "finishing";

// Returns the reason of a stop as a sentence.
const char* reason_of(internal::v1::StopKind kind);

// Runs one attempt and owns the parts that all kinds of jobs need. Each kind derives a runner for
// its own work.
class JobRunner {
 public:
  virtual ~JobRunner() = default;
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // Runs the attempt and blocks until it has ended and its files are closed; the closing may wait
  // for a file system. Call once.
  JobEnd run();

  // Stops the attempt. CANCEL and PAUSE take effect at the end of the running batch. CHECKPOINT
  // lets the current segment finish if that takes seconds. Any thread, any number of times.
  virtual void stop(internal::v1::StopKind kind);
  // Changes class, priority and weights on the device. Any thread, any number of times.
  virtual void change(const schedule::SourceChanged& change);
  // Returns the progress. Any thread, at any time.
  v1::JobProgress progress() const { return progress_.progress(meter_, resumed_, step_); }
  const JobMeter& meter() const { return meter_; }

 protected:
  // `share` and `events` must outlive the runner. `step` is the first step.
  JobRunner(JobOrder order, const DeviceShare& share, JobEvents& events, const char* step);

  // Does the work of the kind, on the thread of run(). An error that is not in `state_` counts as
  // one of the output.
  virtual Status work() = 0;
  // Adds the properties that are specific to the kind to the result.
  virtual void add_properties(v1::JobResult&) const {}

  v1::JobResult result_so_far() const;
  // Returns the recent rate of this attempt in units a second.
  double rate() const { return progress_.rate(meter_, resumed_); }
  // Returns the properties of the job's source on the device after the newest change.
  schedule::SourceSpec source() const;
  // Builds the chain's network and prepares it for the first frame. `source` has the properties of
  // the job's source on the device.
  StatusOr<graph::Network> expand(const Chain& chain, const schedule::SourceSpec& source);
  // Directs stops and changes to `stage` too, until steer_no_more(). Several stages share the
  // job's weight on the device. Any thread.
  void steer(BatchStage& stage);
  void steer_no_more(BatchStage& stage);
  // Hashes a file that was written to the work folder, so that it is not read again for its hash.
  // Any thread.
  void hash_written(const std::string& file, std::string_view bytes);
  // Starts a thread of the attempt. An error of `body` ends the attempt. `name` and `suffix` are
  // those of the thread's track (TracedThread); by default the name is "input" or "output", by the
  // origin.
  std::jthread start_thread(std::function<Status()> body, Origin origin, std::string name = {},
                            std::string suffix = {});

  JobOrder order_;
  const DeviceShare share_;
  JobEvents& events_;
  PipelineState state_;
  JobMeter meter_;
  JobNotes notes_;
  std::atomic<const char*> step_;
  std::atomic<int64_t> resumed_{0};  // units that earlier attempts have finished
  v1::JobResult earlier_;            // result of earlier attempts, if the kind stores it
  Preparing preparing_{share_.loop, &meter_};

 private:
  void share_weight();
  Status hash_outputs();

  const TimePoint start_ = std::chrono::steady_clock::now();
  mutable ProgressMeter progress_;
  mutable std::mutex source_mutex_;
  std::optional<schedule::SourceChanged> change_;  // the newest change; guarded by source_mutex_
  std::vector<BatchStage*> stages_;                // active stages; guarded by source_mutex_
  OutputHashes hashes_;
  std::vector<v1::OutputHash> output_hashes_;  // hashes of the finished outputs
};

}  // namespace weft::worker
