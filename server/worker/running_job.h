// SPDX-License-Identifier: Apache-2.0
// One job at work: its runner, its thread, and what it tells the daemon.
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
    std::chrono::milliseconds(100);  // it goes out at most this often

// Whatever asks a file system is done on the job's own thread, from finding out what the input is to closing it: the session's thread,
// which calls what follows, has other jobs and streams to serve.
class RunningJob final : public JobEvents {
 public:
  using Send = std::function<void(const internal::v1::FromWorker&)>;  // any thread

  // INTERNAL: the descriptors are not those that the order names. What is given outlives the job.
  static StatusOr<std::unique_ptr<RunningJob>> start(Send send, const internal::v1::StartJob& order,
                                                     std::vector<channel::FileDescriptor> descriptors,
                                                     const DeviceShare& share);

  bool is(const std::string& id, int attempt) const { return id_ == id && attempt_ == attempt; }
  void stop(internal::v1::StopKind kind);
  void change(const schedule::SourceChanged& change);
  // Stops at once what was to stop at a segment's end and took too long.
  void hurry(TimePoint now);
  // Sends the progress if anything moved since the last call, or could if it were its turn, or if its file system answered.
  void tell_progress(const DeviceLoop& loop, TimePoint now);

  bool ended() const { return ended_; }
  bool device_failed() const { return device_failed_; }
  int64_t units() const;
  // Of the newest batch; nothing: it has not begun.
  std::optional<int> last_batch() const;

  // JobEvents: any thread.
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
  void tell_end(const JobEnd& end);

  const Send send_;
  const std::string id_;
  const int attempt_;
  const DeviceShare share_;
  media::FileCalls opening_;  // before there is a runner
  std::mutex mutex_;
  std::vector<std::function<void(JobRunner&)>> for_runner_;  // what came before there was one
  std::unique_ptr<JobRunner> owned_;
  std::atomic<JobRunner*> runner_{nullptr};  // null: none yet
  uint64_t told_heartbeat_ = 0, waits_ = 0;
  uint64_t pieces_ = 0;  // of long work, when they were looked at last
  TimePoint checkpoint_by_ = TimePoint::max();
  std::atomic<bool> ended_{false};
  std::atomic<bool> device_failed_{false};
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace weft::worker
