// SPDX-License-Identifier: Apache-2.0
// Code shared by the tests of the networks `small`.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "server/filters/texture/upsample.h"
#include "tests/server/filters/texture/reference_blocks.h"
#include "tests/server/filters/texture/reference_small.h"
#include "tests/server/filters/texture/run_units.h"
#include "tests/server/filters/texture/vectors.h"

namespace weft::filters::texture {

inline constexpr std::array kSmallKinds = {"albedo", "normal", "mask"};

inline SmallVectors small_vectors_of(const std::string& kind) {
  return parse_small_vectors(vectors_file("small_" + kind));
}

inline std::shared_ptr<const SmallNetwork> small_of(const std::string& kind) {
  return built_in_small_network(kind).value();
}

class SmallTest : public DeviceTest {
 protected:
  std::string blocks_of(const Picture8& small, const Upsampling& task, int batch = 2) {
    const auto made = run_units(
        device(), texels_format(small.width, small.height), {small.texels},
        [&](const FilterContext& context, Network& network, Port source) {
          return add_upsampling(context, network, source, task);
        },
        batch);
    return made[0].at(0);
  }

  Upsampling task_of(const Picture8& small, const std::string& kind) {
    Upsampling task{.source = {BLOCKS_NONE, small.width, small.height}};
    task.enlargement.is_normal = kind == "normal";
    task.enlargement.border = BORDER_CLAMP;
    if (!kind.empty()) task.small = small_of(kind);
    return task;
  }
};
inline Picture8 opaque(Picture8 picture) {
  for (size_t i = 3; i < picture.texels.size(); i += 4) picture.texels[i] = char(255);
  return picture;
}

// Returns the submode by a block's bits.
inline Submode submode_of_block(std::string_view bytes) {
  plain::BitReader bits(bytes);
  int mode = 0;
  while (bits.take(1) == 0) mode++;
  const plain::Mode& form = plain::kModes[mode];
  Submode submode{.mode = mode};
  submode.pattern = bits.take(form.partition_bits);
  submode.rotation = bits.take(form.rotation_bits);
  submode.selector = bits.take(form.selector_bits);
  return submode;
}

// Returns the PSNR of the first `channels` channels.
inline double decibels_between(std::string_view a, std::string_view b, size_t channels) {
  double square = 0;
  for (size_t i = 0; i < a.size(); i++)
    if (i % 4 < channels) square += std::pow(uint8_t(a[i]) - uint8_t(b[i]), 2);
  return 10 * std::log10(255 * 255 / (square / (double(a.size() / 4 * channels)) + 1e-9));
}

}  // namespace weft::filters::texture
