// SPDX-License-Identifier: Apache-2.0
// What kernels are tuned by: filters' cases on frames and on images, and what a texture goes through.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"
#include "server/graph/network.h"
#include "server/worker/device/device_share.h"

namespace weft::worker {

// A network, on units of its source's format, so many in a batch.
struct TuneSubject {
  std::string name;  // for messages: "bwdif (1920x1080, 8 bits)"
  std::function<StatusOr<graph::Network>(const DeviceShare&)> expand;  // not prepared
  int batch = 1;
  bool is_still = false;  // units have nothing to do with each other, so that one says it all

  std::string describe() const;  // "bwdif (1920x1080, 8 bits), batches of 4"
};

struct TuneSize {
  int width = 0, height = 0;
  int most_units = 4;  // of a batch
};
// 1920x1080; of a device in software 352x288 and a unit at a time: four take it four times as long, and are of the nearest class.
TuneSize tune_size(const device::DeviceInfo& info);

// The cases of these filters, on frames and on images; empty: of all, and textures. NOT_FOUND: there is no such filter.
StatusOr<std::vector<TuneSubject>> tune_subjects(const std::vector<std::string>& filters, TuneSize size);

}  // namespace weft::worker
