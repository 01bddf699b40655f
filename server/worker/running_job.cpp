// SPDX-License-Identifier: Apache-2.0
#include "server/worker/running_job.h"

#include <utility>

#include <google/protobuf/util/time_util.h>

#include "base/log.h"
#include "base/thread_share.h"
#include "server/channel/status_message.h"
#include "server/media/encoder_session.h"
#include "server/media/file.h"
#include "server/worker/device/device_loop.h"
#include "server/worker/kinds.h"

namespace weft::worker {
namespace {

using google::protobuf::util::TimeUtil;
using internal::v1::FromWorker;

// duration from which a file call is reported
constexpr Duration kFileWaitReported = std::chrono::seconds(1);
// limit of the time that a checkpoint waits for the end of the current segment
constexpr Duration kLongestCheckpoint = std::chrono::seconds(6);

}  // namespace

StatusOr<std::unique_ptr<RunningJob>> RunningJob::start(Send send, const internal::v1::StartJob& message,
                                                        std::vector<channel::FileDescriptor> descriptors,
                                                        const DeviceShare& share) {
  ASSIGN_OR_RETURN(JobOrder order, take_order(message, std::move(descriptors)));
  return std::unique_ptr<RunningJob>(new RunningJob(std::move(send), std::move(order), share));
}

RunningJob::RunningJob(Send send, JobOrder order, const DeviceShare& share)
    : send_(std::move(send)), id_(order.id), attempt_(order.attempt), share_(share) {
  thread_ = std::jthread([this, own = std::move(order)]() mutable { run(std::move(own)); });
}

// Calls `action` now, or once the runner exists.
void RunningJob::with_runner(std::function<void(JobRunner&)> action) {
  const std::lock_guard lock(mutex_);
  if (runner_ != nullptr) return action(*runner_);
  for_runner_.push_back(std::move(action));
}

void RunningJob::stop(internal::v1::StopKind kind) {
  if (kind == internal::v1::STOP_KIND_CHECKPOINT)
    checkpoint_by_ = std::chrono::steady_clock::now() + kLongestCheckpoint;
  with_runner([kind](JobRunner& runner) { runner.stop(kind); });
}

void RunningJob::change(const schedule::SourceChanged& change) {
  with_runner([change](JobRunner& runner) { runner.change(change); });
}

void RunningJob::hurry(TimePoint now) {
  if (now < checkpoint_by_) return;
  checkpoint_by_ = TimePoint::max();
  stop(internal::v1::STOP_KIND_PAUSE);
}

int64_t RunningJob::units() const {
  const JobRunner* runner = runner_;
  return runner == nullptr ? 0 : runner->meter().filter.units.load();
}

std::optional<int> RunningJob::last_batch() const {
  const JobRunner* runner = runner_;
  if (runner == nullptr) return std::nullopt;
  return runner->meter().last_batch_units.load();
}

void RunningJob::report_progress(const DeviceLoop& loop, TimePoint now) {
  const JobRunner* runner = runner_;
  const auto call = (runner == nullptr ? opening_ : runner->meter().file_calls).longest();
  const Duration waited = call ? now - call->since : Duration(0);
  // chunks of file calls, such as the rows of a large image, and of long launches
  const uint64_t chunks =
      (runner == nullptr ? opening_ : runner->meter().file_calls).chunks() + loop.chunks_done(id_);
  const bool moves = std::exchange(chunks_, chunks) != chunks;
  if (moves || waited >= kProgressInterval || loop.waits_for_turn(id_)) waits_++;
  const uint64_t heartbeat = (runner == nullptr ? 0 : runner->meter().heartbeat.load()) + waits_;
  if (heartbeat == reported_heartbeat_) return;
  reported_heartbeat_ = heartbeat;
  FromWorker message;
  auto& progress = *message.mutable_progress();
  name(progress);
  if (runner != nullptr) *progress.mutable_progress() = runner->progress();
  progress.set_heartbeat(heartbeat);
  if (waited >= kFileWaitReported) {
    internal::v1::FileWait& wait = *progress.mutable_file_wait();
    wait.set_doing(call->doing);
    wait.set_file(channel::as_utf8(call->file));
    *wait.mutable_waited() = TimeUtil::NanosecondsToDuration(waited.count());
  }
  send_(message);
}

void RunningJob::on_segment_finished(int index, int64_t units_done) {
  FromWorker message;
  auto& finished = *message.mutable_segment_finished();
  name(finished);
  finished.set_index(index);
  finished.set_units_done(units_done);
  send_(message);
}

void RunningJob::on_log(std::string_view level, std::string_view text) {
  FromWorker message;
  auto& line = *message.mutable_log_line();
  name(line);
  line.set_level(std::string(level));
  line.set_text(channel::as_utf8(text));
  send_(message);
}

void RunningJob::run(JobOrder order) {
  const LogFields fields{.job = id_, .attempt = attempt_};
  log_debug(fields, "The attempt starts.");
  // for this thread and all that it starts
  raise_nice(order.source.work_class == schedule::SourceClass::kSpare ? kSpareNice : kNormalNice);
  if (const Status kept = keep_to_processors(share_.processors); !kept.ok())
    on_log("warning", message_of(kept));
  const JobEnd end = make_and_run(std::move(order));
  if (end.status.ok())
    log_debug(fields, "The attempt has finished.");
  else
    log_info(fields, "The attempt ends: {}", message_of(end.status));
  report_end(end);
  device_failed_ = end.device_failed;
  ended_ = true;
}

JobEnd RunningJob::make_and_run(JobOrder order) {
  const TracedThread traced(share_.loop.trace(), {fmt::format("attempt {}", attempt_), id_});
  const TraceSpan span(v1::TRACE_CATEGORY_JOB, "attempt");
  JobEnd end;
  {
    const media::WatchFileCalls watch(&opening_);
    auto made = make_runner(std::move(order), share_, *this);
    end.status = made.status();
    end.retriable = made.status().code() == StatusCode::kUnavailable;
    const std::lock_guard lock(mutex_);
    if (made.ok()) runner_ = (owned_ = *std::move(made)).get();
    for (const auto& action : for_runner_)
      if (owned_ != nullptr) action(*owned_);
  }
  return owned_ != nullptr ? owned_->run() : end;
}

void RunningJob::report_end(const JobEnd& end) {
  FromWorker message;
  if (end.status.ok()) {
    auto& finished = *message.mutable_job_finished();
    name(finished);
    *finished.mutable_result() = end.result;
  } else {
    auto& stopped = *message.mutable_job_stopped();
    name(stopped);
    Status error = end.status;
    stopped.set_out_of_space(media::take_disk_full(error));
    if (const auto open = media::take_refused_session(error)) stopped.set_open_encoder_sessions(*open);
    *stopped.mutable_error() = channel::to_message(error);
    stopped.set_retriable(end.retriable);
    *stopped.mutable_result() = end.result;
  }
  send_(message);
}

}  // namespace weft::worker
