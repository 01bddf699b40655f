// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at a job that tunes its device: finds which launches the filters' kernels have, checks that each shape gives the same
// bytes, and times them (server/tuning/shape_sweep.h). The device's table is stored after each subject, so that a later attempt goes on.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/worker/job/job_runner.h"
#include "server/worker/tuning/place_timer.h"
#include "server/worker/tuning/tune_pass.h"

namespace weft::worker {

// How many kernels can be tuned of those that the job names. INVALID_ARGUMENT: none, or a filter that there is not.
StatusOr<v1::JobEstimate> estimate_tuning(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

// Of a batch with the declared shapes: much is to be tuned before a job is stopped.
struct TuneLimits {
  Duration long_batch = std::chrono::milliseconds(100);  // subjects of longer ones come last
  Duration longest_batch = std::chrono::seconds(5);      // kernels of longer ones are not tuned
};

class TuneRunner final : public JobRunner {
 public:
  // What is shared, and `events`, outlive the runner.
  TuneRunner(JobOrder order, const DeviceShare& share, JobEvents& events, TuneLimits limits = {});

 private:
  // What one subject tunes.
  struct Work {
    TuneSubject subject;
    std::vector<TunedPlace> places;
    Duration round{};  // what a batch takes with the declared shapes
  };

  Status work() override { return state_.check(attempt(), Origin::kDevice); }
  void add_facts(v1::JobResult& result) const override;
  Status attempt();
  // Runs a subject once: what it launches and no subject before it did.
  StatusOr<Work> survey(const TuneSubject& subject);
  bool is_wanted(const TunedPlace& place) const;
  // Errors are the job's; what else went wrong becomes a note.
  Status tune(const Work& work);
  Status try_shapes(const Work& work);
  // By the kernel's name, numbers of shapes that give other bytes, or that a launch may not be repeated with.
  StatusOr<std::map<std::string, std::set<int>>> find_faults(const Work& work);
  std::vector<PlaceTimer*> next_places(const std::vector<std::unique_ptr<PlaceTimer>>& timers) const;
  StatusOr<std::vector<v1::TunedKernel>> time_shapes(const Work& work,
                                                     const std::map<std::string, std::set<int>>& faults);
  Status keep(std::vector<v1::TunedKernel> found);

  const TuneLimits limits_;
  ShapeObserver observer_{share_.device};
  TunePass pass_{share_, preparing_, observer_, order_.source};
  std::set<TunedPlace> surveyed_;
  bool left_out_ = false;  // kernels of very long batches
  mutable std::mutex result_mutex_;
  v1::TuneResult result_;  // guarded by result_mutex_
};

}  // namespace weft::worker
