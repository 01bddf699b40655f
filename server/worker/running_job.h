// SPDX-License-Identifier: Apache-2.0
// Runs one job: owns its runner and its thread, and sends its messages to the daemon.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/media/file_calls.h"
#include "server/worker/device/device_share.h"
#include "server/worker/job/job_runner.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

inline constexpr Duration kProgressInterval =
    std::chrono::milliseconds(100);  // minimum interval of progress messages

// All file system calls happen on the job's thread, from determining the kind of the input to
// closing it. The session's thread calls the functions below and must remain free for other jobs
// and streams.
class RunningJob final : public JobEvents {
 public:
  using Send = std::function<void(const internal::v1::FromWorker&)>;  // may be called on any thread

  // Starts the job. All arguments must outlive it. INTERNAL: the descriptors do not match the
  // order.
  static StatusOr<std::unique_ptr<RunningJob>> start(Send send, const internal::v1::StartJob& order,
                                                     std::vector<channel::FileDescriptor> descriptors,
                                                     const DeviceShare& share);

  bool is(const std::string& id, int attempt) const { return id_ == id && attempt_ == attempt; }
  void stop(internal::v1::StopKind kind);
  void change(const schedule::SourceChanged& change);
  // Stops the job immediately if it takes too long to reach the end of its segment.
  void hurry(TimePoint now);
  // Sends the progress if the job has progressed since the last call. It also counts as progress
  // that the job waits for its turn on the device, or that a file call lasts.
  void report_progress(const DeviceLoop& loop, TimePoint now);

  bool ended() const { return ended_; }
  bool device_failed() const { return device_failed_; }
  int64_t units() const;
  // Returns the units of the newest batch, or nullopt before the job has a runner.
  std::optional<int> last_batch() const;

  // Functions of JobEvents; any thread may call them.
  void on_segment_finished(int index, int64_t units_done) override;
  void on_log(std::string_view level, std::string_view text) override;

 private:
  RunningJob(Send send, JobOrder order, const DeviceShare& share);
  template <class Message>
  void name(Message& message) const {
    message.set_job_id(id_);
    message.set_attempt(attempt_);
  }
  void with_runner(std::function<void(JobRunner&)> action);
  void run(JobOrder order);
  JobEnd make_and_run(JobOrder order);
  void report_end(const JobEnd& end);

  const Send send_;
  const std::string id_;
  const int attempt_;
  const DeviceShare share_;
  media::FileCalls opening_;  // file calls before the runner exists
  std::mutex mutex_;
  std::vector<std::function<void(JobRunner&)>> for_runner_;  // calls made before the runner existed
  std::unique_ptr<JobRunner> owned_;
  std::atomic<JobRunner*> runner_{nullptr};  // null until the runner exists
  uint64_t reported_heartbeat_ = 0, waits_ = 0;
  uint64_t chunks_ = 0;  // chunks of long work at the last check
  TimePoint checkpoint_by_ = TimePoint::max();
  std::atomic<bool> ended_{false};
  std::atomic<bool> device_failed_{false};
  // last member, so that the thread ends before the members it uses are destroyed
  std::jthread thread_;
};

}  // namespace weft::worker
