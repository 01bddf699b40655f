// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/openexr_chroma.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <Imath/half.h>
#include <OpenEXR/ImfRgba.h>
#include <OpenEXR/ImfRgbaYca.h>
#include <OpenEXR/ImfStandardAttributes.h>

#include "server/media/image/image_formats.h"
#include "server/media/image/openexr_library.h"

namespace weft::media {

namespace {

namespace yca = Imf::RgbaYca;
using RgbaLine = std::vector<Imf::Rgba>;  // r: RY, g: Y, b: BY

const Imf::Rgba kNothing(0, 0, 0, 1);

Imath::V3f weights_of(const Imf::Header& header) {
  return yca::computeYw(Imf::hasChromaticities(header) ? Imf::chromaticities(header) : Imf::Chromaticities());
}

// Returns the line extended at both ends by the reach of the filters. The left end repeats the
// first pixel, the right end the last pixel with chroma.
RgbaLine widened(const RgbaLine& line, int step) {
  RgbaLine wide(line.size() + yca::N - 1, line.front());
  std::copy(line.begin(), line.end(), wide.begin() + yca::N2);
  std::fill(wide.begin() + yca::N2 + ptrdiff_t(line.size()), wide.end(),
            line[(line.size() - 1) / size_t(step) * size_t(step)]);
  return wide;
}

// Returns the lines around line `y` that a vertical filter reads. Lines beyond the image are
// replaced by the nearest line with chroma.
std::array<const Imf::Rgba*, yca::N> around(const std::vector<RgbaLine>& lines, int y, int step) {
  std::array<const Imf::Rgba*, yca::N> pointers{};
  const int last = (int(lines.size()) - 1) / step * step;
  for (int k = 0; k < yca::N; k++)
    pointers[size_t(k)] = lines[size_t(std::clamp(y - yca::N2 + k, 0, last))].data();
  return pointers;
}

void put(Image& image, size_t pixel, float red, float green, float blue) {
  const std::array<float, 3> colours = {red, green, blue};
  for (size_t c = 0; c < 3; c++) {
    if (image.info.samples == SampleType::kFloat)
      image.float_samples()[pixel * 4 + c] = colours[c];
    else
      image.half_samples()[pixel * 4 + c] = imath_float_to_half(colours[c]);
  }
}

// Limits finite values to the range of halves, so that they stay finite.
float bounded(float value) {
  return std::isfinite(value) ? std::clamp(value, -kLargestHalf, kLargestHalf) : value;
}
float to_half_range(float value) { return std::isfinite(value) ? bounded(value) : 0; }

}  // namespace

ChromaPlanes::ChromaPlanes(const ImageWindow& window, int sampling) : window_(window), sampling_(sampling) {
  if (sampling == 0) return;
  planes_[0].resize(size_t(window.pixels()));
  for (size_t plane = 1; plane < 3; plane++)
    planes_[plane].resize(size_t(window.width / sampling) * size_t(window.height / sampling));
}

Imf::Slice ChromaPlanes::slice(size_t plane) {
  const int sampling = plane == 0 ? 1 : sampling_;
  return Imf::Slice::Make(Imf::FLOAT, planes_[plane].data(), to_box(window_), sizeof(float),
                          sizeof(float) * size_t(columns(plane)), sampling, sampling);
}

// Returns chroma for every pixel.
std::vector<RgbaLine> ChromaPlanes::full_chroma() const {
  const auto width = size_t(window_.width), height = size_t(window_.height), step = size_t(sampling_);
  std::vector<RgbaLine> lines(height, RgbaLine(width, kNothing));
  for (size_t y = 0; y < height; y += step) {
    for (size_t x = 0; x < width; x += step) {
      const size_t at = y / step * (width / step) + x / step;
      lines[y][x].r = to_half_range(planes_[1][at]);
      lines[y][x].b = to_half_range(planes_[2][at]);
    }
    if (step == 2) yca::reconstructChromaHoriz(int(width), widened(lines[y], 2).data(), lines[y].data());
  }
  for (size_t y = 1; y < height && step == 2; y += 2)
    yca::reconstructChromaVert(int(width), around(lines, int(y), 2).data(), lines[y].data());
  return lines;
}

// Converts to RGB. If all channels are halves, fixSaturation() removes the overshoot of the
// filters, as the library's RgbaInputFile does.
void ChromaPlanes::to_rgb(const Imf::Header& header, Image& image) const {
  const Imath::V3f weights = weights_of(header);
  const auto width = size_t(window_.width), height = size_t(window_.height);
  std::vector<RgbaLine> lines = full_chroma();
  const bool is_half = image.info.samples == SampleType::kHalf;
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++) {
      Imf::Rgba& pixel = lines[y][x];
      const float luma = planes_[0][y * width + x];
      const bool is_gray = pixel.r == 0 && pixel.b == 0;
      const float red = (pixel.r + 1) * luma, blue = (pixel.b + 1) * luma;
      const float green = is_gray ? luma : (luma - red * weights.x - blue * weights.z) / weights.y;
      if (is_half)
        pixel = Imf::Rgba(bounded(red), bounded(green), bounded(blue));
      else
        put(image, y * width + x, red, green, blue);
    }
  if (!is_half) return;
  RgbaLine fixed(width, kNothing);
  for (size_t y = 0; y < height; y++) {
    const Imf::Rgba* const three[] = {lines[y == 0 ? 0 : y - 1].data(), lines[y].data(),
                                      lines[std::min(y + 1, height - 1)].data()};
    yca::fixSaturation(weights, int(width), three, fixed.data());
    for (size_t x = 0; x < width; x++) put(image, y * width + x, fixed[x].r, fixed[x].g, fixed[x].b);
  }
}

void ChromaPlanes::from_rgb(const Imf::Header& header, const Image& image) {
  const Imath::V3f weights = weights_of(header);
  const auto width = size_t(window_.width), height = size_t(window_.height), step = size_t(sampling_);
  std::vector<RgbaLine> lines(height, RgbaLine(width, kNothing));
  for (size_t y = 0; y < height; y++) {
    for (size_t x = 0; x < width; x++) {
      std::array<float, 3> rgb{};
      for (size_t c = 0; c < 3; c++) rgb[c] = std::max(image.sample((y * width + x) * 4 + c), 0.0f);
      const bool is_gray = rgb[0] == rgb[1] && rgb[1] == rgb[2];
      planes_[0][y * width + x] =
          is_gray ? rgb[0] : rgb[0] * weights.x + rgb[1] * weights.y + rgb[2] * weights.z;
      lines[y][x] = Imf::Rgba(to_half_range(rgb[0]), to_half_range(rgb[1]), to_half_range(rgb[2]));
    }
    yca::RGBAtoYCA(weights, int(width), false, lines[y].data(), lines[y].data());
    if (step == 2) yca::decimateChromaHoriz(int(width), widened(lines[y], 1).data(), lines[y].data());
  }
  RgbaLine line(width, kNothing);
  for (size_t y = 0; y < height; y += step) {
    if (step == 2) yca::decimateChromaVert(int(width), around(lines, int(y), 1).data(), line.data());
    const RgbaLine& from = step == 2 ? line : lines[y];
    for (size_t x = 0; x < width; x += step) {
      const size_t at = y / step * (width / step) + x / step;
      planes_[1][at] = from[x].r;
      planes_[2][at] = from[x].b;
    }
  }
}

}  // namespace weft::media
