// SPDX-License-Identifier: Apache-2.0
// Tests network files: the content of a valid one, and the error of each kind of invalid one.
#include "server/filters/nnedi/edge_network.h"

#include <bit>
#include <cmath>

#include <gmock/gmock.h>

#include "base/status.h"
#include "server/filters/networks/packing.h"
#include "tests/server/filters/nnedi/made_network.h"

namespace weft::filters {
namespace {

using nnedi::built_in_edge_network;
using nnedi::EdgeNetwork;
using nnedi::parse_edge_network;

void expect_refused(const std::vector<std::byte>& file, const std::string& why) {
  EXPECT_THAT(parse_edge_network(file).status(), StatusIs(StatusCode::kInvalidArgument, why));
}

TEST(EdgeNetworkTest, BothNetworksAreBuiltIn) {
  const EdgeNetwork fast = *built_in_edge_network("fast").value();
  EXPECT_EQ(fast.title.name, "fast");
  EXPECT_EQ(fast.channels, 16);
  EXPECT_TRUE(fast.is_fast());
  EXPECT_EQ(fast.multiply_adds(), 2896);
  const EdgeNetwork best = *built_in_edge_network("best").value();
  EXPECT_EQ(best.title.name, "best");
  EXPECT_EQ(best.channels, 32);
  EXPECT_FALSE(best.is_fast());
  EXPECT_EQ(best.multiply_adds(), 56480);
  EXPECT_THAT(built_in_edge_network("other").status(), StatusIs(StatusCode::kNotFound, "models/edi_other"));
}

TEST(EdgeNetworkTest, ReadsWhatWasWritten) {
  const EdgeNetwork network = parse_edge_network(MadeNetwork::best(2.5).file()).value();
  EXPECT_EQ(network.prescreen, 2.5);
  EXPECT_EQ(network.title.date, "2026-01-02");
  ASSERT_EQ(network.body.size(), 6u);
  EXPECT_EQ(network.body[5].weights.size(), 32u * 32 * 9);
  EXPECT_EQ(network.tail.biases.size(), 1u);
}

TEST(EdgeNetworkTest, ReadsHalves) {
  MadeNetwork made = MadeNetwork::fast();
  std::string header = "{" + made.metadata, data;
  for (const MadeTensor& tensor : made.tensors) {
    size_t count = 1;
    for (const int side : tensor.shape) count *= size_t(side);
    header += fmt::format(R"(,"{}":{{"dtype":"F16","shape":[{}],"data_offsets":[{},{}]}})", tensor.name,
                          fmt::join(tensor.shape, ","), data.size(), data.size() + count * 2);
    // 1, -2, the largest half float, the smallest one
    constexpr uint16_t kHalves[] = {0x3c00, 0xc000, 0x7bff, 0x0001};
    for (size_t i = 0; i < count; i++) {
      data += char(kHalves[i % 4] & 255);
      data += char(kHalves[i % 4] >> 8);
    }
  }
  const EdgeNetwork network = parse_edge_network(MadeNetwork::joined(header + "}", data)).value();
  EXPECT_EQ(network.head.weights[0], 1.0f);
  EXPECT_EQ(network.head.weights[1], -2.0f);
  EXPECT_EQ(network.head.weights[2], 65504.0f);
  EXPECT_EQ(network.head.weights[3], std::ldexp(1.0f, -24));
}

TEST(EdgeNetworkTest, RefusesWhatIsNoSafetensorsFile) {
  expect_refused({}, "it has 0 bytes");
  expect_refused(std::vector<std::byte>(7), "it has 7 bytes");
  expect_refused(std::vector<std::byte>(100, std::byte{0xff}), "its header would have 18446744073709551615");
  expect_refused(MadeNetwork::joined("no json", ""), "its header is no JSON object");
  expect_refused(MadeNetwork::joined("[1]", ""), "its header is no JSON object");
  std::vector<std::byte> cut = MadeNetwork::fast().file();
  cut.resize(20);
  expect_refused(cut, "its header would have");
}

TEST(EdgeNetworkTest, RefusesOtherMetadata) {
  const auto with = [](const std::string& metadata) {
    MadeNetwork made = MadeNetwork::fast();
    made.metadata = metadata;
    return made.file();
  };
  expect_refused(with(R"("__metadata__":{})"), "has no 'version'");
  expect_refused(with(R"("other":{})"), "has no 'version'");
  expect_refused(with(R"("__metadata__":{"version":"edi-9"})"), "'edi-9' in place of 'edi-1'");
  expect_refused(with(R"("__metadata__":{"version":"edi-1","name":"x"})"), "has no 'prescreen'");
  const auto numbers = [&](const std::string& prescreen, const std::string& channels) {
    return with(
        fmt::format(R"("__metadata__":{{"version":"edi-1","name":"x","prescreen":"{}","channels":"{}"}})",
                    prescreen, channels));
  };
  expect_refused(numbers("-1", "16"), "'prescreen' is -1");
  expect_refused(numbers("nan", "16"), "'prescreen' is nan");
  expect_refused(numbers("3x", "16"), "'prescreen' is 3x");
  expect_refused(numbers("256", "16"), "'prescreen' is 256");
  expect_refused(numbers("3", "17"), "17 channels");
  expect_refused(numbers("3", "many"), "'channels' is many");
  expect_refused(numbers("3", "16"), "has no 'date'");
}

TEST(EdgeNetworkTest, RefusesOtherTensors) {
  MadeNetwork made = MadeNetwork::fast();
  made.tensors.pop_back();
  expect_refused(made.file(), "lacks the tensor tail.bias");
  made = MadeNetwork::fast();
  made.tensors.push_back({"body.1.bias", {16}, 1});
  expect_refused(made.file(), "a tensor body.1.bias that is unknown");
  made = MadeNetwork::fast();
  made.tensors[0].shape = {16, 1, 7, 4};
  expect_refused(made.file(), "head.weight has another shape than");
  made.tensors[0].shape = {16, 28};
  expect_refused(made.file(), "head.weight has another shape than");
  made = MadeNetwork::fast();
  made.tensors[1].scale = 1e39;
  expect_refused(made.file(), "head.bias has a value that is no number");
}

TEST(EdgeNetworkTest, RefusesWrongPlacesAndTypes) {
  const std::string metadata = MadeNetwork::fast().metadata;
  const auto head = [&](const std::string& tensor) {
    return MadeNetwork::joined("{" + metadata + ",\"head.weight\":" + tensor + "}", std::string(2000, '\0'));
  };
  const std::string shape = R"("shape":[16,1,4,7])";
  expect_refused(head("7"), "of type ''");
  expect_refused(head(R"({"dtype":"I8",)" + shape + "}"), "of type 'I8' in place of F16 or F32");
  expect_refused(head(R"({"dtype":"F32"})"), "has another shape");
  const auto place = [&](const std::string& offsets) {
    return head(R"({"dtype":"F32",)" + shape + R"(,"data_offsets":)" + offsets + "}");
  };
  for (const char* offsets : {"[]", "[0]", "[0,1791]", "[1000,2792]", "[-1792,0]", "[-5,1787]", "[1792,0]",
                              "[0,1e300]", "[\"a\",\"b\"]", "null"})
    expect_refused(place(offsets), "the place of head.weight is not 1792 of the file's 2000 bytes");
  expect_refused(place("[208,2000]"), "lacks the tensor head.bias");
}

// PTX's mma.m16n8k16: input k to output n of 8 is in lane 4 n + k % 8 / 2, in its word k / 8, half
// k % 2.
TEST(PackedWeightsTest, AStepLiesAsTensorCoresReadIt) {
  networks::PackedWeights packed;
  packed.add_step([](int input, int output) { return float(output * 16 + input); });
  ASSERT_EQ(packed.words().size(), 64u);
  for (int output = 0; output < 8; output++)
    for (int k = 0; k < 16; k++) {
      const uint32_t word = packed.words()[size_t(k / 8 * 32 + 4 * output + k % 8 / 2)];
      ASSERT_EQ(float(std::bit_cast<kernels::half>(uint16_t(word >> (16 * (k % 2))))), output * 16 + k);
    }
}

TEST(PackedWeightsTest, GroupsOfOutputsEndWithTheirBiases) {
  networks::PackedWeights packed;
  packed.begin_part();
  packed.add_groups({1, 3, 1, 2, {1, 2, 3, 4, 5, 6}, {7, 8, 9}}, 2);
  packed.begin_part();
  EXPECT_THAT(packed.offsets_bytes(), testing::ElementsAre(0, 256));
  std::vector<float> floats;
  for (const uint32_t word : packed.words()) floats.push_back(std::bit_cast<float>(word));
  floats.resize(12);
  EXPECT_THAT(floats, testing::ElementsAre(1, 3, 2, 4, 7, 8, 5, 0, 6, 0, 9, 0));
}

}  // namespace
}  // namespace weft::filters
