// SPDX-License-Identifier: Apache-2.0
// Provides histograms in the form of the messages to the daemon.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "weft/v1/schedule.pb.h"

namespace weft::worker {

// Returns an empty histogram. `bounds` are in ascending order.
inline v1::Histogram make_histogram(std::span<const double> bounds) {
  v1::Histogram histogram;
  histogram.mutable_bounds()->Add(bounds.begin(), bounds.end());
  histogram.mutable_counts()->Resize(int(bounds.size()) + 1, 0);
  return histogram;
}

inline void add(v1::Histogram& histogram, double value) {
  const auto& bounds = histogram.bounds();
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
  histogram.set_counts(int(bucket), histogram.counts(int(bucket)) + 1);
  histogram.set_sum(histogram.sum() + value);
}

// Adds a histogram with the same bounds to `histogram`.
inline void add(v1::Histogram& histogram, const v1::Histogram& other) {
  for (int i = 0; i < histogram.counts_size(); i++)
    histogram.set_counts(i, histogram.counts(i) + other.counts(i));
  histogram.set_sum(histogram.sum() + other.sum());
}

// Returns the histogram and resets its counts.
inline v1::Histogram take(v1::Histogram& histogram) {
  const auto bounds = histogram.bounds();
  return std::exchange(histogram, make_histogram({bounds.data(), size_t(bounds.size())}));
}

}  // namespace weft::worker
