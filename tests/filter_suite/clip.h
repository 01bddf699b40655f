// SPDX-License-Identifier: Apache-2.0
// Small clips made here: pictures with 16-bit samples whatever the format, and what the source says of them.
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
  std::vector<std::vector<uint16_t>> planes;  // rows packed

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
  std::vector<FrameInfo> infos;  // one a frame: interlaced, top first, 2 units apart
  PictureProperties facts{};     // for models; run_clip takes those of its options
};

// kNoise: every sample random, every path of a filter. kMotion: edges that move from field to field, with a little
// noise. kStatic: the same picture again and again.
enum class Material { kNoise, kMotion, kStatic };
inline constexpr Material kMaterials[] = {Material::kNoise, Material::kMotion, Material::kStatic};

Clip make_clip(const VideoFormat& format, int frames, Material material, uint32_t seed);

// "65x49 4:2:0 10 bits"
std::string to_text(const VideoFormat& format);
// Where the pictures first differ, for messages.
std::string difference(const Picture& a, const Picture& b);

}  // namespace weft::filters
