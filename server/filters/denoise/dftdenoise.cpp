// SPDX-License-Identifier: Apache-2.0
// The denoiser as a filter.
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

// Of codes of 8 bits, that results of devices lie apart at most: a sample of 16 bits has 24 bits on its way, and sums of 1280.
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
