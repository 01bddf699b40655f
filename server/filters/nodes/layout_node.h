// SPDX-License-Identifier: Apache-2.0
// A node whose kernel's frames are of several formats: it reads where they lie from layouts (kernels/video/frames.h), and may have
// constants of its own in device memory.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "server/filters/nodes/picture_node.h"

namespace weft::filters {

using Constants = std::shared_ptr<const device::Buffer>;

// `bytes` in the device's memory, for nodes to read; waits for the copy. RESOURCE_EXHAUSTED: there is no room.
StatusOr<Constants> make_constants(device::Device& device, std::span<const std::byte> bytes);
// Likewise; null without a device.
StatusOr<Constants> make_constants(const FilterContext& context, std::span<const std::byte> bytes);
template <class T>
StatusOr<Constants> make_constants_of(const FilterContext& context, std::span<const T> values) {
  return make_constants(context, std::as_bytes(values));
}

// Lanes for a port's unit: a row in runs, all planes.
device::Grid grid_of(const PortFormat& format, int units, int run);
// Bytes of what the kernel's arena counts: a sample of a picture, or a pixel.
int element_bytes(const PortFormat& format);
// The kernels' name for it: "uint8_t", and of pixels, which are only moved, "uvec2" or "uvec4".
std::string_view element_name(const PortFormat& format);

// One launch of one kernel, with PLACE_PARAMS, layouts, and what `complete` fills in; the grid is the first output's.
template <class Params>
class LayoutNode final : public Node {
 public:
  struct Parts {
    NodeDescriptor descriptor;
    const device::Kernel* kernel = nullptr;
    int run = 1;
    Constants constants{};
    std::function<void(const Step& step, Params& params)> complete{};
  };

  explicit LayoutNode(Parts parts) : parts_(std::move(parts)) {}

  const NodeDescriptor& descriptor() const override { return parts_.descriptor; }
  void enqueue(device::Stream& stream, const Step& step) override {
    Params params = {};
    set_place_params(step, parts_.run, element_bytes(step.inputs[0]->format), params);
    params.layouts = device::at<decltype(Params::layouts)>(*step.layouts, step.layouts_offset_bytes);
    parts_.complete(step, params);
    stream.launch(*parts_.kernel, grid_of(step.outputs[0]->format, step.units, parts_.run), params);
  }

 private:
  Parts parts_;
};

// Adds such a node with the kernel of that name.
template <class Params>
StatusOr<Port> add_layout_node(const FilterContext& context, Network& network,
                               std::initializer_list<Port> inputs, std::string_view kernel,
                               typename LayoutNode<Params>::Parts parts) {
  ASSIGN_OR_RETURN(parts.kernel, context.load(kernel));
  parts.run = run_of(context);
  return network.add(std::make_unique<LayoutNode<Params>>(std::move(parts)), inputs);
}

}  // namespace weft::filters
