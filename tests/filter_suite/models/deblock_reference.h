// SPDX-License-Identifier: Apache-2.0
// Model of the deblocking filter, written from the specification of overlapped 8x8 transforms with
// thresholds from quantisers, in doubles. Only tests include it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "tests/filter_suite/clip.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::plain {

class DeblockModel {
 public:
  DeblockModel(const v1::Deblock& options, QuantiserScale scale, const VideoFormat& format)
      : options_(options), scale_(scale), format_(format) {
    for (int k = 0; k < 8; k++)
      for (int n = 0; n < 8; n++)
        basis_[size_t(k)][size_t(n)] =
            k == 0 ? 1 : std::numbers::sqrt2 * std::cos((2 * n + 1) * k * std::numbers::pi / 16);
  }

  // The shifts of the blocks of a quality, as pairs of x and y.
  static std::vector<std::pair<int, int>> offsets(int quality) {
    using Pairs = std::vector<std::pair<int, int>>;
    switch (quality) {
      case 1:
        return {{0, 0}, {4, 4}};
      case 2:
        return {{0, 0}, {2, 2}, {6, 4}, {4, 6}};
      case 3:
        return {{0, 0}, {5, 1}, {2, 2}, {7, 3}, {4, 4}, {1, 5}, {6, 6}, {3, 7}};
      case 4:
        return {{0, 0}, {4, 0}, {1, 1}, {5, 1}, {3, 2}, {7, 2}, {2, 3}, {6, 3},
                {0, 4}, {4, 4}, {1, 5}, {5, 5}, {3, 6}, {7, 6}, {2, 7}, {6, 7}};
      default:
        break;
    }
    Pairs all;
    for (int x = 0; x < 8; x++)
      for (int y = 0; y < 8; y++)
        if (quality == 6 || (x + y) % 2 == 0) all.emplace_back(x, y);
    return all;
  }

  // The threshold of a quantiser, for samples of 8 bits.
  static double threshold(double thr, double str, double quantiser) {
    constexpr double kWidth = 5;
    const double a = (thr + kWidth) / (2 * kWidth), b = (kWidth * kWidth - thr * thr) / (2 * kWidth);
    return std::clamp(a * quantiser + b, 0.0, quantiser) * (4 + str) - 1;
  }

  // The quantiser at a luma sample, or 0 if the frame has none.
  int quantiser(const FrameQuantisers& tables, int x, int y) const {
    if (options_.qp() > 0) return options_.qp();
    if (tables.own == nullptr) return 0;
    const Quantisers& reference = tables.reference == nullptr ? *tables.own : *tables.reference;
    const double share = std::min(1.0, options_.bratio());
    const double mixed = value(*tables.own, x, y) * share + value(reference, x, y) * (1 - share);
    return std::max(1, int(mixed + 0.5));
  }

  Picture deblocked(const Picture& picture, const FrameQuantisers& tables) const {
    Picture result = picture;
    if (options_.qp() == 0 && tables.own == nullptr && !options_.show()) return result;
    for (int plane = 0; plane < format_.planes(); plane++)
      for (int y = 0; y < format_.plane_height(plane); y++)
        for (int x = 0; x < format_.plane_width(plane) && options_.show(); x++) {
          const int luma = std::min(2 * quantiser(tables, x, y), 255) << (format_.bit_depth - 8);
          result.at(plane, x, y) = uint16_t(plane == 0 ? luma : 1 << (format_.bit_depth - 1));
        }
    if (options_.show()) return result;
    for (int plane = 0; plane < format_.planes(); plane++) filter_plane(picture, tables, plane, result);
    return options_.sharp() ? sharpened(result, tables) : result;
  }

 private:
  using Block = std::array<std::array<double, 8>, 8>;

  int columns(int plane) const { return plane == 0 ? 1 : columns_of_chroma(format_.chroma); }
  int rows(int plane) const { return plane == 0 ? 1 : rows_of_chroma(format_.chroma); }

  double value(const Quantisers& table, int x, int y) const {
    const auto at = [](int sample, int size, int count) {
      return std::min(std::clamp(int(std::floor(sample / 16.0)), 0, (size + 15) / 16 - 1), count - 1);
    };
    const int column = at(x, format_.width, table.columns), row = at(y, format_.height, table.rows);
    const double coded = table.values[size_t(row) * size_t(table.columns) + size_t(column)];
    if (scale_ != QuantiserScale::kLogarithmic || options_.qpscale() != v1::DEBLOCK_QP_SCALE_LINEAR)
      return coded;
    return std::round(1.25 * std::pow(2.0, coded / 6));
  }

  // The sample of the plane, filled to a multiple of 8 luma samples and mirrored beyond.
  int sample(const Picture& picture, int plane, int x, int y) const {
    const int width = format_.plane_width(plane), height = format_.plane_height(plane);
    const auto mirrored = [](int at, int size) {
      return std::max(at < 0 ? -1 - at : at >= size ? 2 * size - 1 - at : at, 0);
    };
    x = std::min(mirrored(x, (format_.width + 7) / 8 * 8 / columns(plane)), width - 1);
    y = mirrored(y, (format_.height + 7) / 8 * 8 / rows(plane));
    while (y >= height) y -= 2;  // the last row of the same field
    return picture.at(plane, x, std::max(y, 0));
  }

  // Returns the samples of a block without its weak frequencies, times 64.
  Block transformed(const Block& samples, double threshold) const {
    Block rows{}, frequencies{}, back{}, result{};
    const auto each = [](auto run) {
      for (size_t a = 0; a < 8; a++)
        for (size_t b = 0; b < 8; b++)
          for (size_t c = 0; c < 8; c++) run(a, b, c);
    };
    each([&](size_t y, size_t k, size_t n) { rows[y][k] += basis_[k][n] * samples[y][n]; });
    each([&](size_t x, size_t k, size_t n) { frequencies[k][x] += basis_[k][n] * rows[n][x]; });
    for (size_t y = 0; y < 8; y++)
      for (size_t x = 0; x < 8; x++)
        // Some frequencies of integers are integers, such as those of 0 and 4, and may equal the
        // threshold.
        if (std::abs(frequencies[y][x]) <= threshold + 1e-7 && x + y > 0) frequencies[y][x] = 0;
    each([&](size_t x, size_t n, size_t k) { back[n][x] += basis_[k][n] * frequencies[k][x]; });
    each([&](size_t y, size_t n, size_t k) { result[y][n] += basis_[k][n] * back[y][k]; });
    return result;
  }

  void filter_plane(const Picture& picture, const FrameQuantisers& tables, int plane, Picture& result) const {
    const int width = format_.plane_width(plane), height = format_.plane_height(plane);
    const int bits = format_.bit_depth, quality = options_.quality();
    const int shift = std::max(0, quality + bits - 10);
    const int highest = (1 << (bits + 6 - shift)) - 1, half = (1 << shift) >> 1;
    std::vector<int> sums(size_t(width) * size_t(height));
    for (const auto& [offset_x, offset_y] : offsets(quality))
      for (int top = offset_y - 8; top < height; top += 8)
        for (int left = offset_x - 8; left < width; left += 8) {
          Block samples{};
          for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++)
              samples[size_t(y)][size_t(x)] = sample(picture, plane, left + x, top + y);
          const int own = quantiser(tables, (left + 4) * columns(plane), (top + 4) * rows(plane));
          const double limit = threshold(options_.thr(), options_.str(), own) * (1 << (bits - 8));
          const Block block = transformed(samples, limit);
          for (int y = std::max(top, 0); y < std::min(top + 8, height); y++)
            for (int x = std::max(left, 0); x < std::min(left + 8, width); x++) {
              const int scaled = int(block[size_t(y - top)][size_t(x - left)] + half + 1e-7) >> shift;
              sums[size_t(y) * size_t(width) + size_t(x)] += std::clamp(scaled, 0, highest);
            }
        }
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const double mean =
            double(sums[size_t(y) * size_t(width) + size_t(x)]) / (1 << (quality + 6 - shift));
        const int limit = (1 << bits) - 1;
        result.at(plane, x, y) = uint16_t(std::min(int(mean + dither(x % 8, y % 8) / 64.0), limit));
      }
  }

  // The ordered dither of 8x8 samples, built by doubling the dither of 2x2.
  static int dither(int x, int y) {
    int level = 0;
    for (int bit = 0; bit < 3; bit++) {
      const int right = x >> bit & 1, down = y >> bit & 1;
      level = level * 4 + (right == down ? (right == 0 ? 0 : 1) : (right == 1 ? 3 : 2));
    }
    return level;
  }

  Picture sharpened(const Picture& picture, const FrameQuantisers& tables) const {
    Picture result = picture;
    for (int plane = 0; plane < format_.planes(); plane++) {
      const int width = format_.plane_width(plane), height = format_.plane_height(plane);
      const Picture smooth = blurred(picture, plane);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
          const int own = picture.at(plane, x, y);
          int lowest = own, highest = own;
          for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
              const int other =
                  picture.at(plane, std::clamp(x + dx, 0, width - 1), std::clamp(y + dy, 0, height - 1));
              lowest = std::min(lowest, other);
              highest = std::max(highest, other);
            }
          double part = 0;
          for (int corner = 0; corner < 4; corner++) {
            const int right = corner % 2, down = corner / 2;
            const double weight = (right == 1 ? x % 8 : 8 - x % 8) * (down == 1 ? y % 8 : 8 - y % 8) / 64.0;
            part += weight * sharpening(quantiser(tables, (x / 8 + right) * 8 * columns(plane),
                                                  (y / 8 + down) * 8 * rows(plane)));
          }
          const double raised = own + (own - smooth.at(plane, x, y)) * part / 255 + 0.5;
          result.at(plane, x, y) =
              uint16_t(std::clamp(std::max(raised, 0.0), double(lowest), double(highest)));
        }
    }
    return result;
  }

  static double sharpening(int quantiser) {
    constexpr int kTable[] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   10,  50,  90, 120,
                              150, 160, 170, 180, 190, 200, 210, 220, 230, 240, 245, 250};
    return quantiser / 8 < 25 ? kTable[quantiser / 8] : 255;
  }

  // Blurs by the weights 2^(-0.2 x^2) of nine samples: columns, then rows, each rounded.
  Picture blurred(const Picture& picture, int plane) const {
    const int width = format_.plane_width(plane), height = format_.plane_height(plane);
    Picture once = picture, twice = picture;
    for (const bool is_rows : {false, true})
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
          double sum = 0, weights = 0;
          for (int i = -4; i <= 4; i++) {
            const double weight = std::exp2(-0.2 * i * i);
            const Picture& from = is_rows ? once : picture;
            sum += weight * from.at(plane, std::clamp(x + (is_rows ? i : 0), 0, width - 1),
                                    std::clamp(y + (is_rows ? 0 : i), 0, height - 1));
            weights += weight;
          }
          (is_rows ? twice : once).at(plane, x, y) = uint16_t(sum / weights + 0.5);
        }
    return twice;
  }

  v1::Deblock options_;
  QuantiserScale scale_;
  VideoFormat format_;
  std::array<std::array<double, 8>, 8> basis_{};
};

inline Clip deblock(const v1::Deblock& options, const Clip& clip) {
  Clip result = clip;
  const DeblockModel model(options, clip.properties.quantisers, clip.format);
  for (size_t i = 0; i < clip.frames.size(); i++)
    result.frames[i] = model.deblocked(clip.frames[i], clip.infos[i].quantisers);
  return result;
}

}  // namespace weft::filters::plain
