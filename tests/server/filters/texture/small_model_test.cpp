// SPDX-License-Identifier: Apache-2.0
// Compares the blocks of the networks `small` on every device with a model of the networks and of
// the submodes in double precision.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "tests/server/filters/texture/reference_small_blocks.h"
#include "tests/server/filters/texture/small_tests.h"

namespace weft::filters::texture {
namespace {

// Mean squared differences between a device's texels and those of the model.
struct Apart {
  double with_networks = 0;     // per channel, with blocks of the networks
  double without_networks = 0;  // per channel, with blocks from outputs of zero
};

// Returns the networks of a kind with a last layer of zeros. Their blocks are those of an encoder.
std::shared_ptr<const SmallNetwork> silent(const SmallNetwork& network) {
  auto made = std::make_shared<SmallNetwork>(network);
  for (auto* networks : {&made->submodes, &made->formats})
    for (SubmodeNetwork& each : *networks) {
      std::ranges::fill(each.layers.back().weights, 0.0f);
      std::ranges::fill(each.layers.back().biases, 0.0f);
    }
  return made;
}

Picture8 edges() {
  Picture8 small = opaque(Picture8{24, 16});
  for (int y = 0; y < small.height; y++)
    for (int x = 0; x < small.width; x++)
      for (int c = 0; c < 3; c++) small.at(x, y, c) = char((x / 3 + y / 4) % 2 == 0 ? 255 : 150 + 20 * c);
  return small;
}

class SmallModel : public SmallTest {
 protected:
  // Compares the device's output with `network` with that of the kind's model.
  Apart compare(const Picture8& small, const std::string& kind, int format,
                std::shared_ptr<const SmallNetwork> network) {
    const auto known = small_of(kind);
    Upsampling task = task_of(small, kind);
    task.small = std::move(network);
    task.target_format = format;
    const std::string blocks = blocks_of(small, task);
    const size_t across = size_t(small.width / 2), width = 4 * across;
    const std::string texels = plain::decode_image(format, 2 * small.width, 2 * small.height, blocks);
    for (size_t i = 3; i < texels.size(); i += 4) EXPECT_EQ(uint8_t(texels[i]), 255);
    const std::vector<SmallBase> bases = small_bases(small, BORDER_CLAMP, kind == "normal");
    const size_t channels = format == BLOCKS_BC5 ? 2 : 3;
    const double samples = double(16 * channels * bases.size());
    Apart apart;
    for (size_t block = 0; block < bases.size(); block++) {
      const SubmodeNetwork& chosen = network_of(*known, format, blocks, block);
      SmallBase base = bases[block];
      const int mode = chosen.submode.mode;
      base.is_vector = base.is_vector && mode != 4 && mode != 5 && mode != SMALL_BC5;
      const auto inputs = inputs_of(small, BORDER_CLAMP, int(block % across), int(block / across));
      const std::vector<double> outputs = outputs_of(chosen, inputs, TexelSource::kTexels);
      const Colours with = small_block(chosen.submode, base, outputs),
                    without = small_block(chosen.submode, base, std::vector<double>(outputs.size()));
      for (size_t i = 0; i < 16; i++)
        for (size_t c = 0; c < channels; c++) {
          const size_t x = 4 * (block % across) + i % 4, y = 4 * (block / across) + i / 4;
          const double made = uint8_t(texels[(y * width + x) * 4 + c]);
          apart.with_networks += std::pow(made - with[i][c], 2) / samples;
          apart.without_networks += std::pow(made - without[i][c], 2) / samples;
        }
    }
    return apart;
  }

 private:
  static const SubmodeNetwork& network_of(const SmallNetwork& network, int format, const std::string& blocks,
                                          size_t block) {
    if (format != BLOCKS_BC7) return network.formats[format == BLOCKS_BC5 ? 1 : 0];
    const Submode submode = submode_of_block(std::string_view(blocks).substr(16 * block, 16));
    return *std::ranges::find(network.submodes, submode, &SubmodeNetwork::submode);
  }
};
WEFT_ON_EVERY_DEVICE(SmallModel);

constexpr int kSmallFormats[] = {BLOCKS_BC7, BLOCKS_BC1 | BLOCKS_OPAQUE, BLOCKS_BC5};

double decibels_of(double squares) { return 10 * std::log10(255 * 255 / squares); }

// Doubles and floats may round differently at the boundary of an index or of a stored value. The
// results then differ by a quantisation step.
TEST_P(SmallModel, BlocksAreTheModels) {
  // tensor cores compute with half floats
  const bool has_halves = device().info().kind == device::BackendKind::kCuda;
  for (const std::string kind : kSmallKinds)
    for (const int format : kSmallFormats) {
      const Apart made = compare(small_vectors_of(kind).texels, kind, format, small_of(kind));
      // endpoints of BC1 have 5 bits
      const double least = has_halves ? 40 : format == BLOCKS_BC7 ? 45 : 43;
      EXPECT_GT(decibels_of(made.with_networks), least) << kind << " format " << format;
      EXPECT_LT(made.with_networks, made.without_networks) << kind << " format " << format;
    }
}

// The filter overshoots at an edge. Values outside of the codes are clamped.
TEST_P(SmallModel, OvershootsAreHeld) {
  for (const int format : kSmallFormats) {
    const Apart made = compare(edges(), "normal", format, small_of("normal"));
    EXPECT_GT(decibels_of(made.with_networks), 40) << "format " << format;
    EXPECT_LT(made.with_networks, made.without_networks) << "format " << format;
  }
}

// The blocks from outputs of zero differ from those of the networks.
TEST_P(SmallModel, SilentNetworksAreToldApart) {
  for (const int format : kSmallFormats) {
    const Apart made =
        compare(small_vectors_of("albedo").texels, "albedo", format, silent(*small_of("albedo")));
    EXPECT_GT(made.with_networks, made.without_networks) << "format " << format;
  }
}

}  // namespace
}  // namespace weft::filters::texture
