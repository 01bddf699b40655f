// SPDX-License-Identifier: Apache-2.0
// What a device did, sample by sample.
#pragma once

#include <deque>
#include <optional>

#include "client_gui/connection/values.h"

namespace weft::gui {

inline constexpr size_t kMostSamples = 3600;  // that are kept of a device: an hour

class DeviceHistory {
 public:
  // A sample of the newest one's time is that one again. One of an earlier time says that the server's clock was set back: what
  // was known is dropped.
  void add(DeviceSampleRow sample);

  // By time; no two overlap, but there may be gaps.
  const std::deque<DeviceSampleRow>& samples() const { return samples_; }
  // What was done between two times, on average over what of that is known (its interval says how much); nothing where nothing
  // is.
  std::optional<DeviceSampleRow> average(double from, double to) const;

 private:
  std::deque<DeviceSampleRow> samples_;
};

}  // namespace weft::gui
