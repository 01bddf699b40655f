// SPDX-License-Identifier: Apache-2.0
// The part of Core that deals with devices and with what workers tell that is not durable: progress, samples, logs.
#include <utility>

#include "server/queue/core.h"

namespace weft::queue {

void Core::change_drained(std::set<std::string> drained) {
  if (drained == devices_.drained()) return;
  if (!batch_.drained_before) batch_.drained_before = devices_.drained();
  devices_.set_drained(std::move(drained));
}

void Core::answer_devices(const std::vector<std::string>& ids,
                          const Callback<std::vector<v1::DeviceStatus>>& done) {
  batch_.devices.insert(ids.begin(), ids.end());
  batch_.answers.push_back([this, ids, done](const Status& status) {
    if (!status.ok()) return done(status);
    std::vector<v1::DeviceStatus> devices;
    for (const std::string& id : ids)
      if (devices_.contains(id)) devices.push_back(devices_.view(id));
    done(std::move(devices));
  });
}

void Core::drain_devices(const std::vector<std::string>& ids, Callback<std::vector<v1::DeviceStatus>> done) {
  const StatusOr<std::vector<std::string>> found = devices_.resolve(ids);
  if (!found.ok()) {
    batch_.answers.push_back(
        [done = std::move(done), error = found.status()](const Status&) { done(error); });
    return;
  }
  std::set<std::string> drained = devices_.drained();
  drained.insert(found->begin(), found->end());
  change_drained(std::move(drained));
  answer_devices(*found, done);
}

void Core::resume_devices(const std::vector<std::string>& ids, bool take,
                          Callback<std::vector<v1::DeviceStatus>> done) {
  const StatusOr<std::vector<std::string>> found = devices_.resolve(ids);
  if (!found.ok()) {
    batch_.answers.push_back(
        [done = std::move(done), error = found.status()](const Status&) { done(error); });
    return;
  }
  std::set<std::string> drained = devices_.drained();
  for (const std::string& id : *found) {
    drained.erase(id);
    devices_.absolve(id);
  }
  change_drained(std::move(drained));
  if (take)
    batch_.answers.push_back([this, ids = *found](const Status& status) {
      if (!status.ok() || workers_ == nullptr) return;
      for (const std::string& id : ids) workers_->take_device(id);
    });
  answer_devices(*found, done);
}

void Core::drain(std::function<void()> done) {
  draining_ = true;
  drained_.push_back(std::move(done));
  devices_.drain_server();
  for (const v1::DeviceStatus& device : devices_.all()) tell_device(device.id());
  waiting_changed();
}

void Core::checkpoint() {
  for (const std::string& id : jobs_.ids(v1::JOB_STATE_RUNNING)) take(JobEvent{id, event::Checkpoint{}});
}

void Core::on_device(const v1::DeviceStatus& device) {
  devices_.report(device);
  tell_device(device.id());
  waiting_changed();
}

void Core::on_report(const std::string& device, const internal::v1::DeviceReport& report) {
  devices_.keep(device, report);
  if (!report.has_sample()) return;
  const v1::ScheduleSample& schedule = report.sample().schedule();
  placement_.learn(device, schedule, clock_.now());
  if (!schedule.costs().empty()) keep_speeds();
  if (devices_.contains(device)) tell_device(device);
}

void Core::on_progress(const AttemptId& attempt, const v1::JobProgress& progress) {
  const RecordPtr record = jobs_.find(attempt.job_id);
  if (record == nullptr || record->job.attempt() != attempt.attempt || !attempt_is_open(record->job) ||
      record->job.state() != v1::JOB_STATE_RUNNING)
    return;
  // What the batch at hand changed is not durable yet: the next progress tells.
  if (batch_.before.contains(attempt.job_id)) return;
  auto after = std::make_shared<JobRecord>(*record);
  *after->job.mutable_progress() = progress;
  // An attempt that has not found out yet what an earlier one finished.
  if (progress.units_done() < record->units_finished)
    after->job.mutable_progress()->set_units_done(record->units_finished);
  jobs_.put(after);
  placement_.progressed(after->job.device(), after->job, clock_.now());
  keep_speeds();
  watches_.progressed(after);
}

void Core::on_log(const AttemptId& attempt, std::string_view level, std::string_view text) {
  const RecordPtr record = jobs_.find(attempt.job_id);
  if (record != nullptr && record->job.attempt() == attempt.attempt)
    log(attempt.job_id, attempt.attempt, level, text);
}

void Core::on_file_wait(const AttemptId& attempt, std::string_view reason) {
  const RecordPtr record = jobs_.find(attempt.job_id);
  if (record == nullptr || record->job.attempt() != attempt.attempt || !attempt_is_open(record->job)) return;
  if (reason.empty())
    file_waits_.erase(attempt.job_id);
  else
    file_waits_[attempt.job_id] = std::string(reason);
  if (!batch_.before.contains(attempt.job_id)) watches_.progressed(record);
}

void Core::tell_device(const std::string& id) {
  if (!devices_.contains(id)) return;
  const v1::DeviceStatus device = devices_.view(id);
  for (auto watch = device_watches_.begin(); watch != device_watches_.end();) {
    const auto live = watch->lock();
    if (live != nullptr) live->changed(device);
    watch = live != nullptr ? std::next(watch) : device_watches_.erase(watch);
  }
}

void Core::watch_devices(const std::shared_ptr<DeviceSubscription>& watch) {
  for (const v1::DeviceStatus& device : devices_.all()) watch->changed(device);
  device_watches_.push_back(watch);
}

void Core::read_log(const std::shared_ptr<LogSubscription>& reader, const std::string& id) {
  const StatusOr<RecordPtr> record = jobs_.resolve(id);
  if (!record.ok()) return reader->end(record.status());
  // Readers may outlive this: they reach it through `post` alone, which ends with the queue's thread.
  const auto fill = [this, post = post_](const std::weak_ptr<LogSubscription>& weak) {
    post([this, weak] {
      if (const auto live = weak.lock()) fill_log(*live);
    });
  };
  log_readers_.push_back(reader);
  reader->begin((*record)->job.id(), fill, reader);
}

void Core::fill_log(LogSubscription& reader) {
  StatusOr<std::vector<v1::ReadJobLogResponse>> lines =
      log_store_.read(reader.job_id(), reader.next_line(), kLogLinesPerRead);
  if (!lines.ok()) return reader.end(lines.status());
  const RecordPtr record = jobs_.find(reader.job_id());
  if (record == nullptr) return reader.end(not_found("The job ({}) is gone.", reader.job_id()));
  const v1::Job& job = record->job;
  const bool all = int64_t(lines->size()) < kLogLinesPerRead;
  const bool ends = all && (!reader.follow() || (is_final(job.state()) && !attempt_is_open(job)));
  if (!lines->empty()) reader.add(*std::move(lines));
  if (ends) reader.finish();
}

void Core::wake_logs(const std::string& job_id) {
  for (auto reader = log_readers_.begin(); reader != log_readers_.end();) {
    const auto live = reader->lock();
    if (live != nullptr && live->job_id() == job_id) live->wake();
    reader = live != nullptr ? std::next(reader) : log_readers_.erase(reader);
  }
}

void Core::end_watches(const Status& error) {
  watches_.end_all(error);
  for (const auto& watch : std::exchange(device_watches_, {}))
    if (const auto live = watch.lock()) live->end(error);
  for (const auto& reader : std::exchange(log_readers_, {}))
    if (const auto live = reader.lock()) live->end(error);
}

}  // namespace weft::queue
