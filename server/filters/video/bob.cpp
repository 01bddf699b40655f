// SPDX-License-Identifier: Apache-2.0
// Line doubling.
#include "kernels/video/bob.kernel"

#include "server/filters/frame_kernel.h"

namespace weft::filters::registered {
namespace {

constexpr FilterDescriptor kDescriptor = {
    .name = "bob",
    .summary = "Doubles the lines of each field.",
    .window = {.before = 0, .after = 0},
    .outputs_per_frame = 2,
};

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}, 0x0e8f934c7e86b087},
    {"parity: PARITY_BOTTOM rate: OUTPUT_RATE_FRAME", {64, 48, Chroma::k422, 10}, 0x8998c36508d94c5e},
    {"", {37, 50, Chroma::k444, 16}, 0x07681403e4b1b61f},
};

}  // namespace

extern const Registration kBob;
const Registration kBob = {kDescriptor, make_plain_filter<kernels::bob::Params, kDescriptor>, kCases, {}};

}  // namespace weft::filters::registered
