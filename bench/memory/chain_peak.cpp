// SPDX-License-Identifier: Apache-2.0
#include "bench/memory/chain_peak.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "server/device/device.h"
#include "server/graph/analysis.h"
#include "server/graph/pipeline.h"

namespace weft::bench {
namespace {

constexpr int kLeastMeasured = 16;  // units that an analysis measures

using graph::Network;
using graph::Pipeline;

// Fills a unit. The rows of pictures have a pattern that moves from unit to unit, so that analyses
// see pictures that change; each byte is small enough for samples of two bytes.
void draw(const graph::PortLayout& layout, const graph::StagedUnit& unit, int number) {
  const graph::PortFormat& format = layout.format;
  if (format.kind != graph::PortKind::kPicture) {
    std::memset(unit.data[0], 0, layout.unit_bytes);
    return;
  }
  for (int plane = 0; plane < format.video.planes(); plane++) {
    const size_t bytes = size_t(format.video.plane_width(plane)) * size_t(format.video.sample_bytes());
    for (int row = 0; row < format.video.plane_height(plane); row++)
      std::memset(unit.data[plane] + ptrdiff_t(row) * unit.stride_bytes[plane], 1 + (row / 8 + number) % 3,
                  bytes);
  }
}

class ChainRun {
 public:
  ChainRun(device::Device& device, const MemoryCase& subject, int units)
      : device_(device), subject_(subject), units_(units), before_(device.memory_used_by_all_bytes()) {
    // On a device in software, a long unit would be divided into portions, and its batch has one
    // unit. The plan is that of a device with memory of its own.
    options_.most_bytes = subject.most_bytes;
    options_.plan = subject.options;
    options_.plan.whole_units = true;
  }

  StatusOr<MemoryFigures> run() {
    if (subject_.texture) {
      ASSIGN_OR_RETURN(const worker::TextureNetworkNeeds needs, network_needs_of(*subject_.texture));
      figures_.planned_bytes = needs.device_bytes;
      ASSIGN_OR_RETURN(Network network, subject_.texture->network({.device = &device_}));
      RETURN_IF_ERROR(run_network(std::move(network), units_).status());
    } else {
      ASSIGN_OR_RETURN(const worker::ChainMemory memory,
                       worker::memory_of(subject_.chain, subject_.options, subject_.most_bytes));
      figures_.planned_bytes = memory.device_bytes.front();
      RETURN_IF_ERROR(run_chain());
    }
    figures_.peak_bytes = int64_t(device_.memory_use(device::MemoryKind::kDevice).peak_bytes);
    return figures_;
  }

 private:
  // Runs the analyses until the chain needs none, then the pictures.
  Status run_chain() {
    worker::DeviceLoop loop;
    filters::DeviceCaches caches;
    const worker::DeviceShare share{device_, loop, caches};
    worker::Chain chain = subject_.chain;
    while (true) {
      ASSIGN_OR_RETURN(Network network, chain.expand(share));
      RETURN_IF_ERROR(graph::prepare(device_, network));
      const int units = chain.needs_analysis ? std::max(units_, kLeastMeasured) : units_;
      ASSIGN_OR_RETURN(const std::vector<std::byte> records, run_network(std::move(network), units));
      if (!chain.needs_analysis) return ok_status();
      ASSIGN_OR_RETURN(chain, worker::decide(chain, share, records));
    }
  }

  // Returns the records of an analysis, as decide() takes them.
  StatusOr<std::vector<std::byte>> run_network(Network network, int units) {
    ASSIGN_OR_RETURN(const auto pipeline, Pipeline::make(device_, std::move(network), options_));
    note_driver();
    figures_.batch = pipeline->batch();
    std::vector<std::byte> records;
    for (int unit = 0; unit < units; unit++) {
      while (!pipeline->has_capacity()) RETURN_IF_ERROR(move_on(*pipeline, records));
      ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline->stage());
      draw(pipeline->plan().ports[0].layout, staged, unit);
      pipeline->push({.pts = unit, .duration = 1, .interlaced = true, .top_field_first = true});
      if (pipeline->ready() >= pipeline->max_units()) pipeline->submit(pipeline->max_units());
    }
    pipeline->finish();
    while (!pipeline->is_empty()) RETURN_IF_ERROR(move_on(*pipeline, records));
    note_driver();
    return records;
  }

  static Status move_on(Pipeline& pipeline, std::vector<std::byte>& records) {
    if (pipeline.ready() > 0 && pipeline.submit(pipeline.ready()) > 0) return ok_status();
    ASSIGN_OR_RETURN(const std::optional<graph::OutputUnit> unit, pipeline.pop());
    if (!unit || pipeline.target_format().kind != graph::PortKind::kBytes) return ok_status();
    const graph::RecordTimes times{unit->time.pts, unit->time.duration};
    const std::span<const std::byte> begin = std::as_bytes(std::span(&times, 1));
    records.insert(records.end(), begin.begin(), begin.end());
    records.insert(records.end(), unit->data[0], unit->data[0] + pipeline.target_format().bytes);
    return ok_status();
  }

  // The driver's figure is highest while a pipeline exists: its buffers are made at once.
  void note_driver() {
    const std::optional<size_t> used = device_.memory_used_by_all_bytes();
    if (!used || !before_) return;
    figures_.driver_bytes = std::max(figures_.driver_bytes.value_or(0), int64_t(*used) - int64_t(*before_));
  }

  device::Device& device_;
  const MemoryCase& subject_;
  const int units_;
  const std::optional<size_t> before_;
  graph::PipelineOptions options_;
  MemoryFigures figures_;
};

}  // namespace

StatusOr<MemoryFigures> measure_memory(const std::string& device, const MemoryCase& subject, int units) {
  ASSIGN_OR_RETURN(const std::unique_ptr<device::Device> opened,
                   device::open_device(std::string_view(device)));
  RETURN_IF_ERROR(device::self_test(*opened));
  return ChainRun(*opened, subject, units).run();
}

}  // namespace weft::bench
