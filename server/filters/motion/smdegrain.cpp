// SPDX-License-Identifier: Apache-2.0
// Registers smdegrain: motion-compensated degraining.
#include "server/filters/motion/fields.h"
#include "server/filters/motion/motion.h"
#include "server/filters/nodes/threshold.h"

namespace weft::filters::registered {
namespace {

// Adds the filter for pictures of one time each.
StatusOr<Port> add_smdegrain(const FilterContext& context, const v1::SmDegrain& options, Network& network,
                             Port input) {
  const VideoFormat format = network.format(input).video;
  motion::BlockGrid grid{.block = options.block(), .overlap = options.block() / 2, .pel = options.pel()};
  if (options.has_overlap()) grid.overlap = options.overlap();
  ASSIGN_OR_RETURN(const motion::Motion motion, motion::Motion::of(context, format, grid));
  motion::SearchOptions search;
  search.radius = options.radius();
  search.search = options.search();
  search.range = options.range();
  search.chroma = options.chroma();
  motion::DegrainOptions degrain;
  degrain.radius = options.radius();
  degrain.chroma = options.chroma();
  degrain.threshold = options.threshold();
  degrain.chroma_threshold = options.chroma_threshold();
  degrain.cut_threshold = options.cut_threshold();
  degrain.cut_share = options.cut_blocks() / 100;
  degrain.binomial = options.binomial();
  degrain.limit = threshold_of(options.limit(), format);
  degrain.chroma_limit = threshold_of(options.chroma_limit(), format);
  ASSIGN_OR_RETURN(const Port super, motion.add_super(context, network, input));
  ASSIGN_OR_RETURN(const Port vectors, motion.add_search(context, network, super, search));
  return motion.add_degrain(context, network, input, super, vectors, degrain);
}

StatusOr<Port> expand(const FilterContext& context, const v1::SmDegrain& options, Network& network,
                      Port input) {
  const bool is_interlaced =
      options.interlaced() == v1::INTERLACING_YES ||
      (options.interlaced() != v1::INTERLACING_NO && network.properties(input).interlaced);
  if (!is_interlaced) return add_smdegrain(context, options, network, input);
  ASSIGN_OR_RETURN(motion::FieldsOfFrames fields, motion::add_separate(context, network, input));
  ASSIGN_OR_RETURN(fields.top, add_smdegrain(context, options, network, fields.top));
  ASSIGN_OR_RETURN(fields.bottom, add_smdegrain(context, options, network, fields.bottom));
  return motion::add_join(context, network, fields, input);
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"radius: 1 block: 8 overlap: 2 pel: 4 threshold: 2000", {64, 48, Chroma::k422, 10}},
    {"radius: 3 block: 32 pel: 1 search: MOTION_SEARCH_EXHAUSTIVE binomial: true threshold: 5000",
     {70, 50, Chroma::k444, 16}},
    {"interlaced: INTERLACING_YES radius: 1 block: 8 threshold: 2000 cut_threshold: 9000",
     {75, 53, Chroma::k420, 8}},
};

}  // namespace

extern const Registration kSmDegrain;
const Registration kSmDegrain = registration<v1::SmDegrain, expand>({}, kCases);

}  // namespace weft::filters::registered
