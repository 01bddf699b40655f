// SPDX-License-Identifier: Apache-2.0
#include "bench/dashboard/live_load.h"

#include <chrono>

#include <fmt/format.h>

namespace weft::bench {
namespace {

// each thread waits until its change is durable before the next one
constexpr int kThreads = 8;
constexpr int kPauseEvery = 10;  // one of this many changes is a pause or its end
constexpr int kPriorities = 100;

}  // namespace

StatusOr<std::vector<std::string>> submit_jobs(const std::string& server, const std::string& folder,
                                               int count) {
  std::vector<std::string> ids;
  ids.resize(size_t(count));
  std::atomic<int> next{0};
  std::atomic<bool> failed{false};
  const auto submit = [&] {
    const auto connection = client::Connection::open({.server = server});
    if (!connection.ok()) return void(failed = true);
    client::Jobs jobs(*connection);
    for (int number; !failed && (number = next++) < count;) {
      v1::SubmitJobRequest request;
      v1::VideoJob& job = *request.mutable_spec()->mutable_video();
      job.set_input(folder + "/in.y4m");
      job.set_output(fmt::format("{}/out-{}.mkv", folder, number));
      job.add_filters()->mutable_bwdif();
      const auto answer = jobs.submit(request);
      if (answer.ok())
        ids[size_t(number)] = answer->job().id();
      else
        failed = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; i++) threads.emplace_back(submit);
  }
  if (failed) return unavailable("A submit failed.");
  return ids;
}

StatusOr<std::map<std::string, v1::Job>> all_jobs(client::Jobs& jobs) {
  std::map<std::string, v1::Job> all;
  v1::ListJobsRequest request;
  request.set_page_size(1000);
  do {
    ASSIGN_OR_RETURN(const v1::ListJobsResponse page, jobs.list(request));
    for (const v1::Job& job : page.jobs()) all[job.id()] = job;
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return all;
}

Status change_job(client::Jobs& jobs, const std::string& id, int64_t number) {
  if (number % kPauseEvery != 0) return jobs.change_priority(id, int(number % kPriorities)).status();
  ASSIGN_OR_RETURN(const v1::Job job, jobs.get(id));
  return (job.state() == v1::JOB_STATE_PAUSED ? jobs.resume(id) : jobs.pause(id)).status();
}

Load::Load(const std::string& server, std::vector<std::string> ids, double rate)
    : ids_(std::move(ids)), rate_(rate) {
  for (int i = 0; i < kThreads; i++)
    threads_.emplace_back([this, i, server](const std::stop_token& stop) { run(stop, i, server); });
}

void Load::run(const std::stop_token& stop, int thread, const std::string& server) {
  const auto connection = client::Connection::open({.server = server});
  if (!connection.ok()) return;
  client::Jobs jobs(*connection);
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t number = thread; !stop.stop_requested(); number += kThreads) {
    std::this_thread::sleep_until(begin + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                              std::chrono::duration<double>(double(number) / rate_)));
    // Each thread changes different jobs. The step has no common factor with their number, so that
    // it reaches all of them.
    const size_t own = ids_.size() / kThreads;
    const size_t index = size_t(number / kThreads) * 7919 % own * kThreads + size_t(thread);
    if (change_job(jobs, ids_[index], number / kThreads).ok()) changes_++;
  }
}

}  // namespace weft::bench
