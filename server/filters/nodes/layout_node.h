// SPDX-License-Identifier: Apache-2.0
// Runs a kernel on frames of several formats. The kernel reads the layouts of the frames
// (kernels/video/frames.h) and can have constants in device memory.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "server/filters/nodes/picture_node.h"

namespace weft::filters {

using Constants = std::shared_ptr<const device::Buffer>;

// Copies `bytes` to device memory for nodes and waits for the copy. RESOURCE_EXHAUSTED: the device
// has no memory for them.
StatusOr<Constants> make_constants(device::Device& device, std::span<const std::byte> bytes);
// Copies `bytes` to the memory of the context's device. Returns null without a device.
StatusOr<Constants> make_constants(const FilterContext& context, std::span<const std::byte> bytes);
template <class T>
StatusOr<Constants> make_constants_of(const FilterContext& context, std::span<const T> values) {
  return make_constants(context, std::as_bytes(values));
}

// Returns the grid of lanes for `units` units of a port: all planes, each row divided into runs of
// `run` elements.
device::Grid grid_of(const PortFormat& format, int units, int run);
// Returns the bytes of an element of the kernel's arena: a sample of a picture, or a pixel.
int element_bytes(const PortFormat& format);
// Returns the name of the element's type in kernels: "uint8_t" or "uint16_t" for a sample, and
// "uvec2" or "uvec4" for a pixel, which kernels only move.
std::string_view element_name(const PortFormat& format);

// Launches one kernel once, with SLOT_PARAMS, layouts, and the fields set by `complete`. The grid
// covers the first output.
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
    set_slot_params(step, parts_.run, element_bytes(step.inputs[0]->format), params);
    params.layouts = device::at<decltype(Params::layouts)>(*step.layouts, step.layouts_offset_bytes);
    parts_.complete(step, params);
    stream.launch(*parts_.kernel, grid_of(step.outputs[0]->format, step.units, parts_.run), params);
  }

 private:
  Parts parts_;
};

// Adds a LayoutNode with the kernel of that name.
template <class Params>
StatusOr<Port> add_layout_node(const FilterContext& context, Network& network,
                               std::initializer_list<Port> inputs, std::string_view kernel,
                               typename LayoutNode<Params>::Parts parts) {
  ASSIGN_OR_RETURN(parts.kernel, context.load(kernel));
  parts.run = run_of(context);
  return network.add(std::make_unique<LayoutNode<Params>>(std::move(parts)), inputs);
}

}  // namespace weft::filters
