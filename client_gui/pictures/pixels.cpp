// SPDX-License-Identifier: Apache-2.0
#include "client_gui/pictures/pixels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <thread>

namespace weft::gui {
namespace {

constexpr int kIndices = 1 << 15;  // number of different upper 16 bits of floats without sign
constexpr int kLeastBand = 128;    // rows; a smaller band does not justify a thread
constexpr int kMostBands = 8;

double linear_of(double code) {
  const double value = code / 255;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

}  // namespace

ScreenTransfer::ScreenTransfer(double factor) : first_(kIndices) {
  for (int code = 1; code < 256; code++) least_[size_t(code)] = float(linear_of(code - 0.5) / factor);
  least_[256] = std::numeric_limits<float>::infinity();
  uint8_t code = 0;
  for (uint32_t i = 0; i < kIndices; i++) {
    const auto light = std::bit_cast<float>(i << 16);
    if (std::isnan(light)) {
      first_[i] = 0;
      continue;
    }
    while (code < 255 && light >= least_[size_t(code) + 1]) code++;
    first_[i] = code;
  }
}

uint8_t ScreenTransfer::operator()(float light) const {
  if (!(light > 0)) return 0;
  size_t code = first_[std::bit_cast<uint32_t>(light) >> 16];
  while (code < 255 && light >= least_[code + 1]) code++;
  return uint8_t(code);
}

QImage filled_image(int width, int height, const std::function<void(QRgb* row, int y)>& fill) {
  QImage image(width, height, QImage::Format_RGB32);
  uchar* const bits = image.bits();
  const qsizetype stride = image.bytesPerLine();
  const int cores = std::max(1, int(std::thread::hardware_concurrency()));
  const int bands = std::clamp(height / kLeastBand, 1, std::min(cores, kMostBands));
  const auto fill_band = [&](int band) {
    for (int y = int(int64_t(height) * band / bands); y < int(int64_t(height) * (band + 1) / bands); y++)
      fill(reinterpret_cast<QRgb*>(bits + y * stride), y);
  };
  std::vector<std::jthread> others;
  for (int band = 1; band < bands; band++) others.emplace_back(fill_band, band);
  fill_band(0);
  others.clear();  // joins the threads
  return image;
}

QImage absolute_difference(const QImage& a, const QImage& b, double gain) {
  std::array<int, 256> amplified{};
  for (int i = 0; i < 256; i++) amplified[size_t(i)] = int(std::min(255.0, std::round(i * gain)));
  const auto of = [&](int x, int y) { return amplified[size_t(std::abs(x - y))]; };
  return filled_image(a.width(), a.height(), [&](QRgb* to, int y) {
    const auto* before = reinterpret_cast<const QRgb*>(a.constScanLine(y));
    const auto* after = reinterpret_cast<const QRgb*>(b.constScanLine(y));
    for (int x = 0; x < a.width(); x++)
      to[x] = qRgb(of(qRed(before[x]), qRed(after[x])), of(qGreen(before[x]), qGreen(after[x])),
                   of(qBlue(before[x]), qBlue(after[x])));
  });
}

Picture field_of(const Picture& picture, Field field) {
  if (field == Field::kWoven || picture.height < 2) return picture;
  Picture result = picture;
  const int first = field == Field::kTop ? 0 : 1;
  const auto row_bytes = size_t(picture.row_bytes());
  for (int y = 0; y < picture.height; y++) {
    const int line = std::min(y / 2 * 2 + first, (picture.height - 1 - first) / 2 * 2 + first);
    std::copy_n(picture.row(line), row_bytes, result.bytes.data() + size_t(y) * row_bytes);
  }
  return result;
}

}  // namespace weft::gui
