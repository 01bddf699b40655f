// SPDX-License-Identifier: Apache-2.0
#include "server/worker/texture/texture_picture.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "server/filters/device_caches.h"
#include "server/filters/texture/texture.h"
#include "server/graph/pipeline.h"
#include "server/media/read/pictures/tga.h"
#include "server/media/texture/texture.h"
#include "server/worker/texture/texture_plan.h"

namespace weft::worker {
namespace {

constexpr uint8_t kFirstEndLarger = 16, kFirstEndSmaller = 17, kReservedMode = 255;

uint8_t mode_of(media::TextureFormat format, const uint8_t* block) {
  switch (format) {
    case media::TextureFormat::kBc7:
      return block[0] == 0 ? kReservedMode : uint8_t(std::countr_zero(block[0]));
    case media::TextureFormat::kBc1: {
      const int first = block[0] | block[1] << 8, second = block[2] | block[3] << 8;
      return first > second ? kFirstEndLarger : kFirstEndSmaller;
    }
    case media::TextureFormat::kBc4Signed:
    case media::TextureFormat::kBc5Signed:
      return int8_t(block[0]) > int8_t(block[1]) ? kFirstEndLarger : kFirstEndSmaller;
    case media::TextureFormat::kBc2:
      return kFirstEndLarger;  // BC2 always uses this mode for its colours
    default:
      return block[0] > block[1] ? kFirstEndLarger : kFirstEndSmaller;
  }
}

void to_rgb(std::string_view texels, std::vector<uint8_t>& rgb) {
  rgb.resize(texels.size() / 4 * 3);
  for (size_t from = 0, to = 0; from + 4 <= texels.size(); from += 4, to += 3)
    std::memcpy(rgb.data() + to, texels.data() + from, 3);
}

// Arranges texels by the orientation and swizzle of a KTX2 file.
void arrange(const media::TextureArrangement& arrangement, int width, int height, std::string& texels) {
  if (arrangement == media::TextureArrangement{}) return;
  const std::string stored = texels;
  constexpr std::string_view kChannels = "rgba";
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const int column = arrangement.from_right ? width - 1 - x : x,
                row = arrangement.from_below ? height - 1 - y : y;
      const char* from = stored.data() + (size_t(row) * size_t(width) + size_t(column)) * 4;
      char* to = texels.data() + (size_t(y) * size_t(width) + size_t(x)) * 4;
      for (size_t c = 0; c < 4; c++) {
        const char channel = arrangement.channels[c];
        to[c] = channel == '0' ? char(0) : channel == '1' ? char(255) : from[kChannels.find(channel)];
      }
    }
}

Status check_picture(int64_t width, int64_t height, int64_t most_bytes) {
  const int64_t bytes = width * height * 3;
  if (bytes <= most_bytes) return ok_status();
  return resource_exhausted("The picture is too large to be shown ({} bytes, at most {}).", bytes,
                            most_bytes);
}

}  // namespace

void shrink(std::vector<uint8_t>& rgb, int& width, int& height, int longest_side) {
  while (longest_side > 0 && std::max(width, height) > longest_side) {
    const int half_width = std::max(width / 2, 1), half_height = std::max(height / 2, 1);
    for (int y = 0; y < half_height; y++)
      for (int x = 0; x < half_width; x++)
        for (int c = 0; c < 3; c++) {
          const auto at = [&](int i, int j) {
            const int from_x = std::min(2 * x + i, width - 1), from_y = std::min(2 * y + j, height - 1);
            return int(rgb[(size_t(from_y) * size_t(width) + size_t(from_x)) * 3 + size_t(c)]);
          };
          // In memory, the written rows precede the rows that are still read.
          rgb[(size_t(y) * size_t(half_width) + size_t(x)) * 3 + size_t(c)] =
              uint8_t((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4);
        }
    width = half_width;
    height = half_height;
    rgb.resize(size_t(width) * size_t(height) * 3);
  }
}

StatusOr<bool> TexturePictureReader::takes(const media::InputFile& file) {
  if (media::is_tga(file)) return true;
  return media::is_texture(file);
}

StatusOr<TexturePicture> TexturePictureReader::read(const media::InputFile& file, int64_t index,
                                                    int longest_side, int64_t most_bytes) {
  TexturePicture picture;
  if (media::is_tga(file)) {
    ASSIGN_OR_RETURN(const media::TgaPicture tga, media::read_tga(file));
    if (index != 0)
      return out_of_range("The file ({}) has one picture only (asked for: {}).", file.name(), index);
    RETURN_IF_ERROR(check_picture(tga.width, tga.height, most_bytes));
    picture = {tga.width, tga.height, 1, {}, {}};
    to_rgb(tga.rgba, picture.rgb);
    shrink(picture.rgb, picture.width, picture.height, longest_side);
    return picture;
  }
  ASSIGN_OR_RETURN(const media::Texture texture, media::read_texture(file));
  const media::TextureInfo& info = texture.info;
  if (index < 0 || index >= info.images())
    return out_of_range("The texture ({}) has no image {}; it has {}, counted from 0.", file.name(), index,
                        info.images());
  int level = 0;
  const auto side = [&] {
    return std::max(media::level_side(info.width, level), media::level_side(info.height, level));
  };
  while (longest_side > 0 && side() > longest_side && level + 1 < info.levels) level++;
  picture.width = media::level_side(info.width, level);
  picture.height = media::level_side(info.height, level);
  picture.pictures = info.images();
  RETURN_IF_ERROR(check_picture(picture.width, picture.height, most_bytes));
  const std::string_view blocks = texture.image(level, int(index) / info.faces, int(index) % info.faces);
  std::string texels(blocks);
  if (info.format != media::TextureFormat::kRgba8) {
    ASSIGN_OR_RETURN(texels, texels_of(blocks_format_of(info), picture.width, picture.height, blocks));
    const size_t block_bytes = size_t(media::block_bytes(info.format));
    // Blocks of a rotated picture are not at their displayed positions.
    if (longest_side == 0 && !info.arrangement.is_turned())
      for (size_t at = 0; at < blocks.size(); at += block_bytes)
        picture.modes.push_back(mode_of(info.format, reinterpret_cast<const uint8_t*>(blocks.data()) + at));
  }
  arrange(info.arrangement, picture.width, picture.height, texels);
  to_rgb(texels, picture.rgb);
  shrink(picture.rgb, picture.width, picture.height, longest_side);
  return picture;
}

StatusOr<std::string> TexturePictureReader::texels_of(int format, int width, int height,
                                                      std::string_view blocks) {
  if (device_ == nullptr) {
    ASSIGN_OR_RETURN(device_, device::open_device(std::string_view("cpu")));
  }
  graph::Network network;
  const filters::texture::BlockImage image{format, width, height};
  const graph::Port source = network.set_source(filters::texture::blocks_format(image));
  ASSIGN_OR_RETURN(const graph::Port texels,
                   filters::texture::add_decoder({.device = device_.get()}, network, source, image));
  RETURN_IF_ERROR(network.set_outputs({texels}));
  ASSIGN_OR_RETURN(auto pipeline,
                   graph::Pipeline::make(*device_, std::move(network), {.plan = graph::kOneUnit}));
  RETURN_IF_ERROR(graph::push_only_unit(*pipeline, std::as_bytes(std::span(blocks.data(), blocks.size()))));
  while (true) {
    if (pipeline->ready() > 0) pipeline->submit(pipeline->ready());
    ASSIGN_OR_RETURN(const std::optional<graph::OutputUnit> unit, pipeline->pop());
    if (!unit) continue;
    const size_t bytes = size_t(width) * size_t(height) * filters::texture::kTexelBytes;
    return std::string(reinterpret_cast<const char*>(unit->data[0]), bytes);
  }
}

}  // namespace weft::worker
