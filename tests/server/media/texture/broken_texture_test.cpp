// SPDX-License-Identifier: Apache-2.0
// Tests invalid textures: each gives an error, without a crash or gigabytes of memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/peak_memory.h"
#include "tests/server/media/texture/textures.h"

namespace weft::media {
namespace {

TextureInfo small_info() {
  TextureInfo info;
  info.format = TextureFormat::kBc7;
  info.width = 20;
  info.height = 12;
  info.levels = 3;
  info.layers = 2;
  info.is_array = true;
  return info;
}

std::string file_of(TextureContainer container, std::optional<int> zstd_level = {}) {
  Texture texture = noise_texture(small_info());
  texture.key_values = words({14}) + std::string("KTXwriter\0Weft\0\0", 16);
  return encode_texture(texture, {container, zstd_level}).value_or("");
}

Status handle(const std::string& bytes) {
  const StatusOr<Texture> texture = read_texture(bytes, "broken");
  EXPECT_TRUE(texture.ok() || message_of(texture.status()).size() > 30) << texture.status();
  EXPECT_NE(texture.status().code(), StatusCode::kInternal) << texture.status();
  EXPECT_NE(texture.status().code(), StatusCode::kResourceExhausted) << texture.status();
  return texture.status();
}

class DamagedTexture : public testing::TestWithParam<std::pair<TextureContainer, bool>> {
 protected:
  std::string good() const {
    return file_of(GetParam().first, GetParam().second ? std::optional(1) : std::nullopt);
  }
};

TEST_P(DamagedTexture, CutAnywhere) {
  const std::string bytes = good();
  ASSERT_THAT(handle(bytes), IsOk());
  for (size_t size = 0; size < bytes.size(); size++)
    EXPECT_THAT(handle(bytes.substr(0, size)), testing::Not(IsOk())) << size << " of " << bytes.size();
}

TEST_P(DamagedTexture, EveryNumberOfTheHeaderAtItsExtremes) {
  const std::string bytes = good();
  for (size_t at = 0; at + 4 <= std::min<size_t>(bytes.size(), 300); at += 4)
    for (const uint32_t number : {0u, 1u, 17u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0xfffffff0u, 65536u})
      handle(with_word(bytes, at, number)).IgnoreError();
}

TEST_P(DamagedTexture, BytesChanged) {
  const std::string bytes = good();
  std::mt19937 random(5);
  for (int round = 0; round < 3000; round++) {
    std::string bad = bytes;
    const size_t range = round % 2 == 0 ? std::min<size_t>(bad.size(), 250) : bad.size();
    for (int change = 0; change < 1 << (round % 4); change++) bad[random() % range] = char(random());
    handle(bad).IgnoreError();
  }
}

INSTANTIATE_TEST_SUITE_P(Containers, DamagedTexture,
                         testing::Values(std::pair{TextureContainer::kDds, false},
                                         std::pair{TextureContainer::kKtx2, false},
                                         std::pair{TextureContainer::kKtx2, true}));

// Expects an error for a valid file with one changed number.
struct RefusalsOf {
  const std::string& good;
  void operator()(size_t at, uint32_t number, StatusCode code, const char* words) const {
    EXPECT_THAT(handle(with_word(good, at, number)), StatusIs(code, words)) << at << ": " << number;
  }
};

TEST(BrokenDds, SaysWhatIsWrong) {
  const std::string good = file_of(TextureContainer::kDds);
  const RefusalsOf expect{good};
  expect(4, 123, StatusCode::kInvalidArgument, "DDS headers have 124");
  expect(76, 31, StatusCode::kInvalidArgument, "DDS headers do so in 32");
  expect(12, 0, StatusCode::kInvalidArgument, "is empty");
  expect(12, 65536, StatusCode::kInvalidArgument, "a side at most 32768");
  expect(16, 0xffffffff, StatusCode::kInvalidArgument, "a side at most 32768");
  expect(16, 32768, StatusCode::kDataLoss, "are there");  // more bytes than the file has
  expect(28, 6, StatusCode::kInvalidArgument, "one of 20x12 texels has 1 to 5");
  expect(28, 0xffffffff, StatusCode::kInvalidArgument, "there are at most 16");
  expect(112, 0x200000, StatusCode::kInvalidArgument, "is a volume");
  expect(128, 95, StatusCode::kInvalidArgument, "BC6H");
  expect(128, 2, StatusCode::kInvalidArgument, "DXGI 2");
  expect(132, 4, StatusCode::kInvalidArgument, "two dimensions");
  expect(140, 0xffffffff, StatusCode::kInvalidArgument, "give 1 to 2048");
  expect(136, 4, StatusCode::kInvalidArgument, "no squares");
  const std::string old = with_word(good, 84, 0x31545844);
  EXPECT_THAT(handle(with_word(old, 112, 0x600)), StatusIs(StatusCode::kInvalidArgument, "lacks faces"));
  EXPECT_THAT(handle(with_word(old, 84, 0x20202020)),
              StatusIs(StatusCode::kInvalidArgument, "fourCC 0x20202020"));
  // 32768x32768 texels, 2048 cubes: the size in bytes exceeds 32 bits and any memory.
  std::string huge = with_word(with_word(with_word(good, 12, 32768), 16, 32768), 140, 2048);
  EXPECT_THAT(handle(with_word(huge, 136, 4)),
              StatusIs(StatusCode::kInvalidArgument, "at most 4294967296 are read"));
}

TEST(BrokenKtx2, SaysWhatIsWrong) {
  const std::string good = file_of(TextureContainer::kKtx2);
  const RefusalsOf expect{good};
  expect(12, 144, StatusCode::kInvalidArgument, "BC6H");
  expect(12, 0, StatusCode::kInvalidArgument, "Basis");
  expect(12, 9, StatusCode::kInvalidArgument, "VkFormat 9");
  expect(44, 1, StatusCode::kInvalidArgument, "Basis");
  expect(44, 3, StatusCode::kInvalidArgument, "use none or zstd");
  expect(20, 0, StatusCode::kInvalidArgument, "is empty");
  expect(24, 0, StatusCode::kInvalidArgument, "two dimensions");
  expect(28, 1, StatusCode::kInvalidArgument, "two dimensions");
  expect(20, 0xffffffff, StatusCode::kInvalidArgument, "a side at most");
  expect(32, 0xffffffff, StatusCode::kInvalidArgument, "layers");
  expect(36, 2, StatusCode::kInvalidArgument, "2 faces");
  expect(40, 0xffffffff, StatusCode::kInvalidArgument, "at most 16");
  expect(40, 6, StatusCode::kInvalidArgument, "1 to 5");
  expect(48, 0xffffff00, StatusCode::kDataLoss, "descriptor");
  expect(52, 0, StatusCode::kDataLoss, "descriptor");
  expect(56, 0xffffff00, StatusCode::kDataLoss, "keys and values");
  expect(80, 0, StatusCode::kDataLoss, "lies in the header");
  // upper half of an offset
  expect(84, 0xffffffff, StatusCode::kDataLoss, "lies outside the file");
  expect(88, 0xffffffff, StatusCode::kDataLoss, "lies outside the file");
  expect(88, 16, StatusCode::kDataLoss, "instead of");
  expect(96, 16, StatusCode::kDataLoss, "instead of");
  const auto level2 = uint32_t(uint8_t(good[128])) | uint32_t(uint8_t(good[129])) << 8;
  expect(104, level2, StatusCode::kDataLoss, "overlap");
}

TEST(BrokenKtx2, CompressedLevelsGiveNoMoreThanTheyMust) {
  // A zstd frame of 1 MiB of zeros is the data of a level of 32 bytes.
  TextureInfo large;
  large.width = large.height = 512;
  Texture zeros = make_texture(large).value();
  const std::string bomb = *encode_texture(zeros, {TextureContainer::kKtx2, 1});
  std::string bad = with_word(with_word(bomb, 20, 2), 24, 4);  // 2x4 texels
  bad = with_word(bad, 96, 32);                                // declared size of the level
  EXPECT_THAT(handle(bad), StatusIs(StatusCode::kDataLoss, "zstd cannot decompress level 0"));
}

TEST(BrokenTexture, HeadersThatPromiseMuchTakeNoMemory) {
  for (const TextureContainer container : {TextureContainer::kDds, TextureContainer::kKtx2}) {
    std::string bad = file_of(container);
    const size_t side_at = container == TextureContainer::kDds ? 12 : 20;
    bad = with_word(with_word(bad, side_at, 32768), side_at + 4, 32768);  // 1 GiB per layer
    EXPECT_LT(peak_growth_kib([&] { return handle(bad).code() == StatusCode::kDataLoss; }), 64 << 10);
  }
}

TEST(BrokenTexture, AnotherFileIsNone) {
  EXPECT_THAT(read_texture("\x89PNG\r\n\x1a\n and more", "picture.png"),
              StatusIs(StatusCode::kInvalidArgument, "give DDS or KTX2"));
  EXPECT_THAT(read_texture("", "nothing"), StatusIs(StatusCode::kInvalidArgument, "nothing"));
}

}  // namespace
}  // namespace weft::media
