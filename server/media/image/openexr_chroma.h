// SPDX-License-Identifier: Apache-2.0
// Converts luminance and chroma of OpenEXR files: Y = R * wr + G * wg + B * wb, RY = (R - Y) / Y,
// BY = (B - Y) / Y, with chroma at every second pixel of every second line (OpenEXR's technical
// introduction; filters of its ImfRgbaYca.h). Only image_openexr*.cpp includes this file.
#pragma once

#include <array>
#include <vector>

#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfRgba.h>

#include "server/media/image/image.h"

namespace weft::media {

// Holds Y, RY and BY as floats.
class ChromaPlanes {
 public:
  // `sampling` is the step between chroma samples in x and y, 1 or 2; the window's position and
  // size are multiples of it. 0: there is no chroma, and no memory is allocated.
  ChromaPlanes(const ImageWindow& window, int sampling);

  Imf::Slice slice(size_t plane);
  const std::vector<float>& plane(size_t plane) const { return planes_[plane]; }
  void to_rgb(const Imf::Header& header, Image& image) const;
  void from_rgb(const Imf::Header& header, const Image& image);

 private:
  std::vector<std::vector<Imf::Rgba>> full_chroma() const;
  int columns(size_t plane) const { return plane == 0 ? window_.width : window_.width / sampling_; }

  ImageWindow window_;
  int sampling_;
  std::array<std::vector<float>, 3> planes_{};
};

}  // namespace weft::media
