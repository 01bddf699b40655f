// SPDX-License-Identifier: Apache-2.0
#include "tests/server/queue/simulated_world.h"

#include <algorithm>

namespace weft::queue {
namespace {

// Returns the event for the end of an attempt without a result, or of a further task.
JobEvent stopped(const AttemptId& id, const Status& error, bool retriable) {
  if (id.task > 0) return {id.job_id, event::TaskEnded{id.attempt, id.task, error}};
  return {id.job_id, event::Stopped{id.attempt, error, retriable, {}}};
}

}  // namespace

Status SimulatedWorld::start(const AttemptId& attempt, const JobRecord& record, std::string_view device) {
  const v1::Job& job = record.job;
  maybe_kill_daemon();
  if (start_check_) start_check_(job, std::string(device), attempt.task);
  if (!started_.emplace(attempt.job_id, attempt.attempt, attempt.task).second)
    violate(fmt::format("Attempt {} of {} is started twice (task {}).", attempt.attempt, attempt.job_id,
                        attempt.task));
  for (const Running& other : running_) {
    if (other.id.job_id != attempt.job_id) continue;
    const bool is_other_task = other.id.attempt == attempt.attempt && attempt.task > 0;
    if (!is_other_task || other.device == device)
      violate(fmt::format("{} runs twice: attempts {} and {} (task {}).", attempt.job_id, other.id.attempt,
                          attempt.attempt, attempt.task));
  }
  if (disk_[attempt.job_id].published > 0)
    violate(fmt::format("{} is started although its file is published.", attempt.job_id));
  if (fault(0.03)) return unavailable("The worker is not ready.");
  if (fault(0.02)) return resource_exhausted("The disk is nearly full.");
  if (fault(0.005)) return not_found("The input is gone.");
  disk_[attempt.job_id].work_folder = true;
  running_.push_back({attempt, std::string(device), 1 + random_.below(6), fault(0.03), std::nullopt});
  maybe_kill_daemon();
  return ok_status();
}

void SimulatedWorld::stop(const AttemptId& attempt, internal::v1::StopKind kind) {
  maybe_kill_daemon();
  for (Running& running : running_)
    if (running.id == attempt ||
        (attempt.task == 0 && running.id.job_id == attempt.job_id && running.id.attempt == attempt.attempt))
      running.asked = kind;
}

Status SimulatedWorld::publish(const JobRecord& record, const CopyReport& /*report*/) {
  const v1::Job& job = record.job;
  maybe_kill_daemon();
  for (const Running& running : running_)
    if (running.id.job_id == job.id())
      violate(fmt::format("{} is published while a task of it runs.", job.id()));
  Location& location = disk_[job.id()];
  if (!location.work_folder) {
    violate(fmt::format("{} is published without a work folder.", job.id()));
    return failed_precondition("There is no work folder.");
  }
  if (!location.finished_file && location.published > 0) return ok_status();
  if (!location.finished_file) {
    violate(fmt::format("{} is published without a finished file.", job.id()));
    return not_found("There is no finished file.");
  }
  if (fault(0.1)) return unavailable("The folder does not answer.");
  if (++location.published > 1) violate(fmt::format("{} is published twice.", job.id()));
  location.finished_file = false;
  maybe_kill_daemon();
  return ok_status();
}

Status SimulatedWorld::discard(const v1::Job& job) {
  maybe_kill_daemon();
  for (const Running& running : running_)
    if (running.id.job_id == job.id())
      violate(fmt::format("The work folder of {} is removed under its worker.", job.id()));
  Location& location = disk_[job.id()];
  if (location.finished_file && job.state() == v1::JOB_STATE_RUNNING)
    violate(fmt::format("The finished file of {} is removed.", job.id()));
  location.work_folder = location.finished_file = false;
  maybe_kill_daemon();
  return ok_status();
}

void SimulatedWorld::send(const std::string& device, Message message, bool late) {
  TimePoint due = clock_.now() + random_.milliseconds(late ? 5000 : 20);
  if (!late) due = last_sent_[device] = std::max(due, last_sent_[device]);
  messages_.emplace(due, std::move(message));
}

void SimulatedWorld::report_devices(const std::string& device, v1::DeviceState state) {
  for (v1::DeviceStatus report : devices_) {
    if (!device.empty() && report.id() != device) continue;
    report.set_state(state);
    send(report.id(), [report](Core& core) { core.on_device(report); });
  }
}

void SimulatedWorld::daemon_started() { report_devices("", v1::DEVICE_STATE_IN_SERVICE); }

void SimulatedWorld::daemon_killed() {
  std::multimap<TimePoint, Message> survivors;
  for (auto& [due, message] : messages_)
    if (fault(0.3)) survivors.emplace(due, std::move(message));
  messages_ = std::move(survivors);
  running_.clear();
}

void SimulatedWorld::kill_worker(const std::string& device) {
  std::vector<AttemptId> lost;
  for (const Running& running : running_) {
    if (running.device != device) continue;
    lost.push_back(running.id);
    // A last message arrives after the worker is known to be dead.
    if (random_.chance(0.3)) finish(running, true);
    send(
        device, [id = running.id](Core& core) { core.take(stopped(id, data_loss("A late word."), false)); },
        true);
  }
  std::erase_if(running_, [&](const Running& running) { return running.device == device; });
  report_devices(device, v1::DEVICE_STATE_STARTING);
  send(device, [device, lost](Core& core) { core.take(WorkerLoss{device, lost, "It was killed."}); });
  report_devices(device, v1::DEVICE_STATE_IN_SERVICE);
}

void SimulatedWorld::finish(const Running& attempt, bool late) {
  if (attempt.id.task == 0) disk_[attempt.id.job_id].finished_file = true;
  const JobEvent event = attempt.id.task == 0
                             ? JobEvent{attempt.id.job_id, event::Finished{attempt.id.attempt, {}}}
                             : stopped(attempt.id, ok_status(), false);
  send(
      attempt.device, [event](Core& core) { core.take(event); }, late);
  // The same message arrives twice.
  if (random_.chance(0.1))
    send(
        attempt.device, [event](Core& core) { core.take(event); }, true);
}

bool SimulatedWorld::work_on(Running& attempt) {
  const AttemptId id = attempt.id;
  const auto stop_with = [&](const Status& error, bool retriable) {
    send(attempt.device, [=](Core& core) { core.take(stopped(id, error, retriable)); });
    return false;
  };
  if (attempt.asked && !random_.chance(0.1)) return stop_with(cancelled("It was asked to stop."), false);
  if (fault(0.01)) return stop_with(unavailable("The encoder has no session left."), true);
  if (fault(0.005)) return stop_with(data_loss("The file is broken."), false);
  if (attempt.chunks_left > 0) {
    attempt.chunks_left--;
    if (id.task > 0) return true;
    send(attempt.device, [=](Core& core) {
      v1::JobProgress progress;
      progress.set_units_done(7);
      core.on_progress(id, progress);
      core.take(JobEvent{id.job_id, event::SegmentDone{id.attempt, 7}});
    });
    return true;
  }
  finish(attempt);
  return false;
}

void SimulatedWorld::work() {
  std::vector<std::string> hanging;
  for (size_t i = 0; i < running_.size();) {
    Running& running = running_[i];
    if (running.hangs) {
      if (!faults_ || random_.chance(0.05)) hanging.push_back(running.device);
      i++;
    } else if (random_.chance(0.5) || work_on(running)) {
      i++;
    } else {
      running_.erase(running_.begin() + ptrdiff_t(i));
    }
  }
  for (const std::string& device : hanging) kill_worker(device);
}

void SimulatedWorld::deliver(Core& core) {
  while (!messages_.empty() && messages_.begin()->first <= clock_.now()) {
    const Message message = std::move(messages_.begin()->second);
    messages_.erase(messages_.begin());
    message(core);
  }
}

}  // namespace weft::queue
