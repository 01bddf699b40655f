// SPDX-License-Identifier: Apache-2.0
// Implements a node that computes weights of blocks and then launches one kernel that uses them.
#pragma once

#include <functional>
#include <utility>

#include "server/filters/motion/weights.h"

namespace weft::filters::motion {

// `Params` has FRAME_PARAMS, `geometry`, `weights` and `fields`, and the fields set by `complete`.
template <class Params>
class WeightedNode final : public Node {
 public:
  struct Parts {
    NodeDescriptor descriptor;
    Constants words;  // constants of the geometry
    BlockWeights weights;
    const device::Kernel* kernel = nullptr;
    int run = 1;
    std::function<void(const BlockWeights& weights, device::Stream& stream, const Step& step)> weigh;
    std::function<void(const Step& step, Params& params)> complete;
  };

  explicit WeightedNode(Parts parts) : parts_(std::move(parts)) {}

  const NodeDescriptor& descriptor() const override { return parts_.descriptor; }
  size_t scratch_bytes(int units) const override { return parts_.weights.scratch_bytes(units); }
  void enqueue(device::Stream& stream, const Step& step) override {
    parts_.weigh(parts_.weights, stream, step);
    auto params = frame_params<Params>(step, parts_.run);
    params.geometry = device::at<decltype(Params::geometry)>(*parts_.words);
    params.weights =
        device::at<decltype(Params::weights)>(*step.scratch, parts_.weights.weights_offset(step.units));
    params.fields = parts_.weights.fields();
    parts_.complete(step, params);
    stream.launch(*parts_.kernel, picture_grid(step.outputs[0]->format.video, step.units, parts_.run),
                  params);
  }

 private:
  Parts parts_;
};

}  // namespace weft::filters::motion
