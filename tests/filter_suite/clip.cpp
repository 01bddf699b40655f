// SPDX-License-Identifier: Apache-2.0
#include "tests/filter_suite/clip.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::filters {

Picture::Picture(const VideoFormat& video_format) : format(video_format) {
  for (int plane = 0; plane < format.planes(); plane++)
    planes.emplace_back(size_t(format.plane_width(plane)) * size_t(format.plane_height(plane)));
}

namespace {

int sample(const VideoFormat& format, Material material, int frame, int x, int y, std::mt19937& random) {
  const int maximum = (1 << format.bit_depth) - 1;
  const int scale = 1 << (format.bit_depth - 8);
  if (material == Material::kNoise) return int(random() % uint32_t(maximum + 1));
  if (material == Material::kStatic) return ((((x * 7 + y * 13) ^ (x * y)) & 255) * scale) & maximum;
  const int field = 2 * frame + (y & 1);
  const bool bright = ((((x + 3 * field) / 6 + y / 5) & 1) != 0);
  const int value = (bright ? 228 : 28) + int(random() % 19u) - 9;
  return std::clamp(value * scale + int(random() % uint32_t(scale)), 0, maximum);
}

}  // namespace

Clip make_clip(const VideoFormat& format, int frames, Material material, uint32_t seed) {
  std::mt19937 random(seed);
  Clip clip;
  clip.format = format;
  for (int n = 0; n < frames; n++) {
    Picture picture(format);
    for (int plane = 0; plane < format.planes(); plane++)
      for (int y = 0; y < format.plane_height(plane); y++)
        for (int x = 0; x < format.plane_width(plane); x++)
          picture.at(plane, x, y) = uint16_t(sample(format, material, n, x + 5 * plane, y, random));
    clip.frames.push_back(std::move(picture));
    FrameInfo info;
    info.pts = 2 * n;
    info.duration = 2;
    info.interlaced = true;
    info.top_field_first = true;
    clip.infos.push_back(info);
  }
  return clip;
}

std::string to_text(const VideoFormat& format) {
  return fmt::format("{}x{} {} {} bits", format.width, format.height, name_of(format.chroma),
                     format.bit_depth);
}

std::string difference(const Picture& a, const Picture& b) {
  if (!(a.format == b.format)) return "the formats differ: " + to_text(a.format) + ", " + to_text(b.format);
  for (int plane = 0; plane < a.format.planes(); plane++)
    for (int y = 0; y < a.format.plane_height(plane); y++)
      for (int x = 0; x < a.format.plane_width(plane); x++)
        if (a.at(plane, x, y) != b.at(plane, x, y))
          return fmt::format("plane {}, x {}, y {}: {} and {} ({})", plane, x, y, a.at(plane, x, y),
                             b.at(plane, x, y), to_text(a.format));
  return "no difference";
}

}  // namespace weft::filters
