// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/picture_rgb.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace weft::media {
namespace {

// Matrix numbers of H.273, and FFmpeg's number of a chroma location.
constexpr int kIdentity = 0, kUnspecified = 2, kCentre = 2;
constexpr int kLinesOfHighDefinition = 720;

// The weights of red and blue in luma (H.273, table 4).
struct Weights {
  double red = 0;
  double blue = 0;
};

StatusOr<Weights> weights_of(int matrix, int height) {
  if (matrix == kUnspecified) matrix = height >= kLinesOfHighDefinition ? 1 : 6;
  switch (matrix) {
    case 1:
      return Weights{0.2126, 0.0722};
    case 4:
      return Weights{0.30, 0.11};
    case 5:
    case 6:
      return Weights{0.299, 0.114};
    case 7:
      return Weights{0.212, 0.087};
    case 9:
      return Weights{0.2627, 0.0593};
    default:
      return invalid_argument("The colours of the picture (matrix {} of H.273) cannot be shown.", matrix);
  }
}

float sample(const PictureView& picture, int plane, int x, int y) {
  const uint8_t* row = picture.plane[size_t(plane)] + y * picture.stride_bytes[size_t(plane)];
  return picture.format.sample_bytes() == 1 ? float(row[x])
                                            : float(reinterpret_cast<const uint16_t*>(row)[x]);
}

// Two samples or rows of chroma between which a luma position lies, and the weight of the second.
struct Between {
  int first = 0;
  int second = 0;
  float part = 0;
};

// Returns the neighbours of `position`, which counts the rows `first + k * step` of a plane for k
// from 0 to count - 1.
Between between(double position, int first, int step, int count) {
  const double below = std::floor(position);
  const auto clamped = [&](double k) { return first + step * int(std::clamp(k, 0.0, double(count - 1))); };
  return {clamped(below), clamped(below + 1), float(position - below)};
}

Between chroma_rows(const VideoFormat& format, int y, bool is_interlaced) {
  const int rows = format.plane_height(1);
  const int shared = rows_of_chroma(format.chroma);  // luma rows per chroma row
  if (shared == 1) return {y, y, 0};
  if (!is_interlaced || rows < 2 || shared > 2) return between((y - (shared - 1) / 2.0) / shared, 0, 1, rows);
  // A field's chroma lies a quarter of a line of the field below the luma of the top field, and
  // three quarters in the bottom field (ISO/IEC 13818-2, 6.1.1.8).
  const int field = y % 2;
  const int line = y / 2;  // line within its field
  const double down = field == 0 ? 0.25 : 0.75;
  return between((line - down) / 2, field, 2, (rows - field + 1) / 2);
}

// Converts rows. Sample is uint8_t or uint16_t.
template <class Sample>
class RowConverter {
 public:
  RowConverter(const PictureView& picture, const Colour& colour, const Weights& weights)
      : picture_(picture),
        is_centred_(colour.chroma_location == kCentre),
        cb_(size_t(picture.format.width)),
        cr_(size_t(picture.format.width)) {
    const int depth = picture.format.bit_depth;
    const auto scaled = [depth](double of_8_bits) { return float(of_8_bits * double(1 << (depth - 8))); };
    const bool is_full = colour.range == Colour::Range::kFull;
    const auto largest = float((1 << depth) - 1);
    black_ = is_full ? 0 : scaled(16);
    luma_scale_ = kWhite / (is_full ? largest : scaled(219));
    middle_ = float(1 << (depth - 1));
    const float chroma_scale = kWhite / (is_full ? largest : scaled(224));
    const double green = 1 - weights.red - weights.blue;
    red_of_cr_ = chroma_scale * float(2 * (1 - weights.red));
    blue_of_cb_ = chroma_scale * float(2 * (1 - weights.blue));
    green_of_cr_ = -red_of_cr_ * float(weights.red / green);
    green_of_cb_ = -blue_of_cb_ * float(weights.blue / green);
  }

  void convert(int y, bool is_interlaced, Sample* rgb) {
    const VideoFormat& format = picture_.format;
    if (format.planes() > 1) {
      const Between rows = chroma_rows(format, y, is_interlaced);
      spread(1, rows, cb_);
      spread(2, rows, cr_);
    }
    for (int x = 0; x < format.width; x++, rgb += 3) {
      const float luma = (sample(picture_, 0, x, y) - black_) * luma_scale_;
      rgb[0] = rounded(luma + red_of_cr_ * cr_[size_t(x)]);
      rgb[1] = rounded(luma + green_of_cb_ * cb_[size_t(x)] + green_of_cr_ * cr_[size_t(x)]);
      rgb[2] = rounded(luma + blue_of_cb_ * cb_[size_t(x)]);
    }
  }

  // Copies a row of a picture that stores green, blue and red in its planes.
  void copy(int y, Sample* rgb) const {
    for (int x = 0; x < picture_.format.width; x++, rgb += 3)
      for (const int plane : {0, 1, 2}) {
        const float value = (sample(picture_, plane, x, y) - black_) * luma_scale_;
        rgb[(plane + 1) % 3] = rounded(value);
      }
  }

 private:
  static constexpr auto kWhite = float(std::numeric_limits<Sample>::max());
  static Sample rounded(float value) { return Sample(std::clamp(value + 0.5f, 0.0f, kWhite)); }

  // Interpolates a chroma row to all luma columns and subtracts its neutral value.
  void spread(int plane, const Between& rows, std::vector<float>& result) const {
    const VideoFormat& format = picture_.format;
    const auto at = [&](int x) {
      const float first = sample(picture_, plane, x, rows.first);
      return first + rows.part * (sample(picture_, plane, x, rows.second) - first) - middle_;
    };
    const int shared = columns_of_chroma(format.chroma);  // luma columns per chroma sample
    for (int x = 0; x < format.width; x++) {
      if (shared == 1) {
        result[size_t(x)] = at(x);
        continue;
      }
      const double sample_x = is_centred_ ? (x - (shared - 1) / 2.0) / shared : double(x) / shared;
      const Between columns = between(sample_x, 0, 1, format.plane_width(plane));
      const float left = at(columns.first);
      result[size_t(x)] = left + columns.part * (at(columns.second) - left);
    }
  }

  const PictureView& picture_;
  const bool is_centred_;
  std::vector<float> cb_, cr_;  // zero for gray
  float black_ = 0, luma_scale_ = 1, middle_ = 0;
  float red_of_cr_ = 0, green_of_cb_ = 0, green_of_cr_ = 0, blue_of_cb_ = 0;
};

template <class Sample>
Status convert(const PictureView& picture, const Colour& colour, bool is_interlaced, std::span<Sample> rgb) {
  const VideoFormat& format = picture.format;
  const bool is_rgb = colour.matrix == kIdentity && format.chroma == Chroma::k444;
  Weights weights{0.299, 0.114};
  if (!is_rgb) {
    ASSIGN_OR_RETURN(weights, weights_of(colour.matrix, format.height));
  }
  RowConverter<Sample> converter(picture, colour, weights);
  for (int y = 0; y < format.height; y++) {
    Sample* row = rgb.data() + size_t(y) * size_t(format.width) * 3;
    if (is_rgb)
      converter.copy(y, row);
    else
      converter.convert(y, is_interlaced, row);
  }
  return ok_status();
}

}  // namespace

Status to_rgb(const PictureView& picture, const Colour& colour, bool is_interlaced, std::span<uint8_t> rgb) {
  return convert(picture, colour, is_interlaced, rgb);
}

Status to_rgb(const PictureView& picture, const Colour& colour, bool is_interlaced, std::span<uint16_t> rgb) {
  return convert(picture, colour, is_interlaced, rgb);
}

}  // namespace weft::media
