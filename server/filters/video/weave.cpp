// SPDX-License-Identifier: Apache-2.0
// Weaving.
#include "kernels/video/weave.kernel"

#include "server/filters/frame_kernel.h"

namespace weft::filters::registered {
namespace {

constexpr FilterDescriptor kDescriptor = {
    .name = "weave",
    .summary = "Weaves two fields that follow each other.",
    .window = {.before = 0, .after = 1},
    .outputs_per_frame = 2,
};

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}, 0xe56d1f01214e89a6},
    {"parity: PARITY_BOTTOM", {64, 48, Chroma::k422, 10}, 0x0d493f41d5f2c060},
    {"", {37, 50, Chroma::k444, 16}, 0x1e1e3c8f294d3267},
};

}  // namespace

extern const Registration kWeave;
const Registration kWeave = {kDescriptor, make_plain_filter<kernels::weave::Params, kDescriptor>, kCases, {}};

}  // namespace weft::filters::registered
