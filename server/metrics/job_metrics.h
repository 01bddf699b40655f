// SPDX-License-Identifier: Apache-2.0
// Jobs as counters and histograms, made of the changes that the queue tells its watches.
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

// One thread at a time; scrapes may run meanwhile.
class JobMetrics {
 public:
  explicit JobMetrics(prometheus::Registry& registry);

  // A job as it is after a change of its state, in the order of changes. Changes may be missing.
  void changed(const v1::Job& job);
  // Changes were missed: what was running is not known any more.
  void missed();

 private:
  void started(const v1::Job& job);
  void ended(const v1::Job& job);

  std::unordered_map<std::string, int> running_;  // the attempt of each job that was seen running

  prometheus::Family<prometheus::Histogram>& wait_;
  prometheus::Family<prometheus::Counter>& attempts_;
  prometheus::Family<prometheus::Counter>& ended_;
  prometheus::Family<prometheus::Counter>& units_;
  prometheus::Family<prometheus::Counter>& gpu_seconds_;
  prometheus::Family<prometheus::Histogram>& run_;
  prometheus::Counter& missed_;
};

}  // namespace weft::metrics
