// SPDX-License-Identifier: Apache-2.0
// Registers the denoiser as a filter.
#include "server/filters/denoise/denoise.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::registered {
namespace {

StatusOr<Port> expand(const FilterContext& context, const v1::DftDenoise& options, Network& network,
                      Port input) {
  return denoise::add_denoiser(
      context, network, input,
      {.sigma = options.sigma(), .radius = options.radius(), .chroma = options.chroma()});
}

// Upper bound of the difference between devices, in 8-bit code values: floats have 24 bits for a
// 16-bit sample, and sums have 1280 terms.
constexpr double kTolerance = 0.02;

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"sigma: 10 radius: 2", {64, 48, Chroma::k422, 10}},
    {"sigma: 4 radius: 0 chroma: false", {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kDftDenoise;
const Registration kDftDenoise = registration<v1::DftDenoise, expand>({}, kCases, 0, kTolerance);

}  // namespace weft::filters::registered
