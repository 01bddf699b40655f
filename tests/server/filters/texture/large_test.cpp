// SPDX-License-Identifier: Apache-2.0
// Tests the network that upsamples textures: its files, and its output on every device, against
// PyTorch's numbers and against sums in double precision.
#include <array>
#include <cmath>
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "tests/server/filters/texture/reference_large.h"
#include "tests/server/filters/texture/run_units.h"
#include "tests/server/filters/texture/vectors.h"

namespace weft::filters::texture {
namespace {

constexpr std::array kKinds = {"albedo", "normal", "mask"};
constexpr int kEveryBorder[] = {BORDER_CLAMP, BORDER_WRAP, BORDER_MIRROR};

Vectors vectors_of(const std::string& kind) { return parse_vectors(vectors_file(kind)); }

std::shared_ptr<const LargeNetwork> network_of(const std::string& kind) {
  return built_in_large_network(kind).value();
}

TEST(LargeNetworkTest, EveryKindIsBuiltIn) {
  for (const std::string kind : kKinds) {
    const auto network = network_of(kind);
    EXPECT_EQ(network->title.name, "texture_" + kind);
    EXPECT_EQ(network->title.date.size(), 10u);
    EXPECT_EQ(network->body.size(), kind == "normal" ? 8u : 12u);
    EXPECT_EQ(network->margin(), int(network->body.size()) + 2);
    EXPECT_EQ(network->sources.size(), 4u * 64);
  }
  EXPECT_THAT(built_in_large_network("other").status(),
              StatusIs(StatusCode::kNotFound, "models/texture_other.safetensors"));
}

TEST(LargeNetworkTest, RefusesOtherFiles) {
  const auto edges = networks::built_in_file("edi_fast").value();
  EXPECT_THAT(parse_large_network(edges).status(),
              StatusIs(StatusCode::kInvalidArgument, "'edi-1' in place of 'texture-1'"));
  const auto file = networks::built_in_file("texture_mask").value();
  EXPECT_THAT(parse_large_network(file.first(file.size() - 2)).status(),
              StatusIs(StatusCode::kInvalidArgument, "the place of tail.weight is not"));
  std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  text.replace(text.find("\"body.7.bias\""), 13, "\"body.x.bias\"");
  EXPECT_THAT(parse_large_network(std::as_bytes(std::span(text))).status(),
              StatusIs(StatusCode::kInvalidArgument, "it lacks the tensor body.7.bias"));
  for (const char* blocks : {"0", "x", "7"}) {
    std::string other(reinterpret_cast<const char*>(file.data()), file.size());
    other.replace(other.find("\"blocks\":\"6\""), 12, fmt::format("\"blocks\":\"{}\"", blocks));
    EXPECT_THAT(parse_large_network(std::as_bytes(std::span(other))).status(),
                StatusIs(StatusCode::kInvalidArgument,
                         blocks == std::string("7")
                             ? "it lacks the tensor body.12.weight"
                             : fmt::format("its 'blocks' is {} in place of a number from 1 to 16", blocks)));
  }
}

TEST(LargeNetworkTest, TellsHowTexelsWereStored) {
  EXPECT_EQ(texel_source_of(BLOCKS_NONE), TexelSource::kTexels);
  EXPECT_EQ(texel_source_of(BLOCKS_BC7), TexelSource::kBc7);
  EXPECT_EQ(texel_source_of(BLOCKS_BC1 | BLOCKS_OPAQUE), TexelSource::kBc1);
  EXPECT_EQ(texel_source_of(BLOCKS_BC3), TexelSource::kBc1);
  EXPECT_EQ(texel_source_of(BLOCKS_BC4), TexelSource::kBc5);
  EXPECT_EQ(texel_source_of(BLOCKS_BC5 | BLOCKS_NORMAL), TexelSource::kBc5);
}

TEST(LargeNetworkTest, TheModelInDoublesIsPyTorchs) {
  for (const std::string kind : kKinds) {
    const Vectors vectors = vectors_of(kind);
    ASSERT_EQ(vectors.corrections.size(), 2u);
    for (size_t source = 0; source < 2; source++) {
      const Features made =
          corrections_of(*network_of(kind), vectors.texels, BORDER_CLAMP, TexelSource(source));
      ASSERT_EQ(made.values.size(), vectors.corrections[source].values.size());
      for (size_t i = 0; i < made.values.size(); i++)
        ASSERT_NEAR(made.values[i], vectors.corrections[source].values[i], vectors.step)
            << kind << ", source " << source;
    }
  }
}

class LargeTest : public DeviceTest {
 protected:
  Picture8 enlarge(const Picture8& picture, const Enlargement& options, int alternative = -1) {
    const auto made = run_units(
        device(), texels_format(picture.width, picture.height), {picture.texels},
        [&](FilterContext context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          context.alternative = alternative;
          ASSIGN_OR_RETURN(const Port port,
                           add_enlarger(context, network, source, picture.width, picture.height, options));
          return std::vector<Port>{port};
        });
    return {2 * picture.width, 2 * picture.height, made[0].at(0)};
  }

  // Returns the permitted mean error. CUDA computes with products of half floats, which are less
  // exact.
  double slack() { return device().info().kind == device::BackendKind::kCuda ? 0.25 : 0.06; }

  // Compares the output with the expected texels. Without clipping at 0 or 255, a code is the
  // rounded value or, to keep the mean, the next one. Errors that are evenly spread over a code
  // have a mean of a quarter.
  void expect_like(const Picture8& small, const Features& corrections, int border, const Picture8& large,
                   const std::string& what) {
    for (int c = 0; c < 4; c++) {
      const Plane wanted = plain_large(small, corrections, border, c);
      double sum = 0, count = 0;
      for (int y = 0; y < large.height; y++)
        for (int x = 0; x < large.width; x++) {
          bool is_cut = false;
          for (const int i : {0, 1, large.width, large.width + 1}) {
            const double value = wanted[size_t((y & ~1) * large.width + (x & ~1) + i)];
            is_cut = is_cut || value < 0 || value > 255;
          }
          if (is_cut) continue;
          const double apart = std::abs(large.code(x, y, c) - wanted[size_t(y * large.width + x)]);
          ASSERT_LT(apart, 1 + slack()) << what << ", channel " << c << " at " << x << "," << y;
          sum += apart;
          count++;
        }
      if (count > 500) {
        EXPECT_LT(sum / count, 0.3) << what << ", channel " << c;
      }
    }
  }
};
WEFT_ON_EVERY_DEVICE(LargeTest);

TEST_P(LargeTest, MakesWhatPyTorchSays) {
  for (const std::string kind : kKinds) {
    const Vectors vectors = vectors_of(kind);
    for (size_t source = 0; source < 2; source++)
      for (const int alternative : {-1, 0, 1}) {
        if (alternative >= 0 && (kind != "normal" || source > 0)) continue;
        if (filters::is_slow(device()) && kind != "normal" && source > 0) continue;
        expect_like(vectors.texels, vectors.corrections[source], BORDER_CLAMP,
                    enlarge(vectors.texels, {.network = network_of(kind), .source = TexelSource(source)},
                            alternative),
                    fmt::format("{}, source {}, alternative {}", kind, source, alternative));
      }
  }
}

TEST_P(LargeTest, SeesWhatTheBorderSays) {
  const auto network = network_of("normal");
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{2, 3}, std::pair{33, 5}})
    for (const int border : kEveryBorder) {
      const Picture8 small = waves(width, height);
      const Enlargement options{.border = border, .network = network, .source = TexelSource::kBc5};
      expect_like(small, corrections_of(*network, small, border, TexelSource::kBc5), border,
                  enlarge(small, options), fmt::format("{}x{}, border {}", width, height, border));
    }
}

TEST_P(LargeTest, TheMeanOfFourIsTheTexel) {
  const Picture8 small = noise(37, 21, true);
  const Picture8 large = enlarge(small, {.border = BORDER_WRAP, .network = network_of("mask")});
  for (int y = 0; y < small.height; y++)
    for (int x = 0; x < small.width; x++)
      for (int c = 0; c < 4; c++) {
        const int sum = large.code(2 * x, 2 * y, c) + large.code(2 * x + 1, 2 * y, c) +
                        large.code(2 * x, 2 * y + 1, c) + large.code(2 * x + 1, 2 * y + 1, c);
        ASSERT_EQ(sum, 4 * small.code(x, y, c)) << x << "," << y;
      }
}

TEST_P(LargeTest, AlphaIsNotOfTheNetwork) {
  const Picture8 small = noise(19, 23, false);
  const Picture8 large = enlarge(small, {.network = network_of("albedo")}), plain = enlarge(small, {});
  int others = 0;
  for (size_t i = 0; i < large.texels.size(); i++) {
    if (i % 4 == 3)
      ASSERT_EQ(large.texels[i], plain.texels[i]);
    else
      others += large.texels[i] != plain.texels[i] ? 1 : 0;
  }
  EXPECT_GT(others, 1000);
}

TEST_P(LargeTest, TilesAreNotSeen) {
  const Picture8 small = noise(29, 22, false);
  for (const int border : kEveryBorder) {
    if (filters::is_slow(device()) && border != BORDER_WRAP) continue;
    Enlargement options{.is_normal = true, .border = border, .network = network_of("normal")};
    options.tile = {64, 64};
    const Picture8 whole = enlarge(small, options);
    for (const TileSize tile : {TileSize{13, 17}, TileSize{16, 22}, TileSize{29, 7}}) {
      // This tile size cuts in both directions.
      if (filters::is_slow(device()) && tile.columns != 13) continue;
      options.tile = tile;
      ASSERT_EQ(enlarge(small, options).texels, whole.texels) << tile.columns << "x" << tile.rows;
    }
  }
}

TEST_P(LargeTest, DevicesDifferByACodeAtMost) {
  static std::map<std::string, std::string> first;
  const Picture8 small = bumps(60, 40, 1);
  for (const std::string kind : kKinds) {
    const Picture8 large = enlarge(small, {.is_normal = kind == "normal", .network = network_of(kind)});
    const auto known = first.emplace(kind, large.texels).first;
    size_t apart = 0;
    for (size_t i = 0; i < large.texels.size(); i++) {
      const int difference = std::abs(int(uint8_t(large.texels[i])) - int(uint8_t(known->second[i])));
      ASSERT_LE(difference, 1) << kind;
      apart += size_t(difference);
    }
    EXPECT_LT(apart, large.texels.size() / 10) << kind;
  }
}

// The bound excludes the texels of input and output. The tiles for groups of warps are larger, but
// only GPUs with enough memory use them.
TEST_P(LargeTest, MemoryDoesNotGrowWithTheTexture) {
  const size_t most = device().info().kind == device::BackendKind::kCuda ? 640 : 100;  // MiB
  const auto scratch = [&](int side) {
    Network network;
    const FilterContext context{.device = &device(), .caches = &caches_of(device())};
    const Port source = network.set_source(texels_format(side, side));
    const StatusOr<Port> large =
        add_enlarger(context, network, source, side, side, {.network = network_of("albedo")});
    EXPECT_THAT(large, IsOk());
    EXPECT_THAT(network.set_outputs({*large}), IsOk());
    return Plan::compile(network, kOneUnit).value().scratch_bytes;
  };
  EXPECT_EQ(scratch(4096), scratch(8192));
  EXPECT_LE(scratch(8192), most << 20);
}

TEST_P(LargeTest, UnitNormalsStayUnit) {
  const Picture8 large = enlarge(bumps(40, 30, 1), {.is_normal = true, .network = network_of("normal")});
  for (size_t i = 0; i < large.texels.size(); i += 4) {
    double square = 0;
    for (size_t c = 0; c < 3; c++) square += std::pow(uint8_t(large.texels[i + c]) / 127.5 - 1, 2);
    ASSERT_NEAR(std::sqrt(square), 1, 0.01);
  }
}

}  // namespace
}  // namespace weft::filters::texture
