// SPDX-License-Identifier: Apache-2.0
// Measures the device memory of a chain of filters: the plan's bytes, the peak of the device's
// buffers, and the growth of the driver's figure.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "server/worker/job/chain.h"
#include "server/worker/texture/texture_plan.h"

namespace weft::bench {

struct MemoryCase {
  std::string name;  // "qtgmc, 1920x1080 10 bit"
  worker::Chain chain{};
  std::optional<worker::TexturePlan> texture{};  // in place of the chain
  graph::PlanOptions options{};
  size_t most_bytes = 0;  // PipelineOptions::most_bytes
};

struct MemoryFigures {
  int64_t planned_bytes = 0;
  int64_t peak_bytes = 0;  // bytes of all buffers in device memory at their peak
  // growth of the memory in use by all programs; absent: the driver does not report it
  std::optional<int64_t> driver_bytes{};
  int batch = 0;  // units of a batch of the pictures
};

// Runs the pipelines of a case one after the other on a newly opened device, as a job does: the
// preparation, the analyses, and the pictures. Each pipeline filters `units` units, that of an
// analysis at least 16.
StatusOr<MemoryFigures> measure_memory(const std::string& device, const MemoryCase& subject, int units);

}  // namespace weft::bench
