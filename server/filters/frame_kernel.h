// SPDX-License-Identifier: Apache-2.0
// What the filters of video/ share: a kernel in the two sample sizes, its common parameters, and the launch.
#pragma once

#include <string>
#include <utility>

#include "server/filters/filter.h"

namespace weft::filters {

// The kernel's variant for the format's samples: "video/bwdif" is loaded as "video/bwdif.uint8_t".
inline StatusOr<const device::Kernel*> load_frame_kernel(device::Device& device, std::string_view name,
                                                         const VideoFormat& format) {
  return device.load(std::string(name) + (format.sample_bytes() == 2 ? ".uint16_t" : ".uint8_t"));
}

// Samples of a row that a lane works on. A CPU lane takes the whole row, in loops that vectorise; on a GPU neighbours
// in a row are neighbouring lanes.
inline int run_of(const device::DeviceInfo& device) {
  return device.kind == device::DeviceKind::kCpu ? kMaxPictureSide : 1;
}

// Fills the parameters of FRAME_PARAMS (kernels/video/frames.h).
template <class Params>
Params frame_params(const Batch& batch, int run) {
  using Plane = decltype(Params::source);
  using Table = decltype(Params::table);
  const FrameLayout& source = batch.source.layout;
  const FrameLayout& target = batch.target.layout;
  const auto samples = [&](size_t bytes) { return int(bytes / size_t(source.format.sample_bytes())); };
  Params params = {};
  params.source = device::at<Plane>(*batch.source.buffer, batch.source.offset_bytes);
  params.target = device::at<Plane>(*batch.target.buffer, batch.target.offset_bytes);
  params.table = device::at<Table>(*batch.table, batch.table_offset_bytes);
  params.source_frame = samples(source.frame_bytes);
  params.target_frame = samples(target.frame_bytes);
  params.source_plane_1 = samples(source.planes[1].offset_bytes);
  params.source_plane_2 = samples(source.planes[2].offset_bytes);
  params.target_plane_1 = samples(target.planes[1].offset_bytes);
  params.target_plane_2 = samples(target.planes[2].offset_bytes);
  params.source_stride = samples(size_t(source.planes[0].stride_bytes));
  params.source_chroma_stride = samples(size_t(source.planes[1].stride_bytes));
  params.target_stride = samples(size_t(target.planes[0].stride_bytes));
  params.target_chroma_stride = samples(size_t(target.planes[1].stride_bytes));
  params.width = source.planes[0].width;
  params.height = source.planes[0].height;
  params.chroma_width = source.planes[1].width;
  params.chroma_height = source.planes[1].height;
  params.planes = source.format.planes();
  params.maximum = (1 << source.format.bit_depth) - 1;
  params.run = run;
  return params;
}

// All planes and frames of the batch at once.
inline device::Grid frame_grid(const Batch& batch, int run) {
  const VideoFormat& format = batch.source.layout.format;
  return {uint32_t((format.width + run - 1) / run), uint32_t(format.height),
          uint32_t(batch.count * format.planes())};
}

// A filter that is one launch of one kernel. `Params` has FRAME_PARAMS and what `complete` fills in.
template <class Params>
class FrameFilter final : public Filter {
 public:
  struct Parts {
    FilterDescriptor descriptor;
    VideoFormat format;
    v1::DeinterlaceOptions options;
    const device::Kernel* kernel = nullptr;
    int run = 1;
  };

  FrameFilter(Parts parts, void (*complete)(const Parts& parts, Params& params))
      : parts_(std::move(parts)), complete_(complete) {
    parts_.descriptor.outputs_per_frame = parts_.options.rate() == v1::OUTPUT_RATE_FIELD ? 2 : 1;
    parts_.descriptor.cost.frames_written = parts_.descriptor.outputs_per_frame;
  }

  const FilterDescriptor& descriptor() const override { return parts_.descriptor; }
  const VideoFormat& source_format() const override { return parts_.format; }
  const VideoFormat& target_format() const override { return parts_.format; }
  OutputRule output_rule() const override { return rule_of(parts_.options); }

  void enqueue(device::Stream& stream, const Batch& batch) override {
    Params params = frame_params<Params>(batch, parts_.run);
    complete_(parts_, params);
    stream.launch(*parts_.kernel, frame_grid(batch, parts_.run), params);
  }

 private:
  Parts parts_;
  void (*complete_)(const Parts& parts, Params& params);
};

// The `make` of such a filter.
template <class Params>
StatusOr<std::unique_ptr<Filter>> make_frame_filter(
    device::Device& device, typename FrameFilter<Params>::Parts parts,
    void (*complete)(const typename FrameFilter<Params>::Parts& parts, Params& params)) {
  ASSIGN_OR_RETURN(parts.kernel,
                   load_frame_kernel(device, "video/" + std::string(parts.descriptor.name), parts.format));
  parts.run = run_of(device.info());
  return std::unique_ptr<Filter>(std::make_unique<FrameFilter<Params>>(std::move(parts), complete));
}

// The same for a kernel that needs nothing beside the frames, as a registration takes it.
template <class Params, const FilterDescriptor& descriptor>
StatusOr<std::unique_ptr<Filter>> make_plain_filter(device::Device& device, const VideoFormat& format,
                                                    const v1::DeinterlaceOptions& options) {
  using Parts = typename FrameFilter<Params>::Parts;
  return make_frame_filter<Params>(device, Parts{descriptor, format, options}, [](const Parts&, Params&) {});
}

}  // namespace weft::filters
