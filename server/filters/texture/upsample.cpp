// SPDX-License-Identifier: Apache-2.0
#include "server/filters/texture/upsample.h"

#include <algorithm>
#include <array>

#include "server/filters/texture/small_network.h"

namespace weft::filters::texture {

namespace {

int halved(int side, int times) { return std::max(side >> times, 1); }

StatusOr<Port> add_first_level(const FilterContext& context, Network& network, Port texels,
                               const Upsampling& task) {
  const int width = task.source.width, height = task.source.height;
  if (task.small != nullptr)
    return add_small(context, network, texels, width, height, task.target_format, task.enlargement,
                     *task.small, task.quality);
  ASSIGN_OR_RETURN(const Port large, add_enlarger(context, network, texels, width, height, task.enlargement));
  return add_encoder(context, network, large, task.level(0), task.quality);
}

}  // namespace

BlockImage Upsampling::level(int number) const {
  return {target_format, halved(2 * source.width, number), halved(2 * source.height, number)};
}

StatusOr<std::vector<Port>> add_upsampling(const FilterContext& context, Network& network, Port source,
                                           const Upsampling& task) {
  std::vector<Port> outputs;
  ASSIGN_OR_RETURN(Port texels, add_decoder(context, network, source, task.source));
  ASSIGN_OR_RETURN(const Port first, add_first_level(context, network, texels, task));
  outputs.push_back(first);
  for (int level = 1; level < task.levels; level++) {
    if (level > 1) {
      const BlockImage above = task.level(level - 1);
      ASSIGN_OR_RETURN(texels, add_halver(context, network, texels, above.width, above.height,
                                          task.enlargement.is_normal));
    }
    if (level < task.first_made) continue;
    ASSIGN_OR_RETURN(const Port made, add_encoder(context, network, texels, task.level(level), task.quality));
    outputs.push_back(made);
  }
  return outputs;
}

std::string cost_key_of(const Upsampling& task) {
  constexpr std::array kQualities = {"fast", "medium", "best"};
  return fmt::format("upsample {} {}x{} to {} {}{}", task.source.format, task.source.width,
                     task.source.height, task.target_format, kQualities[size_t(task.quality)],
                     task.small != nullptr                 ? " by small"
                     : task.enlargement.network != nullptr ? " by large"
                                                           : "");
}

}  // namespace weft::filters::texture
