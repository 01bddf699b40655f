// SPDX-License-Identifier: Apache-2.0
// Keeps a device's table true to the work that it does: where launches of jobs and streams drift from what the table says
// (server/tuning/drift_watch.h), the neighbours of the kernel's shape are tried on the same filters and sizes, in spare time, with the checks
// and the sweep of a job that tunes. What wins goes into the table; pipelines that are made later have it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/status.h"
#include "server/tuning/drift_watch.h"
#include "server/worker/device/device_share.h"
#include "server/worker/device/launch_watch.h"
#include "server/worker/device/preparing.h"
#include "server/worker/tuning/tune_pass.h"

namespace weft::worker {

struct AdapterRules {
  tuning::DriftRules drift{};
  Duration between_samples = std::chrono::milliseconds(100);
  Duration longest_try = std::chrono::seconds(60);  // with the waiting for spare time; then it is given up
};

// Thread-safe. Does nothing unless the table's mode is kAdapt.
class ShapeAdapter final : public LaunchWatch {
 public:
  // What is shared outlives this, and this what was watched.
  explicit ShapeAdapter(const DeviceShare& share, AdapterRules rules = {});
  ~ShapeAdapter() override;  // gives up what it tries
  ShapeAdapter(const ShapeAdapter&) = delete;
  ShapeAdapter& operator=(const ShapeAdapter&) = delete;

  std::shared_ptr<device::LaunchObserver> watch(Workload work) override;
  // Tries that have ended, with whatever result. Blocks until there are so many, at most so long.
  bool wait_for_tries(int tries, Duration longest);

 private:
  using Drift = tuning::DriftWatch::Drift;

  void run(const std::stop_token& stop);
  void learn_table();
  void on_launch(const tuning::TunedPlace& place, tuning::DriftWatch::Launch launch,
                 const std::shared_ptr<const Workload>& work);
  Status try_neighbours(const Drift& drift, const Workload& work);
  // The batch of the workload in which the place's launches occur. NOT_FOUND: none.
  StatusOr<TuneSubject> subject_of(const Drift& drift, const Workload& work, TimePoint until);

  const DeviceShare share_;
  const AdapterRules rules_;
  Preparing preparing_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  tuning::DriftWatch drifts_;
  std::map<tuning::TunedPlace, std::shared_ptr<const Workload>> works_;  // the newest that launched it
  bool has_drift_ = false;                                               // to be looked at
  int tries_ = 0;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace weft::worker
