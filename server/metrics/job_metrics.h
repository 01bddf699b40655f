// SPDX-License-Identifier: Apache-2.0
// Exports counters and histograms of jobs, from the queue's change events.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "weft/v1/job.pb.h"

namespace weft::metrics {

// One thread at a time may call it; scrapes may run concurrently.
class JobMetrics {
 public:
  explicit JobMetrics(prometheus::Registry& registry);

  // Updates the metrics after a change of a job's state. Changes arrive in order, and some may be
  // missing.
  void changed(const v1::Job& job);
  // Records that changes were missed; the set of running jobs is then unknown.
  void missed();

 private:
  void started(const v1::Job& job);
  void ended(const v1::Job& job);

  // number of the attempt of each job that was running at its last change
  std::unordered_map<std::string, int> running_;

  prometheus::Family<prometheus::Histogram>& wait_;
  prometheus::Family<prometheus::Counter>& attempts_;
  prometheus::Family<prometheus::Counter>& ended_;
  prometheus::Family<prometheus::Counter>& units_;
  prometheus::Family<prometheus::Counter>& gpu_seconds_;
  prometheus::Family<prometheus::Histogram>& run_;
  prometheus::Counter& missed_;
};

}  // namespace weft::metrics
