// SPDX-License-Identifier: Apache-2.0
#include "tests/server/queue/crash_daemon.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {

void Diary::write(const std::string& line) const {
  const int file = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const std::string text = line + "\n";
  if (file < 0 || ::write(file, text.data(), text.size()) != ssize_t(text.size())) std::abort();
  close(file);
}

std::vector<std::string> Diary::read() const {
  std::ifstream file(path_);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

FileWorkers::FileWorkers(const std::string& folder, Queue& queue)
    : folder_(folder), diary_(folder + "/diary"), queue_(queue) {
  std::filesystem::create_directories(folder + "/work");
  std::filesystem::create_directories(folder + "/out");
}

Status FileWorkers::start(const AttemptId& attempt, const JobRecord& record, std::string_view) {
  const v1::Job& job = record.job;
  diary_.write(fmt::format("started {} {}", attempt.job_id, attempt.attempt));
  std::ofstream(work_file(attempt.job_id)) << attempt.attempt;
  // A job with "hold" in its input runs until it is stopped.
  if (job.spec().video().input().find("hold") == std::string::npos) queue_.on_finished(attempt, {});
  return ok_status();
}

void FileWorkers::stop(const AttemptId& attempt, internal::v1::StopKind) {
  queue_.on_stopped(attempt, cancelled("It was asked to stop."), false, {});
}

Status FileWorkers::publish(const JobRecord& record, const CopyReport& /*report*/) {
  const v1::Job& job = record.job;
  const std::string out = folder_ + "/out/" + job.id();
  if (!std::filesystem::exists(work_file(job.id())))
    return std::filesystem::exists(out) ? ok_status()
                                        : not_found("There is no finished file ({}).", job.id());
  if (renameat2(AT_FDCWD, work_file(job.id()).c_str(), AT_FDCWD, out.c_str(), RENAME_NOREPLACE) != 0)
    diary_.write(fmt::format("twice {}", job.id()));
  return ok_status();
}

Status FileWorkers::discard(const v1::Job& job) {
  std::filesystem::remove(work_file(job.id()));
  return ok_status();
}

CrashDaemon::CrashDaemon(const std::string& folder) : folder_(folder), diary_(folder + "/diary") {
  QueueConfig config;
  config.state_folder = folder + "/state";
  StatusOr<std::unique_ptr<Queue>> queue = Queue::open(config, clock_);
  if (!queue.ok()) {
    std::fprintf(stderr, "%s\n", queue.status().ToString().c_str());
    std::abort();
  }
  queue_ = *std::move(queue);
  workers_ = std::make_unique<FileWorkers>(folder, *queue_);
  queue_->start(*workers_);
  queue_->on_device(make_device("cpu"));
}

StatusOr<v1::Job> CrashDaemon::submit(const std::string& name, const std::string& request_id) {
  Submission submission = make_submission(name);
  submission.request_id = request_id;
  return ask<v1::Job>([&](auto done) {
    queue_->submit(submission, [this, done, request_id](StatusOr<v1::Job> job) {
      if (job.ok()) diary_.write(fmt::format("acknowledged {} {}", job->id(), request_id));
      done(std::move(job));
    });
  });
}

void CrashDaemon::run_scenario() {
  const auto call = [&](void (Queue::*what)(std::string, Queue::Callback<v1::Job>),
                        const StatusOr<v1::Job>& job) {
    if (job.ok()) static_cast<void>(ask<v1::Job>([&](auto done) { (queue_.get()->*what)(job->id(), done); }));
  };
  const StatusOr<v1::Job> held = submit("hold1", "held");
  static_cast<void>(submit("a", "a"));
  const StatusOr<v1::Job> paused = submit("b", "b");
  call(&Queue::pause, paused);
  call(&Queue::cancel, held);
  static_cast<void>(submit("a", "a"));
  static_cast<void>(submit("c", "c"));
  call(&Queue::resume, paused);
  const StatusOr<v1::Job> second = submit("hold2", "held2");
  call(&Queue::cancel, second);
  call(&Queue::retry, second);
  call(&Queue::cancel, second);
  // The diary names the request first: a kill may come between the removal and its answer.
  if (held.ok()) {
    diary_.write("forgetting " + held->id());
    if (ask<v1::Job>([&](auto done) { queue_->forget(held->id(), done); }).ok())
      diary_.write("forgotten " + held->id());
  }
  run_to_the_end();
}

void CrashDaemon::submit_for_ever() {
  std::atomic<int> number{0};
  const std::string run = std::to_string(getpid());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&] {
      while (true) {
        const std::string name = fmt::format("{}-{}", run, ++number);
        if (submit(name, name).ok() && number % 3 == 0) submit(name, name).status().IgnoreError();
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::abort();
}

bool CrashDaemon::run_to_the_end() {
  // A crash may leave "hold" jobs, which end only when they are cancelled.
  for (const v1::Job& job : jobs())
    if (job.spec().video().input().find("hold") != std::string::npos || job.state() == v1::JOB_STATE_PAUSED)
      ask<v1::Job>([&](auto done) { queue_->cancel(job.id(), done); }).status().IgnoreError();
  auto watch = queue_->watch({}, "");
  std::set<std::string> unfinished;
  bool snapshot = true;
  while (snapshot || !unfinished.empty()) {
    const auto event = next_of(*watch);
    if (!event.ok()) return false;
    const v1::WatchJobsResponse& what = **event;
    if (what.kind() == v1::WatchJobsResponse::KIND_SNAPSHOT_END) snapshot = false;
    if (!what.has_job()) continue;
    const v1::JobState state = what.job().state();
    const bool final =
        state == v1::JOB_STATE_SUCCEEDED || state == v1::JOB_STATE_FAILED || state == v1::JOB_STATE_CANCELLED;
    if (final)
      unfinished.erase(what.job().id());
    else
      unfinished.insert(what.job().id());
  }
  // The work folder of a final job may still be in removal. A drained queue has no such work.
  std::promise<void> drained;
  queue_->drain([&] { drained.set_value(); });
  return drained.get_future().wait_for(kDeadline) == std::future_status::ready;
}

std::vector<v1::Job> CrashDaemon::jobs() {
  std::vector<v1::Job> jobs;
  v1::ListJobsRequest request;
  request.set_page_size(1000);
  do {
    const auto page = ask<v1::ListJobsResponse>([&](auto done) { queue_->list(request, done); });
    if (!page.ok()) break;
    jobs.insert(jobs.end(), page->jobs().begin(), page->jobs().end());
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return jobs;
}

std::vector<std::string> audit_after_crash(const std::string& folder, const std::vector<v1::Job>& jobs) {
  std::vector<std::string> wrong;
  std::map<std::string, const v1::Job*> by_id;
  std::map<std::string, int> by_request;
  for (const v1::Job& job : jobs) {
    by_id[job.id()] = &job;
    if (++by_request[job.request_id()] > 1)
      wrong.push_back("Two jobs have the request_id " + job.request_id());
    const bool published = std::filesystem::exists(folder + "/out/" + job.id());
    if (published != (job.state() == v1::JOB_STATE_SUCCEEDED))
      wrong.push_back(fmt::format("{} is in state {}, its file is {}.", job.id(), int(job.state()),
                                  published ? "there" : "not there"));
  }
  if (!std::filesystem::is_empty(folder + "/work")) wrong.push_back("A work folder is left behind.");
  std::set<std::string> started;
  std::set<std::string> forgetting;
  const std::vector<std::string> diary = Diary(folder + "/diary").read();
  for (const std::string& line : diary)
    if (line.starts_with("forgetting ")) forgetting.insert(line.substr(line.find(' ') + 1));
  for (const std::string& line : diary) {
    std::istringstream words(line);
    std::string what, id, more;
    words >> what >> id >> more;
    if (what == "twice") wrong.push_back(id + " is published twice.");
    if (what == "started" && !started.insert(line).second) wrong.push_back("Twice: " + line);
    if (what == "forgotten" && by_id.contains(id)) wrong.push_back("The forgotten job " + id + " is there.");
    if (what != "acknowledged" || (forgetting.contains(id) && !by_id.contains(id))) continue;
    if (!by_id.contains(id))
      wrong.push_back("The acknowledged job " + id + " is lost.");
    else if (by_id[id]->request_id() != more)
      wrong.push_back("The acknowledged job " + id + " is another.");
  }
  return wrong;
}

}  // namespace weft::queue
