// SPDX-License-Identifier: Apache-2.0
// Tests the deblocking filter against its specification and its model, with tables of quantisers,
// on every device.
#include "kernels/denoise/deblock.kernel"

#include <cmath>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/ffmpeg_folder.h"
#include "tests/filter_suite/models/deblock_reference.h"
#include "tests/filter_suite/reference.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAreArray;

QuantisersPtr table_of(int columns, int rows, std::mt19937& random, int highest) {
  auto table = std::make_shared<Quantisers>();
  table->columns = columns;
  table->rows = rows;
  for (int i = 0; i < columns * rows; i++) table->values.push_back(uint8_t(random() % uint32_t(highest + 1)));
  return table;
}

// A clip with tables of random quantisers; every fourth frame has none. Tables may be larger or
// smaller than the frames.
Clip clip_with_tables(const VideoFormat& format, int frames, QuantiserScale scale, uint32_t seed) {
  Clip clip = make_clip(format, frames, seed % 2 == 0 ? Material::kNoise : Material::kMotion, seed);
  std::mt19937 random(seed);
  clip.properties.quantisers = scale;
  const int highest = scale == QuantiserScale::kLogarithmic ? 51 : 120;
  QuantisersPtr reference;
  for (int i = 0; i < frames; i++) {
    FrameQuantisers& quantisers = clip.infos[size_t(i)].quantisers;
    if (i % 4 == 3) continue;
    const int columns = std::max(1, (format.width + 15) / 16 + int(random() % 3) - 1);
    const int rows = std::max(1, (format.height + 15) / 16 + int(random() % 3) - 1);
    quantisers.own = table_of(columns, rows, random, highest);
    if (i % 3 == 1) reference = quantisers.own;
    quantisers.reference = reference;
  }
  return clip;
}

class DeblockTest : public DeviceTest {
 protected:
  std::vector<Picture> deblocked(const std::string& text, const Clip& clip, int batch = 3) {
    const auto made = run_clip(device(), {parse_options("deblock", text)}, clip,
                               {.plan = {.batch = batch}, .properties = clip.properties});
    EXPECT_THAT(made, IsOk()) << text;
    return made.ok() ? pictures_of(*made) : std::vector<Picture>();
  }
};
WEFT_ON_EVERY_DEVICE(DeblockTest);

TEST(DeblockConstants, OffsetsAreThoseOfTheSpecification) {
  using Pairs = std::vector<std::pair<int, int>>;
  std::vector<Pairs> offsets = {{{0, 0}, {4, 4}},
                                {{0, 0}, {2, 2}, {6, 4}, {4, 6}},
                                {{0, 0}, {5, 1}, {2, 2}, {7, 3}, {4, 4}, {1, 5}, {6, 6}, {3, 7}},
                                {{0, 0},
                                 {4, 0},
                                 {1, 1},
                                 {5, 1},
                                 {3, 2},
                                 {7, 2},
                                 {2, 3},
                                 {6, 3},
                                 {0, 4},
                                 {4, 4},
                                 {1, 5},
                                 {5, 5},
                                 {3, 6},
                                 {7, 6},
                                 {2, 7},
                                 {6, 7}},
                                {},
                                {}};
  for (int x = 0; x < 8; x++)
    for (int y = 0; y < 8; y++) {
      if (x % 2 == y % 2) offsets[4].emplace_back(x, y);
      offsets[5].emplace_back(x, y);
    }
  for (int quality = 1; quality <= 6; quality++) {
    Pairs found;
    for (int i = 0; i < 1 << quality; i++) {
      const int offset = kernels::deblock::offset_of(quality, i);
      found.emplace_back(offset / 8, offset % 8);
    }
    EXPECT_THAT(found, UnorderedElementsAreArray(offsets[size_t(quality - 1)])) << quality;
  }
}

TEST(DeblockConstants, TheDitherIsThatOfTheSpecification) {
  constexpr int kRows[8][8] = {{0, 48, 12, 60, 3, 51, 15, 63}, {32, 16, 44, 28, 35, 19, 47, 31},
                               {8, 56, 4, 52, 11, 59, 7, 55},  {40, 24, 36, 20, 43, 27, 39, 23},
                               {2, 50, 14, 62, 1, 49, 13, 61}, {34, 18, 46, 30, 33, 17, 45, 29},
                               {10, 58, 6, 54, 9, 57, 5, 53},  {42, 26, 38, 22, 41, 25, 37, 21}};
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 8; x++) EXPECT_EQ(kernels::deblock::kDither[8 * y + x], kRows[y][x]);
}

struct Strength {
  const char* name;
  double thr, str, bratio;
  int untouched;  // the largest quantiser without an effect
  int full;       // the smallest quantiser with the full threshold
  double at_40;   // threshold of quantiser 40
};
constexpr Strength kStrengths[] = {{"STRONG", 18, 0, 2, 13, 23, 159},
                                   {"MEDIUM", 28, 0, 2, 23, 33, 159},
                                   {"WEAK", 38, -1, 0, 33, 43, 89.3},
                                   {"WEAKER", 50, -1.5, 0, 45, 55, -1}};

TEST(DeblockConstants, StrengthsHaveTheValuesOfTheSpecification) {
  for (const Strength& each : kStrengths) {
    const Options options = parse_options("deblock", fmt::format("strength: DEBLOCK_STRENGTH_{}", each.name));
    const auto& deblock = dynamic_cast<const v1::Deblock&>(*options);
    EXPECT_EQ(deblock.thr(), each.thr) << each.name;
    EXPECT_EQ(deblock.str(), each.str) << each.name;
    EXPECT_EQ(deblock.bratio(), each.bratio) << each.name;
    EXPECT_EQ(deblock.quality(), 3);
    const auto threshold = [&](double quantiser) {
      return plain::DeblockModel::threshold(each.thr, each.str, quantiser);
    };
    EXPECT_NEAR(threshold(each.untouched), -1, 1e-9) << each.name;
    EXPECT_GT(threshold(each.untouched + 1), 0) << each.name;
    EXPECT_NEAR(threshold(each.full), each.full * (4 + each.str) - 1, 1e-9) << each.name;
    EXPECT_LT(threshold(each.full - 1), (each.full - 1) * (4 + each.str) - 1) << each.name;
    EXPECT_NEAR(threshold(40), each.at_40, 0.05) << each.name;
  }
  EXPECT_EQ(dynamic_cast<const v1::Deblock&>(*parse_options("deblock", "")).thr(), 28) << "medium";
}

TEST_P(DeblockTest, StrengthsBeginAtTheirQuantisers) {
  const Clip clip = make_clip({48, 32, Chroma::k420, 8}, 2, Material::kMotion, 4);
  for (const Strength& each : kStrengths) {
    const auto at = [&](int quantiser) {
      return deblocked(fmt::format("strength: DEBLOCK_STRENGTH_{} qp: {}", each.name, quantiser), clip);
    };
    EXPECT_EQ(at(each.untouched), clip.frames) << each.name;
    EXPECT_NE(at(each.untouched + 1), clip.frames) << each.name;
  }
}

// The largest difference between clips, in 8-bit code values.
double farthest(const std::vector<Picture>& a, const std::vector<Picture>& b) {
  int difference = 0;
  for (size_t i = 0; i < a.size(); i++)
    for (size_t plane = 0; plane < a[i].planes.size(); plane++)
      for (size_t at = 0; at < a[i].planes[plane].size(); at++)
        difference = std::max(difference, std::abs(a[i].planes[plane][at] - b[i].planes[plane][at]));
  return double(difference) / (1 << (a[0].format.bit_depth - 8));
}

// Without a threshold nothing changes. With one below every frequency the sum of the blocks is the
// picture, within the dither.
TEST_P(DeblockTest, ASmallThresholdReproducesThePicture) {
  for (const VideoFormat& format :
       {VideoFormat{97, 65, Chroma::k420, 8}, VideoFormat{40, 23, Chroma::k444, 10},
        VideoFormat{64, 40, Chroma::k422, 16}})
    for (int quality = 1; quality <= 6; quality++) {
      const Clip clip = make_clip(format, 1, Material::kNoise, uint32_t(quality));
      const std::string text = fmt::format("qp: 1 thr: 0 quality: {} str: ", quality);
      EXPECT_EQ(deblocked(text + "-3", clip), clip.frames) << "threshold 0, quality " << quality;
      EXPECT_LE(farthest(deblocked(text + "-2.9999", clip), clip.frames), 1) << "quality " << quality;
    }
}

TEST_P(DeblockTest, FlatPicturesAndZerosStay) {
  Clip clip = make_clip({33, 40, Chroma::k420, 8}, 3, Material::kNoise, 1);
  for (size_t i = 0; i < 3; i++)
    for (auto& plane : clip.frames[i].planes)
      std::ranges::fill(plane, uint16_t(i == 0 ? 0 : i == 1 ? 255 : 77));
  EXPECT_EQ(deblocked("qp: 100", clip), clip.frames);
  Clip zeros = make_clip({40, 40, Chroma::k420, 8}, 1, Material::kNoise, 1);
  zeros.properties.quantisers = QuantiserScale::kLinear;
  zeros.infos[0].quantisers.own = std::make_shared<Quantisers>(Quantisers{3, 3, std::vector<uint8_t>(9)});
  EXPECT_EQ(deblocked("", zeros), zeros.frames);
}

TEST_P(DeblockTest, TablesGiveWhatTheModelGives) {
  constexpr VideoFormat kFormats[] = {
      {97, 65, Chroma::k420, 8},  {140, 70, Chroma::k422, 10}, {31, 22, Chroma::k444, 8},
      {37, 23, Chroma::kGray, 8}, {65, 49, Chroma::k420, 9},   {129, 33, Chroma::k444, 16},
      {1, 1, Chroma::k420, 8},    {3, 5, Chroma::k410, 8},     {75, 33, Chroma::k411, 12}};
  constexpr const char* kOptions[] = {"",
                                      "strength: DEBLOCK_STRENGTH_STRONG",
                                      "strength: DEBLOCK_STRENGTH_WEAK thr: 12",
                                      "bratio: 0.5 thr: 0",
                                      "bratio: 0.25 qpscale: DEBLOCK_QP_SCALE_LINEAR thr: 10 sharp: true",
                                      "thr: 7 sharp: true",
                                      "show: true bratio: 0"};
  const Registration& filter = *find_filter("deblock");
  uint32_t seed = 1;
  for (const VideoFormat& format : kFormats)
    for (const char* options : kOptions) {
      seed++;
      if (is_slow(device()) && seed % 3 != 0) continue;
      const QuantiserScale scale = seed % 2 == 0 ? QuantiserScale::kLinear : QuantiserScale::kLogarithmic;
      const Clip clip = clip_with_tables(format, 5, scale, seed);
      const std::string text = fmt::format("{} quality: {}", options, 2 + seed % 5);
      expect_like_model(filter, reference(*parse_options("deblock", text), clip).frames,
                        deblocked(text, clip), fmt::format("{}, {}", text, to_text(format)));
    }
}

// Waves with a little noise.
Clip make_waves(const VideoFormat& format, uint32_t seed) {
  Clip clip = make_clip(format, 2, Material::kStatic, seed);
  std::mt19937 random(seed);
  for (size_t i = 0; i < clip.frames.size(); i++)
    for (int plane = 0; plane < format.planes(); plane++)
      for (int y = 0; y < format.plane_height(plane); y++)
        for (int x = 0; x < format.plane_width(plane); x++) {
          const double wave =
              std::sin(x / 9.0 + double(i)) * std::cos(y / 7.0) + 0.3 * std::sin(x * y / 90.0);
          clip.frames[i].at(plane, x, y) = uint16_t(128 + 60 * wave + int(random() % 13u) - 6);
        }
  return clip;
}

// FFmpeg's spp with a fixed quantiser and hard thresholds has the same blocks, and thresholds of 16
// times the quantiser less 1. It rounds the frequencies and the samples of each block to integers:
// two errors with a deviation of 0.29, which the mean of the blocks reduces.
TEST_P(DeblockTest, AFixedQuantiserGivesWhatFfmpegsSppGives) {
  if (!FfmpegFolder::knows("spp")) GTEST_SKIP() << "ffmpeg has no filter spp";
  const FfmpegFolder folder;
  const Clip clip = make_waves({176, 144, Chroma::k420, 8}, 12);
  for (const int quantiser : {3, 5, 10, 20}) {
    const std::vector<Picture> expected =
        folder.filter(clip, fmt::format("spp=quality=3:qp={}:mode=hard", quantiser));
    const std::vector<Picture> found = deblocked(fmt::format("thr: 5 qp: {}", 4 * quantiser), clip);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); i++)
      for (size_t plane = 0; plane < 3; plane++) {
        double squares = 0, changes = 0;
        const std::vector<uint16_t>& samples = found[i].planes[plane];
        for (size_t at = 0; at < samples.size(); at++) {
          squares += std::pow(samples[at] - expected[i].planes[plane][at], 2);
          changes += std::pow(samples[at] - clip.frames[i].planes[plane][at], 2);
        }
        EXPECT_LT(std::sqrt(squares / double(samples.size())), 0.41) << quantiser << ", plane " << plane;
        EXPECT_GT(changes, 4 * squares) << quantiser << ", plane " << plane;
      }
  }
}

TEST_P(DeblockTest, BatchesAndDevicesGiveTheSameBytes) {
  static std::map<std::string, std::vector<Picture>> first;
  for (const char* text : {"thr: 10", "thr: 0 quality: 4 bratio: 0.5 sharp: true", "qp: 70 quality: 5"})
    for (const int bits : {8, 12, 16}) {
      const Clip clip = clip_with_tables({150, 75, Chroma::k420, bits}, 7, QuantiserScale::kLinear, 6);
      const std::vector<Picture>& expected =
          first.try_emplace(fmt::format("{} {}", text, bits), deblocked(text, clip, 1)).first->second;
      for (const int batch : {1, 2, 5, 7})
        expect_same(expected, deblocked(text, clip, batch), fmt::format("{}, batch {}", text, batch));
    }
}

// The quantisers of a frame are those of the frames that deinterlacers make of it.
TEST_P(DeblockTest, FollowsTheQuantisersThroughOtherFilters) {
  const Clip clip = clip_with_tables({64, 48, Chroma::k420, 8}, 6, QuantiserScale::kLinear, 8);
  for (const char* name : {"bob", "temporal_nr", "bwdif"}) {
    const std::vector<Options> chain = {parse_options(name, ""), parse_options("deblock", "thr: 10")};
    const auto both = run_clip(device(), chain, clip, {.properties = clip.properties});
    ASSERT_THAT(both, IsOk());
    const auto alone = run_clip(device(), {chain[0]}, clip);
    Clip between = clip;
    between.frames = pictures_of(*alone);
    between.infos.clear();
    for (const TimedPicture& each : *alone) between.infos.push_back(clip.infos[size_t(each.source_index)]);
    expect_same(deblocked("thr: 10", between), pictures_of(*both), name);
  }
}

TEST(DeblockChains, QtgmcAndDecimatePassQuantisersOn) {
  const PictureProperties properties{.quantisers = QuantiserScale::kLinear};
  for (const char* name : {"qtgmc", "decimate", "yadif", "weave", "nnedi", "smdegrain", "dftdenoise",
                           "deband", "edgelevel", "bilateral", "convert", "merge"}) {
    const std::string text = std::string_view(name) == "nnedi" ? "network: NNEDI_NETWORK_FAST" : "";
    const auto network = expand(nullptr, {parse_options(name, text), parse_options("deblock", "")},
                                {64, 48, Chroma::k420, 8}, properties);
    ASSERT_THAT(network, IsOk()) << name;
    EXPECT_TRUE(network->reads_quantisers()) << name;
  }
}

TEST(DeblockChains, ChangesOfGeometryAreRefused) {
  const PictureProperties properties{.quantisers = QuantiserScale::kLinear};
  const auto with = [&](const char* name, const char* text, const char* deblock) {
    return expand(nullptr, {parse_options(name, text), parse_options("deblock", deblock)},
                  {64, 48, Chroma::k420, 8}, properties);
  };
  for (const auto& [name, text] :
       {std::pair("resize", "size: '32x32'"), std::pair("crop", "size: '64x40'"),
        std::pair("pad", "size: '80x48'"), std::pair("transpose", "turn: TRANSPOSE_TURN_HFLIP"),
        std::pair("enlarge", "network: NNEDI_NETWORK_FAST")}) {
    EXPECT_THAT(with(name, text, "").status(),
                StatusIs(StatusCode::kInvalidArgument, "put deblock in front of it"))
        << name;
    const auto fixed = with(name, text, "qp: 50");
    ASSERT_THAT(fixed, IsOk()) << name;
    EXPECT_FALSE(fixed->reads_quantisers());
  }
  EXPECT_THAT(with("resize", "size: '64x48'", ""), IsOk()) << "the same size";
}

TEST(DeblockChains, AVideoWithoutQuantisersNeedsAFixedOne) {
  const VideoFormat format{64, 48, Chroma::k420, 8};
  EXPECT_THAT(expand(nullptr, {parse_options("deblock", "")}, format).status(),
              StatusIs(StatusCode::kInvalidArgument, "set a fixed one, such as qp=40"));
  EXPECT_THAT(expand(nullptr, {parse_options("deblock", "qp: 40")}, format), IsOk());
}

}  // namespace
}  // namespace weft::filters
