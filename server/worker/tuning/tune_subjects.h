// SPDX-License-Identifier: Apache-2.0
// Provides workloads for tuning kernels: the cases of filters on frames and on images, and texture
// upsampling.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/filter.h"
#include "server/graph/network.h"

namespace weft::worker {

// A network with synthetic source units, and the number of units in a batch.
struct TuneSubject {
  std::string name;  // for messages, such as "bwdif (1920x1080, 8 bits)"
  // returns the network, not prepared
  std::function<StatusOr<graph::Network>(filters::FilterContext)> expand;
  int batch = 1;
  bool is_still = false;  // whether units are independent, so that checking one is sufficient

  std::string describe() const;  // returns, for example, "bwdif (1920x1080, 8 bits), batches of 4"
};

struct TuneSize {
  int width = 0, height = 0;
  int most_units = 4;  // limit for the units of a batch
};
// Returns 1920x1080; for a software device 352x288 with one unit in a batch. (Four units would take
// four times as long; their launches use the entry of the nearest size class.)
TuneSize tune_size(const device::DeviceInfo& info);

// Returns the cases of these filters on frames and on images. An empty list selects all filters,
// and textures. NOT_FOUND: a filter does not exist.
StatusOr<std::vector<TuneSubject>> tune_subjects(const std::vector<std::string>& filters, TuneSize size);

}  // namespace weft::worker
