// SPDX-License-Identifier: Apache-2.0
// Registers bob: line doubling.
#include "kernels/video/bob.kernel"

#include "server/filters/deinterlace/deinterlacer.h"

namespace weft::filters::registered {
namespace {

StatusOr<Port> expand(const FilterContext& context, const v1::Bob& options, Network& network, Port input) {
  return add_deinterlacer<kernels::bob::Params>(context, network, input, "bob", {0, 0}, 1, options);
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"parity: PARITY_BOTTOM rate: OUTPUT_RATE_FRAME", {64, 48, Chroma::k422, 10}},
    {"", {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kBob;
const Registration kBob = registration<v1::Bob, expand>({}, kCases);

}  // namespace weft::filters::registered
