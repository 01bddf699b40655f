// SPDX-License-Identifier: Apache-2.0
// Registers yadif, with the same bytes as FFmpeg.
#include "kernels/video/yadif.kernel"

#include "server/filters/deinterlace/deinterlacer.h"

namespace weft::filters::registered {
namespace {

using Params = kernels::yadif::Params;

StatusOr<Port> expand(const FilterContext& context, const v1::Yadif& options, Network& network, Port input) {
  const int check = !options.has_spatial_check() || options.spatial_check() ? 1 : 0;
  return add_deinterlacer<Params>(context, network, input, "yadif", {1, 1}, 200, options,
                                  [check](const Step&, Params& params) { params.spatial_check = check; });
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"spatial_check: false parity: PARITY_BOTTOM", {64, 48, Chroma::k422, 10}},
    {"frames: FRAME_SELECTION_FLAGGED rate: OUTPUT_RATE_FRAME", {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kYadif;
const Registration kYadif = registration<v1::Yadif, expand>({}, kCases);

}  // namespace weft::filters::registered
