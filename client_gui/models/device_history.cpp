// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/device_history.h"

#include <algorithm>

namespace weft::gui {

void DeviceHistory::add(DeviceSampleRow sample) {
  if (!samples_.empty()) {
    const double last = samples_.back().time;
    if (sample.time == last) return;
    if (sample.time < last)
      samples_.clear();
    else
      sample.interval = std::min(sample.interval, sample.time - last);
  }
  samples_.push_back(sample);
  if (samples_.size() > kMostSamples) samples_.pop_front();
}

std::optional<DeviceSampleRow> DeviceHistory::average(double from, double to) const {
  const auto first =
      std::upper_bound(samples_.begin(), samples_.end(), from,
                       [](double time, const DeviceSampleRow& sample) { return time < sample.time; });
  DeviceSampleRow sum;
  sum.time = to;
  for (auto sample = first; sample != samples_.end(); ++sample) {
    const double part = std::min(to, sample->time) - std::max(from, sample->time - sample->interval);
    if (part <= 0) break;
    sum.interval += part;
    sum.realtime += part * sample->realtime;
    sum.normal += part * sample->normal;
    sum.spare += part * sample->spare;
    sum.external_load += part * sample->external_load;
    sum.left += part * sample->left;
    sum.budget += part * sample->budget;
  }
  if (sum.interval <= 0) return std::nullopt;
  for (double* each : {&sum.realtime, &sum.normal, &sum.spare, &sum.external_load, &sum.left, &sum.budget})
    *each /= sum.interval;
  return sum;
}

}  // namespace weft::gui
