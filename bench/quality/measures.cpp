// SPDX-License-Identifier: Apache-2.0
#include "bench/quality/measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace weft::quality {
namespace {

// Returns the sum over one row. A row has at most 16384 samples.
template <class Sample>
double squared_error(const Sample* a, const Sample* b, int count) {
  if constexpr (sizeof(Sample) == 1) {
    uint32_t sum = 0;  // 16384 * 255^2 fits
    for (int x = 0; x < count; x++) {
      const int difference = int(a[x]) - int(b[x]);
      sum += uint32_t(difference * difference);
    }
    return sum;
  } else {
    uint64_t sum = 0;
    for (int x = 0; x < count; x++) {
      const int64_t difference = int64_t(a[x]) - int64_t(b[x]);
      sum += uint64_t(difference * difference);
    }
    return double(sum);
  }
}

// Calls `f(Sample())` with the type of the plane's samples.
template <class F>
auto by_sample(const SamplePlane& plane, F f) {
  if (plane.bit_depth > 8) return f(uint16_t());
  return f(uint8_t());
}

// Sums over 4x4 samples.
struct SsimSums {
  int64_t a = 0, b = 0, squares = 0, products = 0;

  SsimSums& operator+=(const SsimSums& other) {
    a += other.a;
    b += other.b;
    squares += other.squares;
    products += other.products;
    return *this;
  }
};

template <class Sample>
SsimSums sums_at(const SamplePlane& a, const SamplePlane& b, int x, int y) {
  SsimSums sums;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++) {
      const int64_t p = a.row<Sample>(y + j)[x + i], q = b.row<Sample>(y + j)[x + i];
      sums.a += p;
      sums.b += q;
      sums.squares += p * p + q * q;
      sums.products += p * q;
    }
  return sums;
}

// Returns the SSIM of a window of 64 samples. All terms are 64 or 64^2 times the textbook's.
double ssim_of(const SsimSums& sums, int bit_depth) {
  const double peak = (1 << bit_depth) - 1;
  const double c1 = std::floor(.01 * .01 * peak * peak * 64 + .5);
  const double c2 = std::floor(.03 * .03 * peak * peak * 64 * 63 + .5);
  const int64_t squared_means = sums.a * sums.a + sums.b * sums.b;
  const int64_t variances = sums.squares * 64 - squared_means;
  const int64_t covariance = sums.products * 64 - sums.a * sums.b;
  return (2 * double(sums.a * sums.b) + c1) * (2 * double(covariance) + c2) /
         ((double(squared_means) + c1) * (double(variances) + c2));
}

template <class Sample>
double ssim_of_plane(const SamplePlane& a, const SamplePlane& b) {
  const int columns = a.width / 4, rows = a.height / 4;
  const auto fill = [&](int row, std::vector<SsimSums>& sums) {
    for (int i = 0; i < columns; i++) sums[size_t(i)] = sums_at<Sample>(a, b, 4 * i, 4 * row);
  };
  std::vector<SsimSums> above(static_cast<size_t>(columns)), below(static_cast<size_t>(columns));
  fill(0, below);
  double total = 0;
  for (int row = 1; row < rows; row++) {
    above.swap(below);
    fill(row, below);
    for (size_t i = 0; i + 1 < size_t(columns); i++) {
      SsimSums window = above[i];
      window += above[i + 1];
      window += below[i];
      window += below[i + 1];
      total += ssim_of(window, a.bit_depth);
    }
  }
  return total / (double(rows - 1) * (columns - 1));
}

// A displacement in half pixels.
struct HalfPixels {
  int x = 0;
  int y = 0;
};

// Returns four times the plane's samples at positions displaced by `way` from (x, y).
template <class Sample>
class MovedRow {
 public:
  MovedRow(const SamplePlane& plane, HalfPixels way, int y) : between_x_(way.x & 1) {
    const int row = y + (way.y >> 1);
    upper_ = plane.row<Sample>(row) + (way.x >> 1);
    lower_ = plane.row<Sample>(row + (way.y & 1)) + (way.x >> 1);
  }
  int operator[](int x) const {
    return int(upper_[x]) + upper_[x + between_x_] + lower_[x] + lower_[x + between_x_];
  }

 private:
  const Sample* upper_;
  const Sample* lower_;
  int between_x_;
};

template <class Sample>
int64_t moved_difference(const SamplePlane& before, const SamplePlane& now, HalfPixels way) {
  constexpr int kMargin = FlickerSum::kMargin;
  int64_t sum = 0;
  for (int y = kMargin; y < now.height - kMargin; y += 4) {
    const MovedRow<Sample> moved(before, way, y);
    const Sample* row = now.row<Sample>(y);
    for (int x = kMargin; x < now.width - kMargin; x++) sum += std::abs(4 * int(row[x]) - moved[x]);
  }
  return sum;
}

template <class Sample>
HalfPixels find_way(const SamplePlane& before, const SamplePlane& now) {
  constexpr int kMost = 2 * FlickerSum::kReach;
  struct Best {
    HalfPixels way;
    int64_t difference = std::numeric_limits<int64_t>::max();
  };
  Best whole{{0, 0}, moved_difference<Sample>(before, now, {0, 0})}, half;
  for (int y = -kMost; y <= kMost; y++)
    for (int x = -kMost; x <= kMost; x++) {
      Best& best = ((x | y) & 1) != 0 ? half : whole;
      const int64_t difference = moved_difference<Sample>(before, now, {x, y});
      if (difference < best.difference) best = {{x, y}, difference};
    }
  return 4 * half.difference < 3 * whole.difference ? half.way : whole.way;
}

struct Block {
  int64_t truth_changes = 0;  // sum of 4 dT
  double squares = 0;         // sum of the squares of 4 max(0, dO - dT)
};

template <class Sample>
Block measure_block(const std::array<const SamplePlane*, 4>& planes, HalfPixels way, int x_begin,
                    int y_begin) {
  Block block;
  for (int y = y_begin; y < y_begin + FlickerSum::kBlock; y++) {
    const MovedRow<Sample> truth_before(*planes[0], way, y), output_before(*planes[2], way, y);
    const Sample* truth = planes[1]->row<Sample>(y);
    const Sample* output = planes[3]->row<Sample>(y);
    int64_t squares = 0;
    for (int x = x_begin; x < x_begin + FlickerSum::kBlock; x++) {
      const int truth_change = std::abs(4 * int(truth[x]) - truth_before[x]);
      const int output_change = std::abs(4 * int(output[x]) - output_before[x]);
      const int64_t more = std::max(0, output_change - truth_change);
      block.truth_changes += truth_change;
      squares += more * more;
    }
    block.squares += double(squares);
  }
  return block;
}

}  // namespace

SamplePlane plane_of(const media::PictureView& picture, int plane) {
  const VideoFormat& format = picture.format;
  return {picture.plane[size_t(plane)], picture.stride_bytes[size_t(plane)], format.plane_width(plane),
          format.plane_height(plane), format.bit_depth};
}

double mean_squared_error(const SamplePlane& a, const SamplePlane& b) {
  return by_sample(a, [&](auto sample) {
    using Sample = decltype(sample);
    double sum = 0;
    for (int y = 0; y < a.height; y++) sum += squared_error(a.row<Sample>(y), b.row<Sample>(y), a.width);
    return sum / (double(a.width) * a.height);
  });
}

double psnr(double mean_squared_error, int bit_depth) {
  const double peak = (1 << bit_depth) - 1;
  if (mean_squared_error == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(peak * peak / mean_squared_error);
}

std::optional<double> ssim(const SamplePlane& a, const SamplePlane& b) {
  if (a.width < 8 || a.height < 8) return std::nullopt;
  return by_sample(a, [&](auto sample) { return ssim_of_plane<decltype(sample)>(a, b); });
}

void add_cell_errors(const SamplePlane& a, const SamplePlane& b, std::vector<double>& cells) {
  const int columns = a.width / kCell, rows = a.height / kCell;
  cells.resize(size_t(columns) * size_t(rows));
  by_sample(a, [&](auto sample) {
    using Sample = decltype(sample);
    for (int y = 0; y < rows * kCell; y++)
      for (int i = 0; i < columns; i++)
        cells[size_t(y / kCell) * size_t(columns) + size_t(i)] +=
            squared_error(a.row<Sample>(y) + i * kCell, b.row<Sample>(y) + i * kCell, kCell);
  });
}

void FlickerSum::add(const SamplePlane& truth_before, const SamplePlane& truth,
                     const SamplePlane& output_before, const SamplePlane& output) {
  // Scale of the sums relative to 8-bit code values.
  const double scale = 4.0 * (1 << (truth.bit_depth - 8));
  const std::array planes = {&truth_before, &truth, &output_before, &output};
  by_sample(truth, [&](auto sample) {
    using Sample = decltype(sample);
    const HalfPixels way = find_way<Sample>(truth_before, truth);
    for (int y = kMargin; y + kBlock <= truth.height - kMargin; y += kBlock)
      for (int x = kMargin; x + kBlock <= truth.width - kMargin; x += kBlock) {
        const Block block = measure_block<Sample>(planes, way, x, y);
        blocks_++;
        if (double(block.truth_changes) > kStillCodes * scale * kBlock * kBlock) continue;
        still_blocks_++;
        squares_ += block.squares / (scale * scale);
      }
  });
}

std::optional<double> FlickerSum::codes() const {
  if (still_blocks_ == 0) return std::nullopt;
  return std::sqrt(squares_ / (double(still_blocks_) * kBlock * kBlock));
}

double FlickerSum::still_share() const { return blocks_ == 0 ? 0 : double(still_blocks_) / double(blocks_); }

}  // namespace weft::quality
