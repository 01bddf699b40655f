// SPDX-License-Identifier: Apache-2.0
// Upsamples a texture to twice its size, as a network: decodes, enlarges and encodes it, and
// generates the smaller levels.
#pragma once

#include <memory>
#include <vector>

#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

struct SmallNetwork;  // small_network.h

struct Upsampling {
  BlockImage source{};
  Arrangement arrangement{};  // arrangement of the source's texels
  int target_format = BLOCKS_BC7;
  int quality = QUALITY_MEDIUM;
  Enlargement enlargement{};
  // Network that computes the blocks of the first level instead of the enlarger and the encoder, in
  // a format for which small_makes() is true; null: no such network.
  std::shared_ptr<const SmallNetwork> small{};
  // True: alpha of the first level is the gain of gloss, and 0 in smaller levels. It excludes
  // `small` and copied levels.
  bool has_gloss = false;
  bool is_checked = false;  // compares a network's result with its input (comparison.h)
  // true: code values are those of sRGB, so colours of smaller levels are averaged as linear light
  bool has_light = false;
  // Number of levels of the output, and number of the first generated level below the largest;
  // levels between them are copied. Level 1 has the size and the texels of the source.
  int levels = 1;
  int first_made = 1;

  // Returns a level of the output.
  BlockImage level(int number) const;
};

// Adds the nodes. Returns the first level, then the generated ones and, if checked, the results of
// the comparison. `source` has the format blocks_format(task.source).
StatusOr<std::vector<Port>> add_upsampling(const FilterContext& context, Network& network, Port source,
                                           const Upsampling& task);

// Returns a key of the cost, such as "upsample 7 2048x2048 to 7 medium by large"; work of equal
// cost has the same key.
std::string cost_key_of(const Upsampling& task);

}  // namespace weft::filters::texture
