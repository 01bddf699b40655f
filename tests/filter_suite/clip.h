// SPDX-License-Identifier: Apache-2.0
// Small generated clips: pictures with 16-bit samples in every format, and the properties of their
// source.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/video_format.h"
#include "server/filters/deinterlace/field_timing.h"
#include "server/graph/port.h"

namespace weft::filters {

struct Picture {
  VideoFormat format;
  std::vector<std::vector<uint16_t>> planes;  // planes without padding between rows

  explicit Picture(const VideoFormat& video_format);
  uint16_t& at(int plane, int x, int y) {
    return planes[size_t(plane)][size_t(y) * size_t(format.plane_width(plane)) + size_t(x)];
  }
  int at(int plane, int x, int y) const {
    return planes[size_t(plane)][size_t(y) * size_t(format.plane_width(plane)) + size_t(x)];
  }
  bool operator==(const Picture&) const = default;
};

struct Clip {
  VideoFormat format;
  std::vector<Picture> frames;
  // one for each frame; default: interlaced, top field first, 2 units apart
  std::vector<FrameInfo> infos;
  // properties for models; run_clip uses the properties of its options
  PictureProperties properties{};
};

// kNoise: random samples, so that every path of a filter runs. kMotion: edges that move from field
// to field, with a little noise. kStatic: the same picture in every frame.
enum class Material { kNoise, kMotion, kStatic };
inline constexpr Material kMaterials[] = {Material::kNoise, Material::kMotion, Material::kStatic};

Clip make_clip(const VideoFormat& format, int frames, Material material, uint32_t seed);

// Returns a text such as "65x49 4:2:0 10 bits".
std::string to_text(const VideoFormat& format);
// Returns the first position at which the pictures differ, for messages.
std::string difference(const Picture& a, const Picture& b);

}  // namespace weft::filters
