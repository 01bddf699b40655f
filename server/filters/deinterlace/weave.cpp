// SPDX-License-Identifier: Apache-2.0
// Registers weave: the weaving of fields.
#include "kernels/video/weave.kernel"

#include "server/filters/deinterlace/deinterlacer.h"

namespace weft::filters::registered {
namespace {

StatusOr<Port> expand(const FilterContext& context, const v1::Weave& options, Network& network, Port input) {
  return add_deinterlacer<kernels::weave::Params>(context, network, input, "weave", {0, 1}, 2, options);
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"parity: PARITY_BOTTOM", {64, 48, Chroma::k422, 10}},
    {"", {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kWeave;
const Registration kWeave = registration<v1::Weave, expand>({}, kCases);

}  // namespace weft::filters::registered
