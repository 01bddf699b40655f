// SPDX-License-Identifier: Apache-2.0
// Nodes that follow what moves: the pyramid of a picture, where its blocks lie in the pictures around, and what is made of that.
//
//   ASSIGN_OR_RETURN(const Motion motion, Motion::of(context, network.format(input).video, grid));
//   ASSIGN_OR_RETURN(const Port super, motion.add_super(context, network, input));
//   ASSIGN_OR_RETURN(const Port vectors, motion.add_search(context, network, super, {.radius = 2}));
//   ASSIGN_OR_RETURN(const Port result, motion.add_degrain(context, network, input, super, vectors, {.radius = 2}));
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/filters/motion/geometry.h"
#include "server/filters/nodes/layout_node.h"
#include "weft/v1/motion.pb.h"

namespace weft::filters::motion {

// How samples between samples are made: as the mean of two, and through four or six taps.
enum class Taps { kTwo, kFour, kSix };

// How vectors are looked for. Costs and sums of differences are those of 8x8 pixels, as of 8 bits.
struct SearchOptions {
  int radius = 1;  // pictures to each side, at most kMaxRadius
  v1::MotionSearch search = v1::MOTION_SEARCH_HEXAGON;
  int range = 2;
  int pel_range = 0;       // on the finest level; 0: as range
  int lambda_scaling = 0;  // of lambda on coarser levels: by this power of what a sample there is wide
  bool chroma = true;      // counts
  int lambda = 100;        // for each squared step away from what the level above says, in 256ths
  int least_sad = 400;     // blocks that fit worse get less of it
  int new_penalty = 25;    // of a place that nobody told, in 256ths of its sum
  int zero_penalty = 25;   // of no motion, likewise
};

// Of vectors that are refined with smaller blocks: those that fit as well as `good_sad` stay as they are.
struct RefineOptions {
  SearchOptions search{};  // of one level, around what is told: `range` counts
  int good_sad = 320;
};

// Which pictures around count.
enum class Sides { kBoth, kBefore, kAfter };

// How they count. Vectors may have more pictures to each side than count.
struct DegrainOptions {
  int radius = 1;
  Sides sides = Sides::kBoth;
  bool chroma = true;
  int threshold = 400;  // sums of differences of 8x8 pixels
  int chroma_threshold = 400;
  int cut_threshold = 400;
  double cut_share = 0.5;  // of all blocks
  bool binomial = false;
  int limit = 0xffff;  // codes
  int chroma_limit = 0xffff;
};

// Fields of vectors, a bit each: to the picture so far before, and so far after.
constexpr uint32_t field_before(int distance) { return 1u << (2 * (distance - 1)); }
constexpr uint32_t field_after(int distance) { return 2u << (2 * (distance - 1)); }
constexpr uint32_t fields_at(int distance) { return field_before(distance) | field_after(distance); }

// How a picture is made of others. Sums are those of 8x8 pixels.
struct CompensateOptions {
  uint32_t fields = fields_at(1);
  bool chroma = true;     // counted in the search
  int threshold = 10000;  // blocks that fit worse are the own picture's
  int cut_threshold = 400;
  double cut_share = 0.5;
};

// How pictures are blurred along their motion (kernels/motion/flow_blur.kernel).
struct BlurOptions {
  int amount = 64;  // of the motion from picture to picture, to each side, in 256ths; at most 1024
  int limit = 0;    // luma samples of motion from which on the blur counts in full; 0: always
  bool chroma = true;
  int cut_threshold = 400;
  double cut_share = 0.5;
};

// What a mask tells of where blocks were found.
enum class MotionMask {
  kLength,     // how far a block moved
  kFit,        // how badly it fits there
  kOcclusion,  // by how much it and a neighbour move towards each other
};
struct MaskOptions {
  MotionMask mask = MotionMask::kFit;
  int field = 0;  // of the vectors: 0 is the picture before, 1 the one after, 2 the second before ...
  double full =
      1600;  // what 255 stands for: a sum of differences of 8x8 pixels of luma and what chroma adds, else pixels
  bool chroma = true;  // counted in the search
  // Behind a cut, and where there is no other picture, the mask is 0.
  int cut_threshold = 400;
  double cut_share = 130 / 256.0;
};

// One format's. Copies share what lies on the device.
class Motion {
 public:
  // Errors as Geometry::of's; RESOURCE_EXHAUSTED.
  static StatusOr<Motion> of(const FilterContext& context, const VideoFormat& format, const BlockGrid& grid,
                             const GridOptionNames& names = {});

  const Geometry& geometry() const { return geometry_; }
  // The pyramid of each picture.
  StatusOr<Port> add_super(const FilterContext& context, Network& network, Port pictures,
                           Taps taps = Taps::kSix) const;
  // The vectors of each picture's blocks to those around it (kernels/motion/search.kernel).
  StatusOr<Port> add_search(const FilterContext& context, Network& network, Port super,
                            const SearchOptions& options) const;
  // The vectors of this one's smaller blocks, by `vectors` of the blocks of `larger`, of the same pictures.
  StatusOr<Port> add_refined(const FilterContext& context, Network& network, Port super, Port vectors,
                             const Motion& larger, const RefineOptions& options) const;
  // Pictures with less grain. `super`: of the same pictures, `vectors`: of these or of others of their format.
  StatusOr<Port> add_degrain(const FilterContext& context, Network& network, Port pictures, Port super,
                             Port vectors, const DegrainOptions& options) const;
  // Each picture made of another one along what moves, that of the lowest of `fields`.
  StatusOr<Port> add_compensate(const FilterContext& context, Network& network, Port pictures, Port super,
                                Port vectors, const CompensateOptions& options) const;
  // The least and the largest of such pictures, of all `fields`, and the own one, at each sample.
  struct Bounds {
    Port low, high;
  };
  StatusOr<Bounds> add_bounds(const FilterContext& context, Network& network, Port pictures, Port super,
                              Port vectors, const CompensateOptions& options) const;
  // Pictures as an open shutter shows them.
  StatusOr<Port> add_flow_blur(const FilterContext& context, Network& network, Port pictures, Port vectors,
                               const BlurOptions& options) const;
  // Pictures of luma alone, of 8 bits, as large as those of the vectors (kernels/motion/motion_mask.kernel).
  StatusOr<Port> add_mask(const FilterContext& context, Network& network, Port vectors,
                          const MaskOptions& options) const;

 private:
  Motion(const VideoFormat& format, Geometry geometry, Constants words)
      : format_(format), geometry_(std::move(geometry)), words_(std::move(words)) {}

  StatusOr<std::vector<Port>> add_compensated(const FilterContext& context, Network& network,
                                              std::span<const Port> inputs, int outputs,
                                              const CompensateOptions& options) const;

  VideoFormat format_;
  Geometry geometry_;
  Constants words_;
};

}  // namespace weft::filters::motion
