// SPDX-License-Identifier: Apache-2.0
// Histograms as they travel to the daemon.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "weft/v1/schedule.pb.h"

namespace weft::worker {

// Empty. `bounds` rise.
inline v1::Histogram make_histogram(std::span<const double> bounds) {
  v1::Histogram histogram;
  histogram.mutable_bounds()->Add(bounds.begin(), bounds.end());
  histogram.mutable_counts()->Resize(int(bounds.size()) + 1, 0);
  return histogram;
}

inline void add(v1::Histogram& histogram, double value) {
  const auto& bounds = histogram.bounds();
  const auto place = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
  histogram.set_counts(int(place), histogram.counts(int(place)) + 1);
  histogram.set_sum(histogram.sum() + value);
}

// Of the same bounds.
inline void add(v1::Histogram& histogram, const v1::Histogram& other) {
  for (int i = 0; i < histogram.counts_size(); i++)
    histogram.set_counts(i, histogram.counts(i) + other.counts(i));
  histogram.set_sum(histogram.sum() + other.sum());
}

// What was counted so far; counting begins anew.
inline v1::Histogram take(v1::Histogram& histogram) {
  const auto bounds = histogram.bounds();
  return std::exchange(histogram, make_histogram({bounds.data(), size_t(bounds.size())}));
}

}  // namespace weft::worker
