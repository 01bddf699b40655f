// SPDX-License-Identifier: Apache-2.0
// Images of textures as pictures to be looked at, with how their blocks are made.
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
  int64_t pictures = 0;        // images of the texture
  std::vector<uint8_t> rgb{};  // rows from the top, without gaps
  std::vector<uint8_t>
      modes{};  // a byte a block, as PictureDescription.has_block_modes says; empty: there are no blocks
};

// Decodes on the CPU, which is opened at the first texture. For one thread.
class TexturePictureReader {
 public:
  // Whether it is a texture, or an image that only texture jobs take (TGA).
  static StatusOr<bool> takes(const media::InputFile& file);
  // The first level of an image, or, where neither side of it may be longer than `longest_side` (0: any), the first smaller level that fits, or
  // a smaller picture made of the last, then without modes. OUT_OF_RANGE: there is no such image. RESOURCE_EXHAUSTED: more than `most_bytes`.
  StatusOr<TexturePicture> read(const media::InputFile& file, int64_t index, int longest_side,
                                int64_t most_bytes);

 private:
  StatusOr<std::string> texels_of(int format, int width, int height, std::string_view blocks);
  std::unique_ptr<device::Device> device_;
};

// Halves a picture until neither side is longer than `longest_side`; 0: never.
void shrink(std::vector<uint8_t>& rgb, int& width, int& height, int longest_side);

}  // namespace weft::worker
