// SPDX-License-Identifier: Apache-2.0
// yadif, byte for byte FFmpeg's.
#include "kernels/video/yadif.kernel"

#include "server/filters/frame_kernel.h"

namespace weft::filters::registered {
namespace {

using Params = kernels::yadif::Params;

constexpr FilterDescriptor kDescriptor = {
    .name = "yadif",
    .summary = "Edge-directed interpolation bounded by the neighbouring fields.",
    .window = {.before = 1, .after = 1},
    .outputs_per_frame = 2,
};

StatusOr<std::unique_ptr<Filter>> make(device::Device& device, const VideoFormat& format,
                                       const v1::DeinterlaceOptions& options) {
  using Parts = FrameFilter<Params>::Parts;
  return make_frame_filter<Params>(
      device, Parts{kDescriptor, format, options}, [](const Parts& parts, Params& params) {
        const v1::YadifOptions& yadif = parts.options.yadif();
        params.spatial_check = !yadif.has_spatial_check() || yadif.spatial_check() ? 1 : 0;
      });
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}, 0xdc10f31d067fe04e},
    {"yadif { spatial_check: false } parity: PARITY_BOTTOM", {64, 48, Chroma::k422, 10}, 0xfb465834d44fd675},
    {"frames: FRAME_SELECTION_FLAGGED rate: OUTPUT_RATE_FRAME",
     {37, 50, Chroma::k444, 16},
     0x3d3375613074079f},
};

}  // namespace

extern const Registration kYadif;
const Registration kYadif = {kDescriptor, make, kCases, {}};

}  // namespace weft::filters::registered
