// SPDX-License-Identifier: Apache-2.0
// Jobs in a daemon, and clients that change them at a steady rate.
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

// Submits `count` jobs of the input; their ids.
StatusOr<std::vector<std::string>> submit_jobs(const std::string& server, const std::string& folder,
                                               int count);

// Every job of the daemon, by id.
StatusOr<std::map<std::string, v1::Job>> all_jobs(client::Jobs& jobs);

// Change number `number` of a job: another priority or, every tenth time, paused or resumed.
Status change_job(client::Jobs& jobs, const std::string& id, int64_t number);

// Changes jobs from several threads, `rate` times a second in all, until it ends.
class Load {
 public:
  Load(const std::string& server, std::vector<std::string> ids, double rate);
  // What was carried out until now.
  int64_t changes() const { return changes_; }

 private:
  void run(const std::stop_token& stop, int thread, const std::string& server);

  const std::vector<std::string> ids_;
  const double rate_;
  std::atomic<int64_t> changes_{0};
  std::vector<std::jthread> threads_;  // last: they use the rest
};

}  // namespace weft::bench
