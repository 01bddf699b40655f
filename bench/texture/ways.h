// SPDX-License-Identifier: Apache-2.0
// Doubles textures by the filter and by each network, and encodes and decodes texels. The programs
// that measure networks share it.
#pragma once

#include <string>
#include <utility>

#include "bench/texture/texels.h"
#include "server/filters/texture/large_network.h"
#include "server/filters/texture/small_network.h"
#include "server/filters/texture/upsample.h"

namespace weft::bench {

class Ways {
 public:
  // `kind` is albedo, normal or mask; `quality` is the compression quality.
  Ways(device::Device& device, std::string kind, int quality)
      : device_(device), kind_(std::move(kind)), quality_(quality) {}

  bool is_normal() const { return kind_ == "normal"; }

  // Returns the format of a name: "texels", "bc7" or "bc5".
  int format_of(const std::string& name) const {
    if (name == "bc7") return BLOCKS_BC7;
    if (name == "bc5") return BLOCKS_BC5 | (is_normal() ? BLOCKS_NORMAL : 0);
    return BLOCKS_NONE;
  }

  StatusOr<Texels> doubled(const Texels& small, int format, bool by_network) {
    filters::texture::Enlargement options{.is_normal = is_normal(), .border = BORDER_CLAMP};
    if (by_network) {
      ASSIGN_OR_RETURN(options.network, filters::texture::built_in_large_network(kind_));
      options.source = filters::texture::texel_source_of(format);
    }
    const filters::FilterContext context{.device = &device_, .caches = &caches_};
    graph::Network network;
    const graph::Port source = network.set_source(filters::texture::texels_format(small.width, small.height));
    ASSIGN_OR_RETURN(
        const graph::Port large,
        filters::texture::add_enlarger(context, network, source, small.width, small.height, options));
    RETURN_IF_ERROR(network.set_outputs({large}));
    double seconds = 0;
    Texels made{small.name, 2 * small.width, 2 * small.height, {}};
    ASSIGN_OR_RETURN(made.rgba, run_network(device_, std::move(network), small.rgba, &seconds));
    return made;
  }

  // Returns the texels decoded from the networks' blocks.
  StatusOr<Texels> by_small(const Texels& small, int format, int target) {
    filters::texture::Upsampling task{.source = {BLOCKS_NONE, small.width, small.height},
                                      .target_format = target};
    task.quality = quality_;
    task.enlargement = {.is_normal = is_normal(), .border = BORDER_CLAMP};
    task.enlargement.source = filters::texture::texel_source_of(format);
    ASSIGN_OR_RETURN(task.small, filters::texture::built_in_small_network(kind_));
    const filters::FilterContext context{.device = &device_, .caches = &caches_};
    graph::Network network;
    const graph::Port source = network.set_source(filters::texture::texels_format(small.width, small.height));
    ASSIGN_OR_RETURN(const std::vector<graph::Port> blocks,
                     filters::texture::add_upsampling(context, network, source, task));
    ASSIGN_OR_RETURN(const graph::Port again,
                     filters::texture::add_decoder(context, network, blocks[0], task.level(0)));
    RETURN_IF_ERROR(network.set_outputs({again}));
    double seconds = 0;
    Texels made{small.name, 2 * small.width, 2 * small.height, {}};
    ASSIGN_OR_RETURN(made.rgba, run_network(device_, std::move(network), small.rgba, &seconds));
    return made;
  }

  StatusOr<Texels> through_blocks(const Texels& texels, int format) {
    const filters::FilterContext context{.device = &device_, .caches = &caches_};
    const filters::texture::BlockImage image{format, texels.width, texels.height};
    graph::Network network;
    const graph::Port source =
        network.set_source(filters::texture::texels_format(texels.width, texels.height));
    ASSIGN_OR_RETURN(const graph::Port blocks,
                     filters::texture::add_encoder(context, network, source, image, quality_));
    ASSIGN_OR_RETURN(const graph::Port again, filters::texture::add_decoder(context, network, blocks, image));
    RETURN_IF_ERROR(network.set_outputs({again}));
    double seconds = 0;
    Texels made{texels.name, texels.width, texels.height, {}};
    ASSIGN_OR_RETURN(made.rgba, run_network(device_, std::move(network), texels.rgba, &seconds));
    return made;
  }

  device::Device& device() { return device_; }
  filters::DeviceCaches& caches() { return caches_; }

 private:
  device::Device& device_;
  filters::DeviceCaches caches_;
  std::string kind_;
  int quality_;
};

}  // namespace weft::bench
