// SPDX-License-Identifier: Apache-2.0
// Creates jobs in a daemon, and changes them by clients at a steady rate.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "client/jobs.h"

namespace weft::bench {

// Submits `count` jobs of the input. Returns their ids.
StatusOr<std::vector<std::string>> submit_jobs(const std::string& server, const std::string& folder,
                                               int count);

// Returns every job of the daemon, by id.
StatusOr<std::map<std::string, v1::Job>> all_jobs(client::Jobs& jobs);

// Makes change `number` of a job: another priority or, every tenth time, a pause or its end.
Status change_job(client::Jobs& jobs, const std::string& id, int64_t number);

// Changes jobs from several threads, `rate` times a second in total, until the object is destroyed.
class Load {
 public:
  Load(const std::string& server, std::vector<std::string> ids, double rate);
  // number of changes carried out
  int64_t changes() const { return changes_; }

 private:
  void run(const std::stop_token& stop, int thread, const std::string& server);

  const std::vector<std::string> ids_;
  const double rate_;
  std::atomic<int64_t> changes_{0};
  std::vector<std::jthread> threads_;  // the last member, because the threads use the others
};

}  // namespace weft::bench
