// SPDX-License-Identifier: Apache-2.0
// Tests the networks that make blocks: their files, their numbers against PyTorch's, and properties
// of the blocks on every device.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "server/filters/texture/small_weights.h"
#include "tests/server/filters/texture/small_tests.h"

namespace weft::filters::texture {
namespace {

std::vector<SubmodeNetwork> all_networks_of(const SmallNetwork& network) {
  std::vector<SubmodeNetwork> all = network.submodes;
  all.insert(all.end(), network.formats.begin(), network.formats.end());
  return all;
}

TEST(SmallNetworkTest, EveryKindIsBuiltIn) {
  for (const std::string kind : kSmallKinds) {
    const auto network = small_of(kind);
    EXPECT_EQ(network->title.name, "texture_small_" + kind);
    EXPECT_EQ(network->predictor.size(), 3u);
    EXPECT_GE(network->submodes.size(), 2u);
    EXPECT_EQ(network->predictor.back().outputs, int(network->submodes.size()));
    ASSERT_EQ(network->formats.size(), 2u);
    EXPECT_EQ(network->formats[0].submode.mode, SMALL_BC1);
    EXPECT_EQ(network->formats[1].submode.mode, SMALL_BC5);
    for (const SubmodeNetwork& submode : all_networks_of(*network)) {
      EXPECT_EQ(submode.layers.size(), 5u);
      EXPECT_EQ(submode.layers.back().outputs, submode.submode.outputs());
    }
  }
  EXPECT_THAT(built_in_small_network("other").status(),
              StatusIs(StatusCode::kNotFound, "models/texture_small_other.safetensors"));
}

TEST(SmallNetworkTest, RefusesOtherFiles) {
  EXPECT_THAT(parse_small_network(networks::built_in_file("texture_mask").value()).status(),
              StatusIs(StatusCode::kInvalidArgument, "'texture-1' in place of 'texture-small-2'"));
  const auto file = networks::built_in_file("texture_small_albedo").value();
  std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  text.replace(text.find("1/13"), 4, "1/99");
  EXPECT_THAT(parse_small_network(std::as_bytes(std::span(text))).status(),
              StatusIs(StatusCode::kInvalidArgument, "'1/99' is no submode"));
}

TEST(SmallNetworkTest, ReadsSubmodes) {
  EXPECT_EQ(parse_submode("6").value(), (Submode{.mode = 6}));
  EXPECT_EQ(parse_submode("1/63").value(), (Submode{.mode = 1, .pattern = 63}));
  EXPECT_EQ(parse_submode("0/15").value(), (Submode{.mode = 0, .pattern = 15}));
  EXPECT_EQ(parse_submode("5/3").value(), (Submode{.mode = 5, .rotation = 3}));
  EXPECT_EQ(parse_submode("4/2/1").value(), (Submode{.mode = 4, .rotation = 2, .selector = 1}));
  EXPECT_EQ(parse_submode("6")->outputs(), 22);
  EXPECT_EQ(parse_submode("1/13")->outputs(), 28);
  EXPECT_EQ(parse_submode("2/0")->outputs(), 34);
  EXPECT_EQ(parse_submode("4/1/0")->outputs(), 38);
  EXPECT_EQ(parse_submode("bc1")->outputs(), 22);
  EXPECT_EQ(parse_submode("bc5")->outputs(), 36);
  for (const char* text : {"", "7/1", "8", "6/0", "1", "1/64", "0/16", "4/1", "4/0/1", "4/1/2", "5/4", "5/0",
                           "-1", "1/1x", "1//1", "99999999999", "bc7"})
    EXPECT_THAT(parse_submode(text).status(), StatusIs(StatusCode::kInvalidArgument, "is no submode"))
        << text;
}

TEST(SmallNetworkTest, TheModelInDoublesIsPyTorchs) {
  for (const std::string kind : kSmallKinds) {
    const auto network = small_of(kind);
    const SmallVectors vectors = small_vectors_of(kind);
    ASSERT_EQ(vectors.submodes, network->submodes.size());
    const std::vector<SubmodeNetwork> networks = all_networks_of(*network);
    const int across = vectors.texels.width / 2;
    for (size_t source = 0; source < vectors.rows.size(); source++)
      for (size_t block = 0; block < vectors.rows[source].size(); block++) {
        const std::vector<double>& row = vectors.rows[source][block];
        const auto inputs = inputs_of(vectors.texels, BORDER_CLAMP, int(block) % across, int(block) / across);
        const auto errors = predicted(*network, inputs);
        for (size_t i = 0; i < vectors.submodes; i++) ASSERT_NEAR(errors[i], row[i], 1.0 / 1024) << kind;
        for (size_t i = 0; i < networks.size(); i++) {
          const auto outputs = outputs_of(networks[i], inputs, TexelSource(source));
          for (size_t k = 0; k < outputs.size(); k++)
            ASSERT_NEAR(outputs[k], row[vectors.submodes + i * vectors.most_outputs + k], 1.0 / 1024) << kind;
        }
      }
  }
}

float half_at(std::span<const uint32_t> words, size_t index, int which) {
  return float(std::bit_cast<kernels::half>(uint16_t(words[index] >> (16 * which))));
}

// PTX's mma.m16n8k16: input k to output n of 8 is in lane 4 n + k % 8 / 2, in its word k / 8, half
// k % 2.
TEST(SmallWeightsTest, FragmentsLieAsTheTensorCoresReadThem) {
  constexpr int kSteps = 3, kOutputs = 32, kPairs = kOutputs / 16;
  const auto weight = [](int output, int step, int k) { return float(output * 64 + step * 16 + k); };
  networks::PackedWeights packed;
  packed.add_steps(kSteps, kOutputs, weight);
  const std::vector<uint32_t>& words = packed.words();
  ASSERT_EQ(words.size(), size_t(SMALL_FRAGMENTS(16 * kSteps, kOutputs) * 4));
  for (int output = 0; output < kOutputs; output++)
    for (int step = 0; step < kSteps; step++)
      for (int k = 0; k < 16; k++) {
        const int lane = 4 * (output % 8) + k % 8 / 2, word = output / 8 % 2 * 2 + k / 8;
        const auto index = size_t(((step * kPairs + output / 16) * 32 + lane) * 4 + word);
        ASSERT_EQ(half_at(words, index, k % 2), weight(output, step, k)) << output << " " << step << " " << k;
      }
}

// A kernel for tensor cores is compiled for a number of outputs. In its memory the network of BC1
// and BC5 takes the place of the predictor.
TEST(SmallWeightsTest, EveryNetworkOfBlocksTakesTheSameRoom) {
  const auto network = small_of("normal");
  constexpr size_t kCapacity = 4 * SMALL_BLOCKS_FRAGMENTS + SMALL_BLOCKS_BIASES;
  for (const SubmodeNetwork& submode : all_networks_of(*network)) {
    PackedSmall packed(true);
    packed.add_blocks(submode, TexelSource::kTexels);
    EXPECT_EQ(packed.words().size(), kCapacity);
    EXPECT_EQ(std::bit_cast<float>(packed.words()[kCapacity - SMALL_OUTPUTS_FRAGMENTS]),
              submode.layers.back().biases[0]);
  }
  PackedSmall packed(true);
  packed.add_predictor(network->predictor);
  EXPECT_EQ(packed.words().size(), size_t(4 * SMALL_PICK_FRAGMENTS + SMALL_PICK_BIASES));
}

WEFT_ON_EVERY_DEVICE(SmallTest);

TEST_P(SmallTest, PicksTheSubmodeOfLeastError) {
  for (const std::string kind : kSmallKinds) {
    const SmallVectors vectors = small_vectors_of(kind);
    const auto network = small_of(kind);
    const std::string blocks = blocks_of(vectors.texels, task_of(vectors.texels, kind));
    for (size_t i = 0; i < vectors.rows[0].size(); i++) {
      const Submode made = submode_of_block(std::string_view(blocks).substr(16 * i, 16));
      const std::vector<double>& row = vectors.rows[0][i];
      const double least = *std::min_element(row.begin(), row.begin() + std::ptrdiff_t(vectors.submodes));
      const auto found = std::find_if(network->submodes.begin(), network->submodes.end(),
                                      [&](const SubmodeNetwork& s) { return s.submode == made; });
      ASSERT_NE(found, network->submodes.end()) << kind << " block " << i << " mode " << made.mode;
      ASSERT_NEAR(row[size_t(found - network->submodes.begin())], least, 0.01) << kind;
    }
  }
}

// A transparent texel becomes four transparent texels. Blocks without them are made by the network,
// with any neighbours.
TEST_P(SmallTest, HolesOfBc1AreTheSearchs) {
  Picture8 small = opaque(noise(24, 16, false));
  small.at(9, 5, 3) = 17;
  Upsampling task = task_of(small, "albedo"), search = task_of(small, "");
  task.target_format = search.target_format = BLOCKS_BC1;
  const std::string made = blocks_of(small, task), plain = blocks_of(small, search);
  const size_t block = 8 * (2 * 12 + 4);
  EXPECT_EQ(made.substr(block, 8), plain.substr(block, 8));
  const std::string texels = plain::decode_image(BLOCKS_BC1, 48, 32, made);
  for (int y = 0; y < 32; y++)
    for (int x = 0; x < 48; x++)
      ASSERT_EQ(uint8_t(texels[size_t((y * 48 + x) * 4 + 3)]), x / 2 == 9 && y / 2 == 5 ? 0 : 255)
          << x << "," << y;
}

// All texels have one colour, so the endpoints are equal, and one code of BC1 would be transparent.
TEST_P(SmallTest, FlatTexturesStayFlat) {
  Picture8 small = opaque(Picture8{12, 8});
  for (size_t i = 0; i < small.texels.size(); i++)
    if (i % 4 != 3) small.texels[i] = char(99);
  for (const std::string kind : kSmallKinds)
    for (const int format : {BLOCKS_BC7, BLOCKS_BC1, BLOCKS_BC5}) {
      Upsampling task = task_of(small, kind);
      task.target_format = format;
      const std::string texels = plain::decode_image(format, 24, 16, blocks_of(small, task));
      for (size_t i = 0; i < texels.size(); i++) {
        if (format == BLOCKS_BC5 && i % 4 > 1) continue;
        ASSERT_NEAR(uint8_t(texels[i]), i % 4 == 3 ? 255 : 99, 5) << kind << " format " << format;
      }
    }
}

TEST_P(SmallTest, BatchesAndPartsMakeTheSameBlocks) {
  const Picture8 whole = opaque(waves(40, 36)), part = [&] {
    Picture8 made{40, 20};
    made.texels = whole.texels.substr(0, made.texels.size());
    return made;
  }();
  for (const std::string kind : kSmallKinds) {
    const std::string blocks = blocks_of(whole, task_of(whole, kind));
    EXPECT_EQ(blocks_of(whole, task_of(whole, kind), 1), blocks);
    // Six rows of texels next to the cut have other neighbours.
    const std::string top = blocks_of(part, task_of(part, kind));
    EXPECT_EQ(top.substr(0, 16 * 20 * 6), blocks.substr(0, 16 * 20 * 6)) << kind;
  }
}

TEST_P(SmallTest, BlocksWithAlphaAreTheSearchs) {
  Picture8 small = opaque(noise(24, 16, false));
  small.at(9, 5, 3) = 17;           // in block 4, 2
  small.at(20, 12, 3) = char(254);  // The value that BC7 may return for 255; it counts as opaque.
  const std::string made = blocks_of(small, task_of(small, "albedo")),
                    plain = blocks_of(small, task_of(small, ""));
  const size_t block = 16 * (2 * 12 + 4);
  EXPECT_EQ(made.substr(block, 16), plain.substr(block, 16));
  const std::string texels = plain::decode_image(BLOCKS_BC7, 48, 32, made);
  for (size_t y = 0; y < 32; y++)
    for (size_t x = 0; x < 48; x++) {
      const bool is_alpha = x / 4 == 4 && y / 4 == 2;
      ASSERT_EQ(is_alpha ? 255 : uint8_t(texels[(y * 48 + x) * 4 + 3]), 255) << x << "," << y;
    }
}

TEST_P(SmallTest, SidesOfAnySizeAndBorder) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{3, 2}, std::pair{17, 5}})
    for (const int border : {BORDER_CLAMP, BORDER_WRAP, BORDER_MIRROR}) {
      const Picture8 small = opaque(waves(width, height));
      Upsampling task = task_of(small, "mask");
      task.enlargement.border = border;
      const std::string blocks = blocks_of(small, task);
      ASSERT_EQ(blocks.size(), size_t((width + 1) / 2 * ((height + 1) / 2)) * 16);
      const std::string texels = plain::decode_image(BLOCKS_BC7, 2 * width, 2 * height, blocks);
      for (int y = 0; y < 2 * height; y++)
        for (int x = 0; x < 2 * width; x++)
          for (int c = 0; c < 3; c++)
            ASSERT_NEAR(uint8_t(texels[size_t((y * 2 * width + x) * 4 + c)]), small.code(x / 2, y / 2, c), 60)
                << width << "x" << height << ", border " << border;
    }
}

// The floats of networks differ in their last bits, so codes at a boundary may differ in few
// blocks. Tensor cores compute with half floats, so more blocks differ slightly.
TEST_P(SmallTest, DevicesDifferByLittle) {
  static std::map<std::string, std::string> first;
  const bool has_halves = device().info().kind == device::BackendKind::kCuda;
  for (const std::string kind : kSmallKinds) {
    const Picture8 small = small_vectors_of(kind).texels;
    const std::string blocks = blocks_of(small, task_of(small, kind));
    const auto known = first.emplace(kind, blocks).first;
    const auto texels_of = [&](const std::string& made) {
      return plain::decode_image(BLOCKS_BC7, 2 * small.width, 2 * small.height, made);
    };
    const std::string texels = texels_of(blocks), wanted = texels_of(known->second);
    size_t apart = 0;
    for (size_t i = 0; i < blocks.size(); i += 16)
      apart += blocks.compare(i, 16, known->second, i, 16) != 0 ? 1 : 0;
    if (!has_halves) {
      EXPECT_LE(apart, 1 + blocks.size() / 16 / 20) << kind;
    }
    EXPECT_GT(decibels_between(texels, wanted, 3), 45) << kind;
  }
}

}  // namespace
}  // namespace weft::filters::texture
