// SPDX-License-Identifier: Apache-2.0
// Adds nodes of motion compensation: the pyramid of a picture, the vectors of its blocks to its
// temporal neighbours, and nodes that use the vectors.
//
//   ASSIGN_OR_RETURN(const Motion motion, Motion::of(context, network.format(input).video, grid));
//   ASSIGN_OR_RETURN(const Port super, motion.add_super(context, network, input));
//   ASSIGN_OR_RETURN(const Port vectors,
//                    motion.add_search(context, network, super, {.radius = 2}));
//   ASSIGN_OR_RETURN(const Port result,
//                    motion.add_degrain(context, network, input, super, vectors, {.radius = 2}));
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/filters/motion/geometry.h"
#include "server/filters/nodes/layout_node.h"
#include "weft/v1/motion.pb.h"

namespace weft::filters::motion {

// The subsample interpolation: the mean of two samples, or four or six taps.
enum class Taps { kTwo, kFour, kSix };

// Options of the motion search. Costs and SADs are those of 8x8 pixels, on an 8-bit scale.
struct SearchOptions {
  int radius = 1;  // pictures on each side, at most kMaxRadius
  v1::MotionSearch search = v1::MOTION_SEARCH_HEXAGON;
  int range = 2;
  int pel_range = 0;       // range on the finest level; 0: as `range`
  int lambda_scaling = 0;  // exponent of lambda's scaling with the sample size of coarser levels
  bool chroma = true;      // chroma is included in SADs
  // penalty for each squared step away from the coarser level's vector, in 256ths
  int lambda = 100;
  int least_sad = 400;    // SAD above which a block's lambda is reduced
  int new_penalty = 25;   // penalty of a new vector, in 256ths of its SAD
  int zero_penalty = 25;  // penalty of the zero vector, in 256ths of its SAD
};

// Options of refinement with smaller blocks: vectors with a SAD up to `good_sad` are kept.
struct RefineOptions {
  SearchOptions search{};  // search on one level, around the known vectors, with `range`
  int good_sad = 320;
};

// The temporal neighbours in use.
enum class Sides { kBoth, kBefore, kAfter };

// Options of degraining. Vectors may refer to more pictures on each side than `radius`.
struct DegrainOptions {
  int radius = 1;
  Sides sides = Sides::kBoth;
  bool chroma = true;
  int threshold = 400;  // SAD of 8x8 pixels
  int chroma_threshold = 400;
  int cut_threshold = 400;
  double cut_share = 0.5;  // fraction of all blocks
  bool binomial = false;
  int limit = 0xffff;  // code values
  int chroma_limit = 0xffff;
};

// Fields of vectors, one bit each: to the picture at this distance before, and after.
constexpr uint32_t field_before(int distance) { return 1u << (2 * (distance - 1)); }
constexpr uint32_t field_after(int distance) { return 2u << (2 * (distance - 1)); }
constexpr uint32_t fields_at(int distance) { return field_before(distance) | field_after(distance); }

// Options of motion compensation. SADs are those of 8x8 pixels.
struct CompensateOptions {
  uint32_t fields = fields_at(1);
  bool chroma = true;     // included in the SADs of the search
  int threshold = 10000;  // blocks with a larger SAD are copied from the current picture
  int cut_threshold = 400;
  double cut_share = 0.5;
};

// Options of motion blur (kernels/motion/flow_blur.kernel).
struct BlurOptions {
  // part of the motion from picture to picture in each direction, in 256ths; at most 1024
  int amount = 64;
  int limit = 0;  // motion in luma samples from which on the blur has its full effect; 0: always
  bool chroma = true;
  int cut_threshold = 400;
  double cut_share = 0.5;
};

// The quantity of a motion mask.
enum class MotionMask {
  kLength,     // length of a block's vector
  kFit,        // SAD of the block's match
  kOcclusion,  // distance that the block and an adjacent one move towards each other
};
struct MaskOptions {
  MotionMask mask = MotionMask::kFit;
  // index of the vectors: 0 to the picture before, 1 to the one after, 2 to the second before ...
  int field = 0;
  // quantity at which the mask is 255: an SAD of 8x8 pixels, chroma included, or a length in pixels
  double full = 1600;
  bool chroma = true;  // included in the SADs of the search
  // After a scene change, and without the other picture, the mask is 0.
  int cut_threshold = 400;
  double cut_share = 130 / 256.0;
};

// The motion of pictures of one format. Copies share their data on the device.
class Motion {
 public:
  // Creates the motion. The errors are those of Geometry::of(), and RESOURCE_EXHAUSTED.
  static StatusOr<Motion> of(const FilterContext& context, const VideoFormat& format, const BlockGrid& grid,
                             const GridOptionNames& names = {});

  const Geometry& geometry() const { return geometry_; }
  // Returns the pyramid of each picture.
  StatusOr<Port> add_super(const FilterContext& context, Network& network, Port pictures,
                           Taps taps = Taps::kSix) const;
  // Returns the vectors of each picture's blocks to the pictures around it
  // (kernels/motion/search.kernel).
  StatusOr<Port> add_search(const FilterContext& context, Network& network, Port super,
                            const SearchOptions& options) const;
  // Returns the vectors of this motion's smaller blocks, found from `vectors`, which belong to the
  // blocks of `larger` in the same pictures.
  StatusOr<Port> add_refined(const FilterContext& context, Network& network, Port super, Port vectors,
                             const Motion& larger, const RefineOptions& options) const;
  // Degrains pictures. `super` belongs to the same pictures; `vectors` may belong to other pictures
  // of the same format.
  StatusOr<Port> add_degrain(const FilterContext& context, Network& network, Port pictures, Port super,
                             Port vectors, const DegrainOptions& options) const;
  // Compensates each picture from another one along motion: the one of the lowest bit in `fields`.
  StatusOr<Port> add_compensate(const FilterContext& context, Network& network, Port pictures, Port super,
                                Port vectors, const CompensateOptions& options) const;
  // The minimum and maximum, at each sample, of the picture and of the compensated pictures of all
  // `fields`.
  struct Bounds {
    Port low, high;
  };
  StatusOr<Bounds> add_bounds(const FilterContext& context, Network& network, Port pictures, Port super,
                              Port vectors, const CompensateOptions& options) const;
  // Returns pictures with the motion blur of an open shutter.
  StatusOr<Port> add_flow_blur(const FilterContext& context, Network& network, Port pictures, Port vectors,
                               const BlurOptions& options) const;
  // Returns 8-bit pictures of luma alone, with the size of the pictures of the vectors
  // (kernels/motion/motion_mask.kernel).
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
