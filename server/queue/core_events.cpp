// SPDX-License-Identifier: Apache-2.0
// Implements the functions of Core for devices, and for reports of workers that are not durable:
// progress, samples, waits for files.
#include <utility>

#include "server/queue/core.h"

namespace weft::queue {

void Core::answer_devices(const std::vector<std::string>& ids,
                          const Callback<std::vector<v1::DeviceStatus>>& done) {
  ledger_.touch(ids);
  answers_.push_back([this, ids, done](const Status& status) {
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
    answers_.push_back([done = std::move(done), error = found.status()](const Status&) { done(error); });
    return;
  }
  std::set<std::string> drained = devices_.drained();
  drained.insert(found->begin(), found->end());
  ledger_.set_drained(std::move(drained));
  answer_devices(*found, done);
}

void Core::resume_devices(const std::vector<std::string>& ids, bool take,
                          Callback<std::vector<v1::DeviceStatus>> done) {
  const StatusOr<std::vector<std::string>> found = devices_.resolve(ids);
  if (!found.ok()) {
    answers_.push_back([done = std::move(done), error = found.status()](const Status&) { done(error); });
    return;
  }
  std::set<std::string> drained = devices_.drained();
  for (const std::string& id : *found) {
    drained.erase(id);
    devices_.absolve(id);
  }
  ledger_.set_drained(std::move(drained));
  if (take)
    answers_.push_back([this, ids = *found](const Status& status) {
      if (status.ok()) actions_.take_devices(ids);
    });
  answer_devices(*found, done);
}

void Core::set_paused(bool paused, Callback<bool> done) {
  ledger_.set_paused(paused);
  answers_.push_back([this, done = std::move(done)](const Status& status) {
    if (!status.ok()) return done(status);
    for (const v1::DeviceStatus& device : devices_.all()) device_watches_.changed(device.id());
    waiting_.changed();
    done(placement_.is_paused());
  });
}

void Core::drain(std::function<void()> done) {
  draining_ = true;
  views_.drain();
  rules_.close();
  drained_.push_back(std::move(done));
  devices_.drain_server();
  for (const v1::DeviceStatus& device : devices_.all()) device_watches_.changed(device.id());
  waiting_.changed();
}

void Core::checkpoint() {
  for (const std::string& id : jobs().ids(v1::JOB_STATE_RUNNING)) take(JobEvent{id, event::Checkpoint{}});
}

void Core::on_device(const v1::DeviceStatus& device) {
  devices_.report(device);
  device_watches_.changed(device.id());
  waiting_.changed();
}

void Core::on_report(const std::string& device, const internal::v1::DeviceReport& report) {
  devices_.keep(device, report);
  if (!report.has_sample()) return;
  const v1::ScheduleSample& schedule = report.sample().schedule();
  placement_.learn(device, schedule, clock_.now());
  placement_.memory().device(device).set_use(report.sample());
  placement_.learn_processors(device, report.sample());
  if (!schedule.costs().empty()) ledger_.keep_speeds();
  if (devices_.contains(device)) device_watches_.changed(device);
}

void Core::on_progress(const AttemptId& attempt, const v1::JobProgress& progress) {
  const RecordPtr record = jobs().find(attempt.job_id);
  if (record == nullptr || record->job.attempt() != attempt.attempt || !attempt_is_open(record->job) ||
      record->job.state() != v1::JOB_STATE_RUNNING)
    return;
  // The job's changes in the current batch are not durable yet. A later progress report follows.
  if (ledger_.has_changed(attempt.job_id)) return;
  auto after = std::make_shared<JobRecord>(*record);
  *after->job.mutable_progress() = progress;
  // The attempt has not yet found the finished segments of an earlier one.
  if (progress.units_done() < record->units_finished)
    after->job.mutable_progress()->set_units_done(record->units_finished);
  ledger_.put_progress(after);
  placement_.progressed(after->job.device(), after->job, clock_.now());
  ledger_.keep_speeds();
  watches_.progressed(after);
}

void Core::on_file_wait(const AttemptId& attempt, std::string_view reason) {
  const RecordPtr record = jobs().find(attempt.job_id);
  if (record == nullptr || record->job.attempt() != attempt.attempt || !attempt_is_open(record->job)) return;
  views_.waits_for_file(attempt.job_id, reason);
  if (!ledger_.has_changed(attempt.job_id)) watches_.progressed(record);
}

void Core::end_watches(const Status& error) {
  watches_.end_all(error);
  device_watches_.end_all(error);
  logs_.end_all(error);
  forgetting_.end_all(error);
}

}  // namespace weft::queue
