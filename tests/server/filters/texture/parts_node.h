// SPDX-License-Identifier: Apache-2.0
// Splits a unit into three ports, so that a network with one source has three ports.
#pragma once

#include <array>
#include <cstddef>

#include "server/filters/engine.h"
#include "server/graph/node.h"

namespace weft::filters::texture {

// Three parts of a unit, as ports of their own.
class PartsNode final : public Node {
 public:
  explicit PartsNode(const std::array<size_t, 3>& bytes) {
    descriptor_.name = "parts";
    descriptor_.inputs.resize(1);
    for (const size_t part : bytes) descriptor_.outputs.push_back(PortFormat::data("texels", part));
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++) {
      size_t from = step.input_offset(0, unit);
      for (int part = 0; part < 3; part++) {
        const size_t bytes = descriptor_.outputs[size_t(part)].bytes;
        stream.copy(*step.arena, step.output_offset(part, unit), *step.arena, from, bytes);
        from += bytes;
      }
    }
  }

 private:
  NodeDescriptor descriptor_;
};

}  // namespace weft::filters::texture
