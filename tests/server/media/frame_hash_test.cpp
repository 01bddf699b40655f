// SPDX-License-Identifier: Apache-2.0
#include "server/media/frame_hash.h"

#include <random>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace weft::media {
namespace {

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The values are those of the reference program (xxhsum -H1).
TEST(Hasher, GivesTheReferenceValues) {
  EXPECT_EQ(hash_bytes({}), 0xEF46DB3751D8E999u);
  EXPECT_EQ(hash_bytes(bytes_of("a")), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(hash_bytes(bytes_of("abc")), 0x44BC2CF5AD770999u);
  EXPECT_EQ(hash_bytes(bytes_of("Nobody inspects the spammish repetition")), 0xFBCEA83C8A378BF1u);
}

TEST(Hasher, DoesNotDependOnTheCuts) {
  std::mt19937 random(7);
  std::vector<uint8_t> data(1000);
  for (uint8_t& byte : data) byte = uint8_t(random());
  for (int round = 0; round < 100; round++) {
    Hasher hasher;
    for (size_t at = 0; at < data.size();) {
      const size_t piece = std::min(data.size() - at, size_t(random() % 70));
      hasher.add(std::span(data).subspan(at, piece));
      at += piece;
    }
    ASSERT_EQ(hasher.value(), hash_bytes(data));
  }
}

TEST(HashPicture, IgnoresPaddingAndNoticesEverySample) {
  const VideoFormat format{.width = 5, .height = 3, .chroma = Chroma::k420, .bit_depth = 10};
  std::vector<uint16_t> samples(8 * 3 * 3, 7);
  const auto view = [&] {
    PictureView picture{.format = format};
    for (size_t plane = 0; plane < 3; plane++) {
      picture.plane[plane] = reinterpret_cast<const uint8_t*>(samples.data() + plane * 24);
      picture.stride_bytes[plane] = 16;
    }
    return picture;
  };
  const uint64_t before = hash_picture(view());
  samples[5] = 9;  // a byte beyond the width
  EXPECT_EQ(hash_picture(view()), before);
  for (const size_t inside : {0, 4, 20, 24, 26, 34, 48, 58}) {
    samples[inside] ^= 1;
    EXPECT_NE(hash_picture(view()), before) << inside;
    samples[inside] ^= 1;
  }
  EXPECT_EQ(hash_picture(view()), before);
}

}  // namespace
}  // namespace weft::media
