// SPDX-License-Identifier: Apache-2.0
// Reads images of textures as pictures for display, with the modes of their blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"
#include "server/media/file.h"

namespace weft::worker {

struct TexturePicture {
  int width = 0;
  int height = 0;
  int64_t pictures = 0;        // number of images in the texture
  std::vector<uint8_t> rgb{};  // rows from the top, without gaps
  std::vector<uint8_t>
      // a byte for each block, as documented at PictureDescription.has_block_modes; empty without
      // blocks
      modes{};
};

// Decodes textures on the CPU device, which it opens at the first texture. Not thread-safe.
class TexturePictureReader {
 public:
  // Returns true for a texture, and for an image that only texture jobs accept (TGA).
  static StatusOr<bool> takes(const media::InputFile& file);
  // Reads the first level of image `index`. If a side may not exceed `longest_side` (0: no limit),
  // reads the first smaller level that fits, or a reduced picture of the last level; the result
  // then has no modes. OUT_OF_RANGE: the image does not exist. RESOURCE_EXHAUSTED: it has more than
  // `most_bytes`.
  StatusOr<TexturePicture> read(const media::InputFile& file, int64_t index, int longest_side,
                                int64_t most_bytes);

 private:
  StatusOr<std::string> texels_of(int format, int width, int height, std::string_view blocks);
  std::unique_ptr<device::Device> device_;
};

// Halves a picture until neither side is longer than `longest_side`; 0 leaves it unchanged.
void shrink(std::vector<uint8_t>& rgb, int& width, int& height, int longest_side);

}  // namespace weft::worker
