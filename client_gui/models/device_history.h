// SPDX-License-Identifier: Apache-2.0
// Stores samples of a device's use over time.
#pragma once

#include <deque>
#include <optional>

#include "client_gui/connection/values.h"

namespace weft::gui {

inline constexpr size_t kMostSamples = 3600;  // limit per device: one hour

class DeviceHistory {
 public:
  // Adds a sample. A sample with the time of the newest one is ignored. An earlier time means that
  // the server's clock was set back, and removes all earlier samples.
  void add(DeviceSampleRow sample);

  // Returns the samples in the order of time. Their intervals do not overlap; gaps are possible.
  const std::deque<DeviceSampleRow>& samples() const { return samples_; }
  // Returns the average of the samples between two times; its interval is the time that samples
  // cover. Returns nothing if they cover none.
  std::optional<DeviceSampleRow> average(double from, double to) const;

 private:
  std::deque<DeviceSampleRow> samples_;
};

}  // namespace weft::gui
