// SPDX-License-Identifier: Apache-2.0
// Tests motion-compensated pictures against the model on every device, and which pictures degrain
// uses.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

#include <gmock/gmock.h>

#include "server/filters/motion/motion.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/models/reference_mask.h"
#include "tests/filter_suite/models/reference_motion.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

using motion::BlockGrid;
using motion::CompensateOptions;
using motion::DegrainOptions;
using motion::field_after;
using motion::field_before;
using motion::fields_at;
using motion::Motion;
using motion::Sides;
using plain::mask_of;
using plain::MotionModel;
using plain::Vector;

struct Parts {
  const FilterContext& context;
  const Motion& motion;
  Network& network;
  Port pictures, super, vectors;
};
using Make = std::function<StatusOr<Port>(const Parts& parts)>;

class CompensateTest : public DeviceTest {
 protected:
  // Returns the results of `make` for the clip's pictures and their motion vectors up to `radius`
  // on each side.
  std::vector<Picture> run(const Clip& clip, const BlockGrid& grid, int radius, const Make& make) {
    Network network;
    const Port pictures = network.set_source(PortFormat::picture(clip.format));
    FilterContext context;
    context.device = &device();
    context.caches = &caches_of(device());
    const Motion motion = Motion::of(context, clip.format, grid).value();
    const Port super = motion.add_super(context, network, pictures).value();
    const Port vectors = motion.add_search(context, network, super, {.radius = radius}).value();
    const Port made = make({context, motion, network, pictures, super, vectors}).value();
    EXPECT_THAT(network.set_outputs({made}), IsOk());
    return pictures_of(run_network(device(), std::move(network), clip, {.plan = {.batch = 3}}).value());
  }
};
WEFT_ON_EVERY_DEVICE(CompensateTest);

// Returns a clip of two scenes. The second half has other pictures than the first.
Clip clip_with_cut(const VideoFormat& format, Material material) {
  Clip clip = make_clip(format, 6, material, 5);
  const Clip other = make_clip(format, 6, Material::kNoise, 77);
  for (size_t n = 3; n < 6; n++)
    for (size_t plane = 0; plane < clip.frames[n].planes.size(); plane++)
      std::ranges::transform(clip.frames[n].planes[plane], other.frames[3].planes[plane],
                             clip.frames[n].planes[plane].begin(),
                             [](uint16_t a, uint16_t b) { return uint16_t((a + 3 * b) / 4); });
  return clip;
}

// Returns the picture of the model that is compensated from neighbour `field` of picture `n`, or
// nothing if that neighbour is not used.
std::optional<Picture> compensated_of(const Clip& clip, const BlockGrid& grid,
                                      const CompensateOptions& options, int n, int field) {
  const int other = n + (field % 2 == 0 ? -1 : 1) * (field / 2 + 1);
  if (other < 0 || other >= int(clip.frames.size())) return std::nullopt;
  const MotionModel model{.format = clip.format, .grid = grid};
  const plain::EndlessPicture here = plain::endless(clip.frames[size_t(n)], clip.format);
  const plain::EndlessPicture there = plain::endless(clip.frames[size_t(other)], clip.format);
  const std::vector<Vector> vectors = model.vectors(here, there);
  const auto of_block = [&](int per_8x8) {
    const int value = per_8x8 * grid.block * grid.block / 64;
    return clip.format.planes() == 3 ? value + 2 * value / (model.columns(1) * model.rows(1)) : value;
  };
  const auto bad = std::ranges::count_if(
      vectors, [&](const Vector& v) { return v.sad > of_block(options.cut_threshold); });
  if (bad > int(options.cut_share * double(vectors.size()))) return std::nullopt;
  return plain::compensated(clip.frames[size_t(n)], here, there, vectors, of_block(options.threshold), model);
}

struct Trial {
  VideoFormat format;
  BlockGrid grid;
  Material material;
  CompensateOptions options;
};
const Trial kTrials[] = {
    {{75, 53, Chroma::k420, 8},
     {.block = 8, .overlap = 4, .pel = 2},
     Material::kMotion,
     {.threshold = 1500, .cut_threshold = 3000}},
    {{75, 53, Chroma::k420, 8},
     {.block = 16, .overlap = 8, .pel = 2},
     Material::kNoise,
     {.fields = fields_at(1) | fields_at(2), .cut_threshold = 16000}},
    {{49, 70, Chroma::k422, 10},
     {.block = 16, .overlap = 4, .pel = 4},
     Material::kMotion,
     {.fields = field_after(1) | field_before(2), .threshold = 900, .cut_threshold = 2500}},
    {{61, 47, Chroma::kGray, 16},
     {.block = 32, .overlap = 16, .pel = 1},
     Material::kMotion,
     {.fields = field_before(1), .cut_threshold = 3000}},
};

TEST_P(CompensateTest, GivesTheModelsPictures) {
  for (const Trial& trial : kTrials) {
    const Clip clip = clip_with_cut(trial.format, trial.material);
    const std::vector<Picture> made = run(clip, trial.grid, 2, [&](const Parts& parts) {
      return parts.motion.add_compensate(parts.context, parts.network, parts.pictures, parts.super,
                                         parts.vectors, trial.options);
    });
    std::vector<Picture> expected;
    for (int n = 0; n < int(clip.frames.size()); n++)
      expected.push_back(
          compensated_of(clip, trial.grid, trial.options, n, std::countr_zero(trial.options.fields))
              .value_or(clip.frames[size_t(n)]));
    ASSERT_NO_FATAL_FAILURE(expect_same(expected, made, to_text(trial.format)));
  }
}

TEST_P(CompensateTest, BoundsAreTheLeastAndTheLargest) {
  for (const Trial& trial : kTrials) {
    const Clip clip = clip_with_cut(trial.format, trial.material);
    std::vector<Picture> low = clip.frames, high = clip.frames;
    int counted = 0;
    for (int n = 0; n < int(clip.frames.size()); n++)
      for (int field = 0; field < 4; field++) {
        if ((trial.options.fields >> field & 1) == 0) continue;
        const std::optional<Picture> made = compensated_of(clip, trial.grid, trial.options, n, field);
        counted += made.has_value() ? 1 : 0;
        for (size_t plane = 0; made && plane < made->planes.size(); plane++)
          for (size_t at = 0; at < made->planes[plane].size(); at++) {
            uint16_t& least = low[size_t(n)].planes[plane][at];
            uint16_t& most = high[size_t(n)].planes[plane][at];
            least = std::min(least, made->planes[plane][at]);
            most = std::max(most, made->planes[plane][at]);
          }
      }
    EXPECT_GT(counted, 0);
    for (const bool is_low : {true, false}) {
      const std::vector<Picture> made = run(clip, trial.grid, 2, [&](const Parts& parts) -> StatusOr<Port> {
        ASSIGN_OR_RETURN(const Motion::Bounds bounds,
                         parts.motion.add_bounds(parts.context, parts.network, parts.pictures, parts.super,
                                                 parts.vectors, trial.options));
        return is_low ? bounds.low : bounds.high;
      });
      ASSERT_NO_FATAL_FAILURE(expect_same(is_low ? low : high, made, to_text(trial.format)));
    }
  }
}

// The last picture of a clip has no later neighbour. Its result from both sides equals that from
// the earlier pictures.
TEST_P(CompensateTest, DegrainOfOneSideIsThatAtAClipsEnd) {
  const VideoFormat format{75, 53, Chroma::k420, 8};
  const BlockGrid grid{.block = 16, .overlap = 8, .pel = 2};
  const Clip clip = make_clip(format, 5, Material::kMotion, 9);
  const auto degrained = [&](const Clip& of, Sides sides) {
    return run(of, grid, 2, [&](const Parts& parts) {
      const DegrainOptions options{.radius = 2,
                                   .sides = sides,
                                   .threshold = 3000,
                                   .chroma_threshold = 3000,
                                   .cut_threshold = 9000,
                                   .binomial = true};
      return parts.motion.add_degrain(parts.context, parts.network, parts.pictures, parts.super,
                                      parts.vectors, options);
    });
  };
  const auto part_of = [&](size_t begin, size_t end) {
    Clip part = clip;
    part.frames = {clip.frames.begin() + ptrdiff_t(begin), clip.frames.begin() + ptrdiff_t(end)};
    part.infos = {clip.infos.begin() + ptrdiff_t(begin), clip.infos.begin() + ptrdiff_t(end)};
    return part;
  };
  const std::vector<Picture> before = degrained(clip, Sides::kBefore), after = degrained(clip, Sides::kAfter);
  EXPECT_NE(before[2], after[2]);
  EXPECT_EQ(before[2], degrained(part_of(0, 3), Sides::kBoth)[2]);
  EXPECT_EQ(after[2], degrained(part_of(2, 5), Sides::kBoth)[0]);
}

TEST_P(CompensateTest, MasksAreThoseOfTheVectors) {
  const VideoFormat format{75, 53, Chroma::k420, 8};
  const BlockGrid grid{.block = 8, .overlap = 4, .pel = 2};
  const Clip clip = make_clip(format, 3, Material::kMotion, 5);
  const MotionModel model{.format = format, .grid = grid};
  const std::vector<Vector> vectors =
      model.vectors(plain::endless(clip.frames[1], format), plain::endless(clip.frames[2], format));
  for (const motion::MotionMask kind :
       {motion::MotionMask::kLength, motion::MotionMask::kFit, motion::MotionMask::kOcclusion}) {
    const double full = kind == motion::MotionMask::kFit ? 1000 : 4;
    const std::vector<Picture> made = run(clip, grid, 1, [&](const Parts& parts) {
      return parts.motion.add_mask(parts.context, parts.network, parts.vectors,
                                   {.mask = kind, .field = 1, .full = full, .cut_threshold = 16000});
    });
    ASSERT_EQ(made.size(), 3u);
    // The thresholds are for a block of 8x8. Vectors are in half samples.
    const double steps = kind == motion::MotionMask::kFit ? 1000 : 4 * 2;
    ASSERT_NO_FATAL_FAILURE(
        expect_same({mask_of(vectors, format, grid, kind, steps)}, {made[1]}, std::to_string(int(kind))));
    EXPECT_NE(*std::ranges::max_element(made[1].planes[0]), 0) << int(kind);
    EXPECT_EQ(*std::ranges::max_element(made[2].planes[0]), 0) << "the last picture has none after it";
  }
}

TEST_P(CompensateTest, MasksAreZeroBehindACut) {
  const BlockGrid grid{.block = 8, .overlap = 4, .pel = 1};
  const Clip clip = make_clip({75, 53, Chroma::k420, 8}, 3, Material::kNoise, 5);
  const auto most_of = [&](int cut_threshold) {
    const std::vector<Picture> made = run(clip, grid, 1, [&](const Parts& parts) {
      return parts.motion.add_mask(parts.context, parts.network, parts.vectors,
                                   {.field = 0, .cut_threshold = cut_threshold});
    });
    return *std::ranges::max_element(made.at(1).planes[0]);
  };
  EXPECT_EQ(most_of(16000), 255);
  EXPECT_EQ(most_of(10), 0);
}

// The input's declaration determines the treatment of frames as interlaced, unless an option
// overrides it.
TEST_P(CompensateTest, SmdegrainFollowsWhatTheInputSaysOfFields) {
  const Clip clip = make_clip({75, 53, Chroma::k420, 8}, 4, Material::kMotion, 3);
  const auto made = [&](const char* options, bool is_interlaced) {
    RunOptions how;
    how.properties.interlaced = is_interlaced;
    const std::string text = std::string("threshold: 3000 block: 8 cut_threshold: 9000 ") + options;
    return pictures_of(run_clip(device(), {parse_options("smdegrain", text)}, clip, how).value());
  };
  const std::vector<Picture> fields = made("interlaced: INTERLACING_YES", false);
  const std::vector<Picture> frames = made("interlaced: INTERLACING_NO", true);
  EXPECT_NE(fields, frames);
  EXPECT_EQ(made("", true), fields);
  EXPECT_EQ(made("", false), frames);
}

}  // namespace
}  // namespace weft::filters
