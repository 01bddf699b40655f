// SPDX-License-Identifier: Apache-2.0
// Tests the motion search on every device: the vectors of known shifts, and the vectors of the
// model.
#include "kernels/motion/motion.h"

#include <cmath>
#include <cstring>
#include <functional>

#include <gmock/gmock.h>

#include "server/filters/motion/motion.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/models/reference_motion.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

using motion::BlockGrid;
using motion::Motion;
using motion::RefineOptions;
using motion::SearchOptions;
using motion::Taps;
using plain::MotionModel;
using plain::Vector;

class MotionTest : public DeviceTest {
 protected:
  // Returns the motion vectors of each picture, one neighbour after the other.
  std::vector<std::vector<Vector>> vectors(const Clip& clip, const BlockGrid& grid,
                                           const SearchOptions& options, Taps taps = Taps::kSix) {
    return found_by(clip, grid, options.radius, taps,
                    [&](const FilterContext& context, Network& network, const Motion& motion, Port super,
                        Port) { return motion.add_search(context, network, super, options).value(); });
  }

  // Returns motion vectors of `grid`, refined from those that the search with `options` found for
  // larger blocks.
  std::vector<std::vector<Vector>> refined(const Clip& clip, const BlockGrid& larger, const BlockGrid& grid,
                                           const SearchOptions& options, const RefineOptions& refine) {
    return found_by(
        clip, grid, options.radius, Taps::kSix,
        [&](const FilterContext& context, Network& network, const Motion& motion, Port super, Port source) {
          const Motion coarse = Motion::of(context, clip.format, larger).value();
          const Port coarse_super = coarse.add_super(context, network, source).value();
          const Port predictor = coarse.add_search(context, network, coarse_super, options).value();
          return motion.add_refined(context, network, super, predictor, coarse, refine).value();
        });
  }

  using Find = std::function<Port(const FilterContext& context, Network& network, const Motion& motion,
                                  Port super, Port source)>;
  std::vector<std::vector<Vector>> found_by(const Clip& clip, const BlockGrid& grid, int radius, Taps taps,
                                            const Find& find) {
    Network network;
    const Port source = network.set_source(PortFormat::picture(clip.format));
    FilterContext context;
    context.device = &device();
    context.caches = &caches_of(device());
    const Motion motion = Motion::of(context, clip.format, grid).value();
    const Port super = motion.add_super(context, network, source, taps).value();
    const Port found = find(context, network, motion, super, source);
    EXPECT_THAT(network.set_outputs({found}), IsOk());
    const std::vector<std::byte> records = measure(device(), std::move(network), clip).value();
    const size_t blocks = size_t(motion.geometry().levels()[0].blocks()) * size_t(2 * radius);
    std::vector<std::vector<Vector>> result;
    const size_t each = sizeof(RecordTimes) + blocks * VECTOR_INTS * sizeof(int32_t);
    for (size_t at = 0; at + each <= records.size(); at += each) {
      std::vector<int32_t> words(blocks * VECTOR_INTS);
      std::memcpy(words.data(), &records[at + sizeof(RecordTimes)], words.size() * sizeof(int32_t));
      std::vector<Vector>& unit = result.emplace_back();
      for (size_t i = 0; i < blocks; i++)
        unit.push_back({int16_t(words[2 * i] & 0xffff), words[2 * i] >> 16, words[2 * i + 1]});
    }
    return result;
  }
};
WEFT_ON_EVERY_DEVICE(MotionTest);
class MotionOptionsTest : public MotionTest {};
WEFT_ON_QUICK_DEVICES(MotionOptionsTest);

// Returns a texture without repetitions that moves by (dx, dy) samples from picture to picture,
// also by fractions.
Clip moving(const VideoFormat& format, int frames, double dx, double dy) {
  Clip clip = make_clip(format, frames, Material::kStatic, 1);
  std::mt19937 random(7);
  struct Wave {
    double x, y, phase, height;
  };
  double power = 0;
  std::vector<Wave> waves;  // the height increases with the wavelength, as in natural images
  for (int i = 0; i < 48; i++) {
    const double x = double(random() % 1000) / 2500 - 0.2, y = double(random() % 1000) / 2500 - 0.2;
    const double scale = std::pow(0.95, i);
    waves.push_back({x * scale, y * scale, double(random() % 628) / 100,
                     1 / std::max(std::hypot(x * scale, y * scale), 0.01)});
    power += waves.back().height * waves.back().height / 2;
  }
  for (int n = 0; n < frames; n++)
    for (int plane = 0; plane < format.planes(); plane++) {
      const int cx = plane == 0 ? 1 : columns_of_chroma(format.chroma),
                cy = plane == 0 ? 1 : rows_of_chroma(format.chroma);
      for (int y = 0; y < format.plane_height(plane); y++)
        for (int x = 0; x < format.plane_width(plane); x++) {
          double sum = 0;
          for (const Wave& wave : waves)
            sum +=
                wave.height *
                std::sin(2 * M_PI * (wave.x * (x * cx - n * dx) + wave.y * (y * cy - n * dy)) + wave.phase);
          const double code = (128 + 40 * sum / std::sqrt(power)) * (1 << (format.bit_depth - 8));
          clip.frames[size_t(n)].at(plane, x, y) =
              uint16_t(std::clamp(code, 0.0, double((1 << format.bit_depth) - 1)));
        }
    }
  return clip;
}

// Returns the fraction of blocks with the vector, without the blocks at the border.
double share_with(const std::vector<Vector>& field, int across, int x, int y) {
  int right = 0, all = 0;
  const int down = int(field.size()) / across;
  for (int by = 1; by + 1 < down; by++)
    for (int bx = 1; bx + 1 < across; bx++) {
      const Vector& v = field[size_t(by * across + bx)];
      right += v.x == x && v.y == y;
      all++;
    }
  return double(right) / all;
}

TEST_P(MotionOptionsTest, FindsKnownShifts) {
  struct Shift {
    double x, y;
    int pel;
  };
  const Shift shifts[] = {{0, 0, 2}, {3, -2, 1}, {-7, 5, 2}, {1.5, 0.5, 2}, {-0.25, 1.75, 4}, {14, -11, 4}};
  for (const VideoFormat& format :
       {VideoFormat{160, 112, Chroma::k420, 8}, VideoFormat{131, 97, Chroma::kGray, 12}})
    for (const Shift& shift : shifts)
      for (const bool chroma : {true, false}) {
        if (!chroma && format.planes() == 1) continue;
        SCOPED_TRACE(testing::Message() << shift.x << " " << shift.y << " of " << shift.pel);
        const BlockGrid grid{.block = 16, .overlap = 8, .pel = shift.pel};
        const auto found =
            vectors(moving(format, 3, shift.x, shift.y), grid, {.radius = 1, .chroma = chroma});
        ASSERT_EQ(found.size(), 3u);
        const int across = grid.count(format.width);
        const auto half = [&](size_t field) {
          const size_t blocks = found[1].size() / 2;
          return std::vector<Vector>(found[1].begin() + ptrdiff_t(field * blocks),
                                     found[1].begin() + ptrdiff_t((field + 1) * blocks));
        };
        const int x = int(std::lround(shift.x * shift.pel)), y = int(std::lround(shift.y * shift.pel));
        EXPECT_GE(share_with(half(0), across, -x, -y), 0.9) << "to the picture before";
        EXPECT_GE(share_with(half(1), across, x, y), 0.9) << "to the one after";
      }
}

// The trials have all divisions of a block among lanes: whole words, words at any position, rows
// shorter than a word, and blocks larger than a lane's registers.
struct Trial {
  VideoFormat format;
  BlockGrid grid;
  SearchOptions options;
  Taps taps = Taps::kSix;
};
const Trial kTrials[] = {
    {{75, 53, Chroma::k420, 8}, {.block = 8, .overlap = 4, .pel = 2}, {.range = 3}, Taps::kFour},
    {{75, 53, Chroma::k420, 8},
     {.block = 8, .overlap = 4, .pel = 4},
     {.range = 4, .pel_range = 1, .lambda_scaling = 2},
     Taps::kTwo},
    {{75, 53, Chroma::k420, 10},
     {.block = 8, .overlap = 2, .pel = 4},
     {.range = 3, .pel_range = 1, .chroma = false}},
    {{97, 65, Chroma::k420, 8}, {.block = 16, .overlap = 8, .pel = 1}, {.chroma = false, .lambda = 400}},
    {{97, 65, Chroma::k420, 8}, {.block = 16, .overlap = 8, .pel = 2}, {.lambda_scaling = 1}},
    {{97, 65, Chroma::k420, 12}, {.block = 16, .overlap = 8, .pel = 2}, {}},
    {{61, 47, Chroma::k410, 8}, {.block = 8, .overlap = 4, .pel = 1}, {}},
    {{80, 70, Chroma::k444, 16}, {.block = 32, .overlap = 16, .pel = 1}, {}},
    {{80, 70, Chroma::k420, 8}, {.block = 32, .overlap = 8, .pel = 2}, {.range = 1}},
};

TEST_P(MotionTest, GivesTheModelsVectors) {
  int number = 0;
  for (const Trial& trial : kTrials)
    for (const auto search : {v1::MOTION_SEARCH_SQUARE, v1::MOTION_SEARCH_HEXAGON, v1::MOTION_SEARCH_UNEVEN,
                              v1::MOTION_SEARCH_EXHAUSTIVE})
      for (const Material material : {Material::kNoise, Material::kMotion}) {
        const int own =
            // A slow device tests one of the two materials, alternating from trial to trial and
            // from search to search.
            number++;
        if (is_slow(device()) && (own + own / 2 + own / 8) % 2 != 0) continue;
        const VideoFormat& format = trial.format;
        const Clip clip = make_clip(format, 3, material, 5);
        SearchOptions options = trial.options;
        options.search = search;
        const MotionModel model{.format = format,
                                .grid = trial.grid,
                                .search = search,
                                .range = options.range,
                                .pel_range = options.pel_range,
                                .lambda_scaling = options.lambda_scaling,
                                .taps = trial.taps,
                                .chroma = options.chroma,
                                .lambda = options.lambda};
        const auto found = vectors(clip, trial.grid, options, trial.taps);
        const auto endless = [&](size_t n) { return plain::endless(clip.frames[n], format, trial.taps); };
        std::vector<Vector> expected = model.vectors(endless(1), endless(0));
        const std::vector<Vector> after = model.vectors(endless(1), endless(2));
        expected.insert(expected.end(), after.begin(), after.end());
        EXPECT_EQ(found.at(1), expected) << int(search) << " " << to_text(format);
        for (const Vector& v :
             std::vector(found[0].begin(), found[0].begin() + ptrdiff_t(found[0].size() / 2)))
          ASSERT_EQ(v.sad, NO_REFERENCE) << "the first picture has none before it";
      }
}

// Returns a picture, and the same picture shifted by half a sample with the taps `of`.
Clip half_beside(const VideoFormat& format, Taps of) {
  Clip clip = make_clip(format, 2, Material::kNoise, 9);
  const Picture& picture = clip.frames[0];
  const auto at = [&](int x, int y) { return picture.at(0, std::clamp(x, 0, format.width - 1), y); };
  for (int y = 0; y < format.height; y++)
    for (int x = 0; x < format.width; x++) {
      const int middle = at(x, y) + at(x + 1, y), next = at(x - 1, y) + at(x + 2, y),
                outermost = at(x - 2, y) + at(x + 3, y);
      const double value = of == Taps::kTwo    ? middle / 2.0
                           : of == Taps::kFour ? (9 * middle - next) / 16.0
                                               : (20 * middle - 5 * next + outermost) / 32.0;
      clip.frames[1].at(0, x, y) = uint16_t(std::clamp(int(std::floor(value + 0.5)), 0, 255));
    }
  return clip;
}

// Each interpolation finds the picture that was shifted by its taps, and then the SAD is 0.
TEST_P(MotionTest, InterpolatesBetweenSamplesByItsTaps) {
  const VideoFormat format{64, 48, Chroma::kGray, 8};
  const BlockGrid grid{.block = 8, .overlap = 0, .pel = 2};
  for (const Taps of : {Taps::kTwo, Taps::kFour, Taps::kSix})
    for (const Taps by : {Taps::kTwo, Taps::kFour, Taps::kSix}) {
      const auto found = vectors(half_beside(format, of), grid, {.radius = 1, .lambda = 0}, by);
      // vector of an inner block to the previous picture
      const Vector& v = found.at(1).at(2 * 8 + 3);
      EXPECT_EQ(v.x, 1);
      EXPECT_EQ(v.y, 0);
      if (of == by)
        EXPECT_EQ(v.sad, 0) << int(of);
      else
        EXPECT_GT(v.sad, 0) << int(of) << " by " << int(by);
    }
}

// lambda keeps vectors close to those of coarser levels, more strongly with a larger exponent.
TEST_P(MotionTest, LambdaIsScaledOnCoarserLevels) {
  const Clip clip = make_clip({160, 112, Chroma::kGray, 8}, 2, Material::kNoise, 3);
  const BlockGrid grid{.block = 8, .overlap = 0, .pel = 1};
  const auto length = [&](int scaling) {
    int64_t sum = 0;
    const SearchOptions options{.radius = 1,
                                .range = 4,
                                .pel_range = 1,
                                .lambda_scaling = scaling,
                                .lambda = 2000,
                                .least_sad = 100000};
    const auto found = vectors(clip, grid, options);
    for (size_t i = 0; i < found.at(1).size() / 2; i++)
      sum += std::abs(found[1][i].x) + std::abs(found[1][i].y);
    return sum;
  };
  EXPECT_LT(length(2), length(0));
  EXPECT_LE(length(1), length(0));
}

TEST_P(MotionTest, RefinesAsTheModelDoes) {
  struct Refined {
    VideoFormat format;
    BlockGrid larger, smaller;
    int good_sad;
  };
  const Refined all[] = {
      {{75, 53, Chroma::k420, 8},
       {.block = 16, .overlap = 8, .pel = 2},
       {.block = 8, .overlap = 4, .pel = 2},
       320},
      {{80, 70, Chroma::k444, 16},
       {.block = 32, .overlap = 8, .pel = 1},
       {.block = 16, .overlap = 4, .pel = 1},
       0},
      {{75, 53, Chroma::kGray, 10},
       {.block = 16, .overlap = 4, .pel = 4},
       {.block = 8, .overlap = 2, .pel = 4},
       100},
      {{61, 47, Chroma::k420, 8},
       {.block = 32, .overlap = 0, .pel = 2},
       {.block = 16, .overlap = 2, .pel = 2},
       50000},
  };
  for (const Refined& each : all)
    for (const Material material : {Material::kNoise, Material::kMotion}) {
      const Clip clip = make_clip(each.format, 3, material, 5);
      const RefineOptions refine{.search = {.radius = 1, .range = 3, .lambda = 50, .least_sad = 1 << 20},
                                 .good_sad = each.good_sad};
      const auto found = refined(clip, each.larger, each.smaller, {.radius = 1}, refine);
      const auto endless = [&](size_t n) { return plain::endless(clip.frames[n], each.format); };
      const MotionModel larger{.format = each.format, .grid = each.larger};
      MotionModel model{
          .format = each.format, .grid = each.smaller, .range = 3, .lambda = 50, .least_sad = 1 << 20};
      int64_t good = int64_t{each.good_sad} * each.smaller.block * each.smaller.block / 64;
      if (each.format.planes() == 3) good += 2 * good / (model.columns(1) * model.rows(1));
      std::vector<Vector> expected;
      for (const size_t other : {0u, 2u}) {
        model.larger =
            plain::LargerBlocks{each.larger, larger.vectors(endless(1), endless(other)), int(good)};
        const std::vector<Vector> of_field = model.vectors(endless(1), endless(other));
        expected.insert(expected.end(), of_field.begin(), of_field.end());
      }
      EXPECT_EQ(found.at(1), expected) << to_text(each.format) << " " << int(material);
    }
}

// Where two halves move apart, small blocks along the border match better than large blocks across
// it.
TEST_P(MotionTest, RefinedBlocksFitBetterWhereMotionDiffers) {
  const VideoFormat format{96, 64, Chroma::kGray, 8};
  Clip clip = make_clip(format, 2, Material::kNoise, 11);
  for (int y = 0; y < format.height; y++)
    for (int x = 0; x < format.width; x++)
      clip.frames[1].at(0, x, y) =
          clip.frames[0].at(0, std::clamp(x + (y < 36 ? 3 : -3), 0, format.width - 1), y);
  const BlockGrid larger{.block = 16, .overlap = 0, .pel = 1}, smaller{.block = 8, .overlap = 2, .pel = 1};
  const auto sum_of = [&](int good_sad) {
    int64_t sum = 0;
    const auto found =
        refined(clip, larger, smaller, {.radius = 1, .range = 4},
                {.search = {.radius = 1, .search = v1::MOTION_SEARCH_EXHAUSTIVE, .range = 8, .lambda = 0},
                 .good_sad = good_sad});
    for (size_t i = 0; i < found.at(1).size() / 2; i++) sum += found[1][i].sad;
    return sum;
  };
  EXPECT_LT(sum_of(0), sum_of(1000000) / 2);
}

// The search tries more positions, so that blocks match at least as well without penalties.
TEST_P(MotionTest, ExhaustiveSearchIsNoWorseInAll) {
  const VideoFormat format{96, 64, Chroma::k420, 8};
  const Clip clip = make_clip(format, 2, Material::kMotion, 3);
  const auto sum = [&](v1::MotionSearch search) {
    const SearchOptions options{
        .radius = 1, .search = search, .range = 8, .lambda = 0, .new_penalty = 0, .zero_penalty = 0};
    int64_t all = 0;
    const auto found = vectors(clip, {.block = 16, .overlap = 8, .pel = 1}, options);
    for (const Vector& v : found.at(0))
      if (v.sad != NO_REFERENCE) all += v.sad;
    return all;
  };
  EXPECT_LE(sum(v1::MOTION_SEARCH_EXHAUSTIVE), sum(v1::MOTION_SEARCH_HEXAGON));
}

TEST(MotionGeometry, RefusesWhatBlocksCannotBe) {
  const VideoFormat format{64, 48, Chroma::k420, 8};
  using motion::Geometry;
  EXPECT_THAT(Geometry::of(format, {.block = 12}), StatusIs(StatusCode::kInvalidArgument, "8, 16 or 32"));
  EXPECT_THAT(Geometry::of(format, {.block = 16, .overlap = 10}),
              StatusIs(StatusCode::kInvalidArgument, "from 0 to 8"));
  EXPECT_THAT(Geometry::of({64, 48, Chroma::k411, 8}, {.block = 16, .overlap = 6}),
              StatusIs(StatusCode::kInvalidArgument, "a multiple of 4"));
  EXPECT_THAT(Geometry::of(format, {.pel = 3}), StatusIs(StatusCode::kInvalidArgument, "1, 2 or 4 steps"));
  EXPECT_THAT(Geometry::of({16384, 16384, Chroma::k444, 8}, {.pel = 4}),
              StatusIs(StatusCode::kInvalidArgument, "choose a lower pel"));
}

}  // namespace
}  // namespace weft::filters
