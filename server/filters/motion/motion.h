// SPDX-License-Identifier: Apache-2.0
// Nodes that follow what moves: the pyramid of a picture, where its blocks lie in the pictures around, and what is made of that.
//
//   ASSIGN_OR_RETURN(const Motion motion, Motion::of(context, network.format(input).video, grid));
//   ASSIGN_OR_RETURN(const Port super, motion.add_super(context, network, input));
//   ASSIGN_OR_RETURN(const Port vectors, motion.add_search(context, network, super, {.radius = 2}));
//   ASSIGN_OR_RETURN(const Port result, motion.add_degrain(context, network, input, super, vectors, {.radius = 2}));
#pragma once

#include <cstdint>

#include "server/filters/motion/geometry.h"
#include "server/filters/picture/layout_node.h"
#include "weft/v1/motion.pb.h"

namespace weft::filters::motion {

// How vectors are looked for. Costs and sums of differences are those of 8x8 pixels, as of 8 bits.
struct SearchOptions {
  int radius = 1;  // pictures to each side, at most kMaxRadius
  v1::MotionSearch search = v1::MOTION_SEARCH_HEXAGON;
  int range = 2;
  bool chroma = true;     // counts
  int lambda = 100;       // for each squared step away from what the level above says, in 256ths
  int least_sad = 400;    // blocks that fit worse get less of it
  int new_penalty = 25;   // of a place that nobody told, in 256ths of its sum
  int zero_penalty = 25;  // of no motion, likewise
};

// How the pictures around count.
struct DegrainOptions {
  int radius = 1;  // as the vectors have it
  bool chroma = true;
  int threshold = 400;  // sums of differences of 8x8 pixels
  int chroma_threshold = 400;
  int cut_threshold = 400;
  double cut_share = 0.5;  // of all blocks
  bool binomial = false;
  int limit = 0xffff;  // codes
  int chroma_limit = 0xffff;
};

// One format's. Copies share what lies on the device.
class Motion {
 public:
  // Errors as Geometry::of's; RESOURCE_EXHAUSTED.
  static StatusOr<Motion> of(const FilterContext& context, const VideoFormat& format, const BlockGrid& grid);

  const Geometry& geometry() const { return geometry_; }
  // The pyramid of each picture.
  StatusOr<Port> add_super(const FilterContext& context, Network& network, Port pictures) const;
  // The vectors of each picture's blocks to those around it (kernels/motion/search.kernel).
  StatusOr<Port> add_search(const FilterContext& context, Network& network, Port super,
                            const SearchOptions& options) const;
  // Pictures with less grain. `super`: of the same pictures, `vectors`: of these or of others of their format.
  StatusOr<Port> add_degrain(const FilterContext& context, Network& network, Port pictures, Port super,
                             Port vectors, const DegrainOptions& options) const;

 private:
  Motion(const VideoFormat& format, Geometry geometry, Constants words)
      : format_(format), geometry_(std::move(geometry)), words_(std::move(words)) {}

  VideoFormat format_;
  Geometry geometry_;
  Constants words_;
};

}  // namespace weft::filters::motion
