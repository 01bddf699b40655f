// SPDX-License-Identifier: Apache-2.0
// Registers deband, which smooths steps in flat areas.
#include "kernels/picture/deband.kernel"

#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/threshold.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::registered {
namespace {

using Params = kernels::deband::Params;

// Returns the bytes of Marsaglia's xorshift with 128 bits of state ("Xorshift RNGs", 2003). The
// lowest byte of a word is the first.
std::vector<uint8_t> random_bytes(size_t count, uint32_t seed) {
  uint32_t x = 123456789 - seed, y = 362436069, z = 521288629, w = 88675123;
  std::vector<uint8_t> bytes;
  bytes.reserve(count + 3);
  while (bytes.size() < count) {
    const uint32_t t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w = w ^ (w >> 19) ^ t ^ (t >> 8);
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(uint8_t(w >> shift));
  }
  return bytes;
}

int others_of(v1::DebandSamples samples) {
  if (samples == v1::DEBAND_SAMPLES_ONE) return 1;
  return samples == v1::DEBAND_SAMPLES_TWO ? 2 : 4;
}

StatusOr<Port> expand(const FilterContext& context, const v1::Deband& options, Network& network, Port input) {
  const VideoFormat& format = network.format(input).video;
  const size_t samples = size_t(format.width) * size_t(format.height);
  Constants noise;
  if (context.device != nullptr) {
    const std::vector<uint8_t> bytes = random_bytes(2 * samples, uint32_t(options.seed()));
    ASSIGN_OR_RETURN(noise, make_constants_of(context, std::span<const uint8_t>(bytes)));
  }
  FrameNode<Params>::Parts parts;
  parts.descriptor.name = "deband";
  parts.descriptor.cost.operations = 500;
  parts.descriptor.inputs = {Window{}};
  parts.complete = [noise, samples, range = options.range(),
                    threshold = threshold_of(options.threshold(), format),
                    others = others_of(options.samples()),
                    is_of_mean = options.blur_first()](const Step&, Params& params) {
    params.noise = device::at<kernels::deband::Bytes>(*noise);
    params.noise_size = int(samples);
    params.range = range;
    params.threshold = threshold;
    params.others = others;
    params.is_of_mean = is_of_mean || others == 1 ? 1 : 0;
  };
  return add_frame_node<Params>(context, network, {input}, "picture/deband", std::move(parts));
}

constexpr Case kCases[] = {
    {"threshold: 40", {97, 65, Chroma::k420, 8}},
    {"samples: DEBAND_SAMPLES_FOUR threshold: 70.3 blur_first: true range: 7", {64, 48, Chroma::k422, 10}},
    {"samples: DEBAND_SAMPLES_ONE threshold: 255 seed: 77 range: 127", {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kDeband;
const Registration kDeband = registration<v1::Deband, expand>({}, kCases);

}  // namespace weft::filters::registered
