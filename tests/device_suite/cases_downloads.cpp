// SPDX-License-Identifier: Apache-2.0
// Cases of pipeline results that stay in device memory, and of a consumer that reads them there.
#include <algorithm>
#include <deque>

#include "server/graph/pipeline.h"
#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

constexpr size_t kUnitBytes = 4096;

graph::Network copying_network() {
  graph::Network network;
  const graph::Port source = network.set_source(graph::PortFormat::data("test", kUnitBytes));
  EXPECT_THAT(network.set_outputs({source}), IsOk());
  return network;
}

std::vector<uint8_t> unit_of(int number) {
  std::vector<uint8_t> unit(kUnitBytes);
  for (size_t i = 0; i < kUnitBytes; i++) unit[i] = uint8_t(size_t(number) * 7 + i);
  return unit;
}

// The consumer holds three units, as an encoder does. It copies each to a second pipeline on its
// own stream before it releases the unit.
DEVICE_CASE(ResultsAreReadOnTheDevice) {
  constexpr int kUnits = 20;
  constexpr size_t kHeld = 3;
  // Slots for units that are held, that are ready, and that are lent to the reader.
  constexpr int kSlots = int(kHeld) + 1 + graph::Pipeline::kMostLent;
  const auto make = [&](bool device_output) {
    return graph::Pipeline::make(bench.device(), copying_network(),
                                 {.plan = {.batch = 2, .held = kSlots, .device_output = device_output}})
        .value();
  };
  const auto producer = make(true), reader = make(false);
  std::deque<graph::OutputUnit> held;
  std::vector<std::vector<uint8_t>> read;
  int pushed = 0;
  const auto consume = [&] {
    graph::OutputUnit unit = std::move(held.front());
    held.pop_front();
    while (!reader->has_capacity() || reader->ready() >= 2) {
      reader->submit(2);
      if (auto popped = reader->pop().value())
        read.emplace_back(reinterpret_cast<const uint8_t*>(popped->data[0]),
                          reinterpret_cast<const uint8_t*>(popped->data[0]) + kUnitBytes);
    }
    EXPECT_EQ(unit.data[0], nullptr);
    graph::DeviceUnit lent = unit.device;
    lent.owner = std::make_shared<graph::OutputUnit>(std::move(unit));
    EXPECT_THAT(reader->push({}, std::move(lent)), IsOk());
  };
  while (!producer->is_empty()) {
    while (pushed < kUnits && producer->has_capacity()) {
      const std::vector<uint8_t> unit = unit_of(pushed);
      std::ranges::copy(unit, reinterpret_cast<uint8_t*>(producer->stage().value().data[0]));
      producer->push({.pts = pushed++});
    }
    if (pushed == kUnits && !producer->is_submitted()) producer->finish();
    producer->submit(2);
    if (auto unit = producer->pop().value()) held.push_back(*std::move(unit));
    while (held.size() > kHeld) consume();
  }
  while (!held.empty()) consume();
  reader->finish();
  while (!reader->is_empty()) {
    reader->submit(2);
    if (auto popped = reader->pop().value())
      read.emplace_back(reinterpret_cast<const uint8_t*>(popped->data[0]),
                        reinterpret_cast<const uint8_t*>(popped->data[0]) + kUnitBytes);
  }
  ASSERT_EQ(read.size(), size_t{kUnits});
  for (int i = 0; i < kUnits; i++) EXPECT_EQ(read[size_t(i)], unit_of(i)) << i;
}

// The pictures are counted as memory of the device.
DEVICE_CASE(ResultsOnTheDeviceAreCountedAsItsMemory) {
  const size_t before = bench.device().memory_use(MemoryKind::kDevice).bytes;
  const auto pipeline =
      graph::Pipeline::make(bench.device(), copying_network(), {.plan = {.device_output = true}}).value();
  const graph::Plan& plan = pipeline->plan();
  EXPECT_EQ(bench.device().memory_use(MemoryKind::kDevice).bytes - before, plan.device_bytes());
  EXPECT_GE(plan.device_bytes(), plan.arena_bytes + plan.picture_bytes(0));
}

}  // namespace
}  // namespace weft::device::suite
