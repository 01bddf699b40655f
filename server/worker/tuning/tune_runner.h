// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at a tuning job: determines the launch sites of the filters' kernels, checks
// that each shape gives the same bytes, and measures them (server/tuning/shape_sweep.h). The
// device's table is stored after each subject, so that a later attempt continues with the next one.
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
#include "server/worker/tuning/launch_site_timer.h"
#include "server/worker/tuning/tune_pass.h"

namespace weft::worker {

// Estimates the number of tunable kernels that the job names. INVALID_ARGUMENT: the job names none,
// or an unknown filter.
StatusOr<v1::JobEstimate> estimate_tuning(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

// Limits for the duration of a batch with the declared shapes. A job stops at the end of a batch.
struct TuneLimits {
  // subjects with longer batches are processed last
  Duration long_batch = std::chrono::milliseconds(100);
  // kernels of subjects with longer batches are not tuned
  Duration longest_batch = std::chrono::seconds(5);
};

class TuneRunner final : public JobRunner {
 public:
  // `share` and `events` must outlive the runner.
  TuneRunner(JobOrder order, const DeviceShare& share, JobEvents& events, TuneLimits limits = {});

 private:
  // A subject with the launch sites that it tunes.
  struct Work {
    TuneSubject subject;
    std::vector<LaunchSite> sites;
    Duration round{};  // duration of a batch with the declared shapes
  };

  Status work() override { return state_.check(attempt(), Origin::kDevice); }
  void add_properties(v1::JobResult& result) const override;
  Status attempt();
  // Runs a subject once and returns it with those of its launch sites that no earlier subject had.
  StatusOr<Work> survey(const TuneSubject& subject);
  bool is_wanted(const LaunchSite& site) const;
  // Tunes the sites of a subject. An error ends the job; other faults become notes.
  Status tune(const Work& work);
  Status try_shapes(const Work& work);
  // Returns, by the name of a kernel, the numbers of the shapes that give other bytes, or with
  // which a repeated launch gives other bytes.
  StatusOr<std::map<std::string, std::set<int>>> find_faults(const Work& work);
  std::vector<LaunchSiteTimer*> next_sites(const std::vector<std::unique_ptr<LaunchSiteTimer>>& timers) const;
  StatusOr<std::vector<v1::TunedKernel>> time_shapes(const Work& work,
                                                     const std::map<std::string, std::set<int>>& faults);
  Status keep(std::vector<v1::TunedKernel> found);

  const TuneLimits limits_;
  ShapeObserver observer_{share_.device};
  TunePass pass_{share_, preparing_, observer_, order_.source};
  std::set<LaunchSite> surveyed_;
  bool left_out_ = false;  // whether kernels were omitted because of long batches
  mutable std::mutex result_mutex_;
  v1::TuneResult result_;  // guarded by result_mutex_
};

}  // namespace weft::worker
