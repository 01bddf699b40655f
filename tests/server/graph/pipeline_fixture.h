// SPDX-License-Identifier: Apache-2.0
// Fixture of pipelines of nodes that copy parts of units, on the CPU device.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "tests/server/graph/random_network.h"

namespace weft::graph {

inline Network network_of(std::vector<std::unique_ptr<Node>> chain) {
  Network network;
  Port port = network.set_source(PortFormat::data("test", kUnitBytes));
  for (std::unique_ptr<Node>& node : chain) port = network.add(std::move(node), {port}).value();
  EXPECT_THAT(network.set_outputs({port}), IsOk());
  return network;
}
inline Network around(int portions = 1, TestRule rule = {}) {
  std::vector<std::unique_ptr<Node>> chain;
  chain.push_back(std::make_unique<Parts>(std::vector<Parts::Offsets>{{-1, 1}}, std::move(rule), portions));
  return network_of(std::move(chain));
}

class PipelineTest : public testing::Test {
 protected:
  void SetUp() override { open({}); }

  // Opens the CPU device with `memory_bytes` as its memory size; 0: the real size.
  void open(size_t memory_bytes) {
    const std::vector<device::DeviceInfo> infos = device::list_devices_and_twins(nullptr);
    device::DeviceInfo info = *std::ranges::find(infos, device::BackendKind::kCpu, &device::DeviceInfo::kind);
    if (memory_bytes != 0) info.memory_bytes = memory_bytes;
    auto opened = device::open_device(info);
    ASSERT_THAT(opened, IsOk());
    device_ = *std::move(opened);
  }

  static void push(Pipeline& pipeline, const Unit& unit, FrameInfo info = {}) {
    const auto staged = pipeline.stage();
    ASSERT_THAT(staged, IsOk());
    std::ranges::copy(unit, staged->data[0]);
    pipeline.push(info);
  }
  static void push(Pipeline& pipeline, int value) {
    push(pipeline, Unit(kUnitBytes, std::byte(value)), {.pts = value});
  }

  std::unique_ptr<device::Device> device_;
};

}  // namespace weft::graph
