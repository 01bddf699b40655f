// SPDX-License-Identifier: Apache-2.0
#include "server/filters/texture/upsample.h"

#include <algorithm>
#include <array>
#include <optional>

#include "server/filters/texture/comparison.h"
#include "server/filters/texture/small_network.h"

namespace weft::filters::texture {

namespace {

int halved(int side, int times) { return std::max(side >> times, 1); }

// Returns the first level as it is decoded: for BC5 normals with the third component.
BlockImage as_decoded(const Upsampling& task) {
  BlockImage image = task.level(0);
  if (image.format == BLOCKS_BC5 && task.enlargement.is_normal) image.format |= BLOCKS_NORMAL;
  return image;
}

// The first level, computed by a network or by the filter. For `small` the texels are decoded from
// its blocks.
struct FirstLevel {
  Port blocks, texels;
};

StatusOr<FirstLevel> add_first_level(const FilterContext& context, Network& network, Port texels,
                                     const Upsampling& task) {
  const int width = task.source.width, height = task.source.height;
  FirstLevel first;
  if (task.small != nullptr) {
    ASSIGN_OR_RETURN(first.blocks, add_small(context, network, texels, width, height, task.target_format,
                                             task.enlargement, *task.small, task.quality));
    if (!task.is_checked) return first;
    ASSIGN_OR_RETURN(first.texels, add_decoder(context, network, first.blocks, as_decoded(task)));
    return first;
  }
  ASSIGN_OR_RETURN(first.texels, add_enlarger(context, network, texels, width, height, task.enlargement));
  Port stored = first.texels;
  if (task.has_gloss) {
    ASSIGN_OR_RETURN(stored, add_gloss(context, network, stored, 2 * width, 2 * height, true));
  }
  ASSIGN_OR_RETURN(first.blocks, add_encoder(context, network, stored, task.level(0), task.quality));
  return first;
}

// Compares the first level with the result without a network.
StatusOr<Port> add_check(const FilterContext& context, Network& network, Port texels, Port made,
                         const Upsampling& task) {
  const int width = task.source.width, height = task.source.height;
  Enlargement options = task.enlargement;
  options.network = nullptr;
  ASSIGN_OR_RETURN(Port plain, add_enlarger(context, network, texels, width, height, options));
  // BC1 and BC5 also change texels without a network, so `plain` is encoded in the same format.
  if (task.small != nullptr && task.target_format != BLOCKS_BC7) {
    ASSIGN_OR_RETURN(plain, add_encoder(context, network, plain, task.level(0), QUALITY_FAST));
    ASSIGN_OR_RETURN(plain, add_decoder(context, network, plain, as_decoded(task)));
  }
  return add_comparison(context, network, texels, made, plain, width, height, options.is_normal);
}

}  // namespace

BlockImage Upsampling::level(int number) const {
  return {target_format, halved(2 * source.width, number), halved(2 * source.height, number)};
}

StatusOr<std::vector<Port>> add_upsampling(const FilterContext& context, Network& network, Port source,
                                           const Upsampling& task) {
  std::vector<Port> outputs;
  ASSIGN_OR_RETURN(Port texels, add_decoder(context, network, source, task.source));
  if (task.arrangement != Arrangement{}) {
    ASSIGN_OR_RETURN(texels, add_arranger(context, network, texels, task.source.width, task.source.height,
                                          task.arrangement));
  }
  ASSIGN_OR_RETURN(const FirstLevel first, add_first_level(context, network, texels, task));
  outputs.push_back(first.blocks);
  std::optional<Port> comparison;
  if (task.is_checked) {
    ASSIGN_OR_RETURN(comparison, add_check(context, network, texels, first.texels, task));
  }
  for (int level = 1; level < task.levels; level++) {
    if (level > 1) {
      const BlockImage above = task.level(level - 1);
      const int mean = task.enlargement.is_normal ? LEVEL_MEAN_NORMALS
                       : task.has_light           ? LEVEL_MEAN_LIGHT
                                                  : LEVEL_MEAN_CODES;
      ASSIGN_OR_RETURN(texels, add_halver(context, network, texels, above.width, above.height, mean));
    } else if (task.has_gloss) {
      ASSIGN_OR_RETURN(texels,
                       add_gloss(context, network, texels, task.source.width, task.source.height, false));
    }
    if (level < task.first_made) continue;
    ASSIGN_OR_RETURN(const Port made, add_encoder(context, network, texels, task.level(level), task.quality));
    outputs.push_back(made);
  }
  if (comparison) outputs.push_back(*comparison);
  return outputs;
}

std::string cost_key_of(const Upsampling& task) {
  constexpr std::array kQualities = {"fast", "medium", "best"};
  return fmt::format("upsample {} {}x{} to {} {}{}{}{}", task.source.format, task.source.width,
                     task.source.height, task.target_format, kQualities[size_t(task.quality)],
                     task.small != nullptr                 ? " by small"
                     : task.enlargement.network != nullptr ? " by large"
                                                           : "",
                     task.has_gloss ? " with gloss" : "", task.is_checked ? " checked" : "");
}

}  // namespace weft::filters::texture
