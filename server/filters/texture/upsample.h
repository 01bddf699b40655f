// SPDX-License-Identifier: Apache-2.0
// A texture at twice its size, as a network: decoded, enlarged, encoded, and the levels below.
#pragma once

#include <memory>
#include <vector>

#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

struct SmallNetwork;  // small_network.h

struct Upsampling {
  BlockImage source{};
  Arrangement arrangement{};  // of the source's texels
  int target_format = BLOCKS_BC7;
  int quality = QUALITY_MEDIUM;
  Enlargement enlargement{};
  // What makes the blocks of the first level, of a format that small_makes, in place of the enlarger and the encoder; null: nothing.
  std::shared_ptr<const SmallNetwork> small{};
  // Alpha of the first level is what gloss it gains, and of those below 0: not with `small`, nor with levels from elsewhere.
  bool has_gloss = false;
  bool is_checked = false;  // what a network made is compared with what it was made of (comparison.h)
  bool has_light =
      false;  // the colours of smaller levels are averaged as linear light: their codes are those of sRGB
  // Of the output: how many levels it has, and the first below the largest that is made; those between are taken from elsewhere. Level 1 has the
  // source's size, and its texels.
  int levels = 1;
  int first_made = 1;

  // Of the output.
  BlockImage level(int number) const;
};

// What comes out: the first level, then those that are made, and last, of a checked one, what its comparison tells. A source is
// blocks_format(source).
StatusOr<std::vector<Port>> add_upsampling(const FilterContext& context, Network& network, Port source,
                                           const Upsampling& task);

// "upsample 7 2048x2048 to 7 medium by large": work that costs the same has the same.
std::string cost_key_of(const Upsampling& task);

}  // namespace weft::filters::texture
