// SPDX-License-Identifier: Apache-2.0
#include "server/filters/cadence/select.h"

#include <utility>

namespace weft::filters {

namespace {

class Select final : public Node {
 public:
  Select(const PortFormat& format, std::shared_ptr<const FrameMap> map) {
    descriptor_.name = "select";
    descriptor_.inputs = {Window()};
    descriptor_.outputs = {format};
    descriptor_.rule = by_map(std::move(map));
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      stream.copy(*step.arena, step.output_offset(0, unit), *step.arena, step.input_offset(0, unit),
                  step.outputs[0]->unit_bytes);
  }

 private:
  NodeDescriptor descriptor_;
};

}  // namespace

StatusOr<Port> add_select(Network& network, Port pictures, std::shared_ptr<const FrameMap> map) {
  return network.add(std::make_unique<Select>(network.format(pictures), std::move(map)), {pictures});
}

}  // namespace weft::filters
