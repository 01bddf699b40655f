// SPDX-License-Identifier: Apache-2.0
// Decodes BC7 blocks by another program: Pillow (Debian's python3-pil).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/server/filters/texture/run_units.h"
#include "tests/server/filters/texture/sample_texels.h"

namespace weft::filters::texture {
namespace {

std::string words(std::initializer_list<uint32_t> numbers) {
  std::string bytes;
  for (const uint32_t number : numbers)
    for (int shift = 0; shift < 32; shift += 8) bytes += char(number >> shift);
  return bytes;
}

// Returns a DDS file (Microsoft, "Programming Guide for DDS") of BC7_UNORM with straight alpha.
std::string dds_of(int width, int height, const std::string& blocks) {
  constexpr uint32_t kDx10 = 0x30315844, kBc7 = 98;
  return "DDS " + words({124, 0x1007, uint32_t(height), uint32_t(width), 0, 0, 1}) + std::string(44, '\0') +
         words({32, 4, kDx10, 0, 0, 0, 0, 0, 0x1000, 0, 0, 0, 0}) + words({kBc7, 3, 0, 1, 1}) + blocks;
}

class OtherDecoder : public testing::Test {
 protected:
  // Returns the RGBA texels as Pillow reads the blocks, or an empty string if it cannot read them.
  static std::string by_pillow(int width, int height, const std::string& blocks) {
    const std::string name = testing::TempDir() + "weft_other_decoder_" + std::to_string(::getpid());
    std::ofstream(name + ".dds", std::ios::binary) << dds_of(width, height, blocks);
    const std::string command =
        "/usr/bin/python3 -c \"import sys; from PIL import Image; "
        "open(sys.argv[2], 'wb').write(Image.open(sys.argv[1]).convert('RGBA').tobytes())\" " +
        name + ".dds " + name + ".rgba";
    const bool is_read = std::system(command.c_str()) == 0;
    std::ifstream file(name + ".rgba", std::ios::binary);
    const std::string texels{std::istreambuf_iterator<char>(file), {}};
    for (const char* extension : {".dds", ".rgba"}) std::remove((name + extension).c_str());
    return is_read ? texels : "";
  }

  std::string run_on(const PortFormat& source, const std::string& unit, const Build& build) {
    return run_units(device_, source, {unit}, build)[0].at(0);
  }
  std::string encode(const BlockImage& image, const std::string& texels, int quality) {
    return run_on(
        texels_format(image.width, image.height), texels,
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          ASSIGN_OR_RETURN(const Port blocks, add_encoder(context, network, source, image, quality));
          return std::vector<Port>{blocks};
        });
  }
  std::string decode(const BlockImage& image, const std::string& blocks) {
    return run_on(
        blocks_format(image), blocks,
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          ASSIGN_OR_RETURN(const Port texels, add_decoder(context, network, source, image));
          return std::vector<Port>{texels};
        });
  }
  void expect_same(const BlockImage& image, const std::string& blocks, const std::string& what) {
    const std::string other = by_pillow(image.width, image.height, blocks);
    ASSERT_EQ(other.size(), size_t(image.width) * size_t(image.height) * 4)
        << "Pillow reads no BC7 here; install python3-pil.";
    EXPECT_TRUE(decode(image, blocks) == other) << what;
  }

  // One device is enough, since blocks are the same on every device.
  device::Device& device_ = *test_devices().front();
};

// The image contains every test picture of the encoder, with and without alpha.
TEST_F(OtherDecoder, ReadsWhatTheEncoderWrites) {
  constexpr int kSide = 64, kPictures = 5;
  const BlockImage image{BLOCKS_BC7, kSide, kSide * kPictures};
  std::string texels;
  for (int kind = 0; kind < kPictures; kind++) texels += sample_texels(kind, kSide, kSide);
  for (const int quality : {QUALITY_FAST, QUALITY_MEDIUM, QUALITY_BEST})
    expect_same(image, encode(image, texels, quality), fmt::format("quality {}", quality));
}

TEST_F(OtherDecoder, AgreesOnNoiseOfEveryMode) {
  constexpr int kBlocks = 2048;
  std::mt19937 random(11);
  std::string blocks;
  for (int i = 0; i < kBlocks; i++) {
    std::string block(16, '\0');
    for (char& byte : block) byte = char(random());
    const unsigned mode = 1u << (i % 8);
    block[0] = char((uint8_t(block[0]) & ~(2 * mode - 1)) | mode);
    blocks += block;
  }
  expect_same({BLOCKS_BC7, 256, kBlocks / 64 * 4}, blocks, "noise");
}

}  // namespace
}  // namespace weft::filters::texture
