// SPDX-License-Identifier: Apache-2.0
// A placement with jobs that wait, start and end, for tests of its resources.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "server/queue/placement/placement.h"
#include "server/queue/placement/task_placement.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {

class PlacementTest : public testing::Test {
 protected:
  explicit PlacementTest(int jobs_per_device) : placement_(jobs_per_device) {}

  void wait(const v1::Job& job) {
    jobs_[job.id()] = job;
    placement_.set_waiting(job, now_);
  }
  // Starts the next job. Returns "JOB on DEVICE", or an empty text if no job starts.
  std::string start_next() {
    const auto next = placement_.next(now_);
    if (!next) return "";
    placement_.remove_waiting(next->job_id);
    v1::Job& job = jobs_[next->job_id];
    job.set_device(next->choice.device);
    v1::JobAttempt& attempt = *job.add_attempts();
    attempt.set_device(next->choice.device);
    set_grant(next->memory, attempt);
    placement_.occupy(next->choice.device, job, now_);
    return next->job_id + " on " + next->choice.device;
  }
  void end(const std::string& id) { placement_.release(jobs_[id].device(), id, now_); }

  Placement placement_;
  TimePoint now_{std::chrono::hours(1)};
  std::map<std::string, v1::Job> jobs_;
};

}  // namespace weft::queue
