// SPDX-License-Identifier: Apache-2.0
// Contains the code shared by nodes of pictures: a kernel in the two sample sizes, its common
// parameters, and the launch.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "server/filters/filter.h"

namespace weft::filters {

// Returns the sample type of the format in kernels. A kernel is compiled for samples of one byte
// and of two bytes.
inline const char* sample_name(const VideoFormat& format) {
  return format.sample_bytes() == 2 ? "uint16_t" : "uint8_t";
}
// Loads the kernel's variant for the format's samples: "video/bwdif" is loaded as
// "video/bwdif.uint8_t".
inline StatusOr<const device::Kernel*> load_for(const FilterContext& context, std::string_view kernel,
                                                const VideoFormat& format) {
  return context.load(fmt::format("{}.{}", kernel, sample_name(format)));
}

// Returns the number of samples of a row that one lane processes. A CPU lane processes the whole
// row, in loops that vectorise. A GPU lane processes a few adjacent samples (`of_gpu`): they share
// the arithmetic of positions, and the lanes of a warp still read whole cache lines.
inline int run_of(const FilterContext& context, int of_gpu = 4) {
  const bool is_cpu = context.device != nullptr && context.device->info().kind == device::BackendKind::kCpu;
  return is_cpu ? kMaxPictureSide : of_gpu;
}

// Sets SLOT_PARAMS (kernels/video/frames.h), for samples of `sample_bytes` bytes.
template <class Params>
void set_slot_params(const Step& step, int run, int sample_bytes, Params& params) {
  params.arena = device::at<decltype(Params::arena)>(*step.arena);
  params.table = device::at<decltype(Params::table)>(*step.table, step.table_offset_bytes);
  params.row = step.shape->ints;
  params.source = step.shape->inputs[0];
  params.slot_samples = int(kSlotUnitBytes) / sample_bytes;
  params.run = run;
}

// Returns parameters with FRAME_PARAMS set from the format of the first input.
template <class Params>
Params frame_params(const Step& step, int run) {
  const FrameLayout& frame = step.inputs[0]->frame;
  const auto samples = [&](size_t bytes) { return int(bytes / size_t(frame.format.sample_bytes())); };
  Params params = {};
  set_slot_params(step, run, frame.format.sample_bytes(), params);
  params.plane_1 = samples(frame.planes[1].offset_bytes);
  params.plane_2 = samples(frame.planes[2].offset_bytes);
  params.stride = samples(size_t(frame.planes[0].stride_bytes));
  params.chroma_stride = samples(size_t(frame.planes[1].stride_bytes));
  params.width = frame.planes[0].width;
  params.height = frame.planes[0].height;
  params.chroma_width = frame.planes[1].width;
  params.chroma_height = frame.planes[1].height;
  params.planes = frame.format.planes();
  params.maximum = (1 << frame.format.bit_depth) - 1;
  return params;
}

// Returns parameters with `layouts` and SLOT_PARAMS set, for kernels of several formats. The arena
// is addressed in samples of the first input.
template <class Params>
Params layout_params(const Step& step, int run) {
  Params params = {};
  set_slot_params(step, run, step.inputs[0]->format.video.sample_bytes(), params);
  params.layouts = device::at<decltype(Params::layouts)>(*step.layouts, step.layouts_offset_bytes);
  return params;
}

// Returns the grid for all planes and units of a step, for pictures of this format.
inline device::Grid picture_grid(const VideoFormat& format, int units, int run) {
  return {uint32_t((format.width + run - 1) / run), uint32_t(format.height),
          uint32_t(units * format.planes())};
}

// Launches one kernel once, with FRAME_PARAMS and the fields set by `complete`.
template <class Params>
class FrameNode final : public Node {
 public:
  struct Parts {
    NodeDescriptor descriptor;
    const device::Kernel* kernel = nullptr;
    int run = 1;
    std::function<void(const Step& step, Params& params)> complete{};
  };

  explicit FrameNode(Parts parts) : parts_(std::move(parts)) {}

  const NodeDescriptor& descriptor() const override { return parts_.descriptor; }
  void enqueue(device::Stream& stream, const Step& step) override {
    Params params = frame_params<Params>(step, parts_.run);
    if (parts_.complete) parts_.complete(step, params);
    stream.launch(*parts_.kernel, picture_grid(step.outputs[0]->format.video, step.units, parts_.run),
                  params);
  }

 private:
  Parts parts_;
};

// Adds a FrameNode that reads `inputs`, with the variant of the kernel ("video/bob") for the
// samples of the first input. If `parts` has no outputs, the output has the format of the first
// input.
template <class Params>
StatusOr<Port> add_frame_node(const FilterContext& context, Network& network,
                              std::initializer_list<Port> inputs, std::string_view kernel,
                              typename FrameNode<Params>::Parts parts) {
  const VideoFormat& format = network.format(*inputs.begin()).video;
  if (parts.descriptor.outputs.empty()) parts.descriptor.outputs = {network.format(*inputs.begin())};
  ASSIGN_OR_RETURN(parts.kernel, load_for(context, kernel, format));
  parts.run = run_of(context);
  return network.add(std::make_unique<FrameNode<Params>>(std::move(parts)), inputs);
}

}  // namespace weft::filters
