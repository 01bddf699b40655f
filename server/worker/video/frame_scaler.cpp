// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/frame_scaler.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "server/filters/nodes/resize_kernels.h"

namespace weft::worker {
namespace {

constexpr int kWeightBits = 26, kFractionBits = 8;

// Returns the number of lines of a field, or of a whole frame.
int lines_of(int height, int field, int fields) { return (height - field + fields - 1) / fields; }

int64_t rounded(int64_t sum, int bits) { return (sum + (int64_t{1} << (bits - 1))) >> bits; }

// A packed picture with views of it.
struct ScaledPicture {
  std::vector<uint8_t> bytes;
  media::PictureView view;
};

std::shared_ptr<ScaledPicture> make_picture(const VideoFormat& format) {
  auto picture = std::make_shared<ScaledPicture>();
  picture->bytes.resize(format.packed_bytes());
  picture->view.format = format;
  size_t at = 0;
  for (int plane = 0; plane < format.planes(); plane++) {
    const size_t stride = size_t(format.plane_width(plane)) * size_t(format.sample_bytes());
    picture->view.plane[size_t(plane)] = picture->bytes.data() + at;
    picture->view.stride_bytes[size_t(plane)] = ptrdiff_t(stride);
    at += stride * size_t(format.plane_height(plane));
  }
  return picture;
}

}  // namespace

// Returns the weights. The lines of a field keep their positions in the frame: 4:2:0 chroma at 0.5,
// 4.5 ... and 2.5, 6.5 ... (ITU-T H.264, 6.2).
FrameScaler::Weights FrameScaler::weights_of(int plane, int field, bool is_rows) const {
  const filters::ChromaOffset chroma = filters::chroma_offset(v1::CHROMA_POSITION_AUTO, chroma_);
  const int fields = is_rows ? 1 : fields_;
  filters::Side side;
  side.from = is_rows ? from_.plane_width(plane) : lines_of(from_.plane_height(plane), field, fields);
  side.to = is_rows ? to_.plane_width(plane) : lines_of(to_.plane_height(plane), field, fields);
  side.luma_from = is_rows ? from_.width : from_.height;
  side.luma_to = is_rows ? to_.width : to_.height;
  int step = 1;
  double first = 0;  // position of the first sample in luma samples
  if (plane > 0) {
    step = is_rows ? columns_of_chroma(from_.chroma) : rows_of_chroma(from_.chroma);
    first = (is_rows ? chroma.x : chroma.y) * (step - 1);
  }
  side.step = step * fields;
  if (fields == 2) first += field * step;
  if (side.step > 1) side.siting = first / (side.step - 1);
  v1::Resize options;
  options.set_kernel(v1::RESIZE_KERNEL_LANCZOS3);
  const filters::FilterWeights filter = filters::filter_weights(options, side);
  return {filter.taps, filter.first, filters::fixed_weights(filter, kWeightBits)};
}

void FrameScaler::plan(const VideoFormat& from, int fields) {
  if (from == from_ && fields == fields_) return;
  from_ = from;
  fields_ = fields;
  planes_.clear();
  for (int plane = 0; plane < from.planes(); plane++)
    for (int field = 0; field < fields; field++)
      planes_.push_back({weights_of(plane, field, true), weights_of(plane, field, false)});
}

template <class Sample>
void FrameScaler::scale_rows(const uint8_t* from, ptrdiff_t stride_bytes, int lines, const Weights& rows) {
  const auto width = rows.first.size();
  const auto taps = size_t(rows.taps);
  between_.resize(size_t(lines) * width);
  for (size_t y = 0; y < size_t(lines); y++) {
    const auto* line = reinterpret_cast<const Sample*>(from + ptrdiff_t(y) * stride_bytes);
    for (size_t x = 0; x < width; x++) {
      int64_t sum = 0;
      for (size_t k = 0; k < taps; k++)
        sum += int64_t{rows.weights[x * taps + k]} * line[size_t(rows.first[x]) + k];
      between_[y * width + x] = int32_t(rounded(sum, kWeightBits - kFractionBits));
    }
  }
}

template <class Sample>
void FrameScaler::scale_columns(uint8_t* to, ptrdiff_t stride_bytes, size_t width,
                                const Weights& columns) const {
  const int64_t maximum = (int64_t{1} << to_.bit_depth) - 1;
  const auto taps = size_t(columns.taps);
  for (size_t y = 0; y < columns.first.size(); y++) {
    auto* line = reinterpret_cast<Sample*>(to + ptrdiff_t(y) * stride_bytes);
    const int32_t* first = between_.data() + size_t(columns.first[y]) * width;
    for (size_t x = 0; x < width; x++) {
      int64_t sum = 0;
      for (size_t k = 0; k < taps; k++) sum += int64_t{columns.weights[y * taps + k]} * first[k * width + x];
      line[x] = Sample(std::clamp<int64_t>(rounded(sum, kWeightBits + kFractionBits), 0, maximum));
    }
  }
}

template <class Sample>
void FrameScaler::scale_planes(const media::PictureView& from, const media::PictureView& to) {
  for (int plane = 0; plane < from_.planes(); plane++) {
    const ptrdiff_t from_stride = from.stride_bytes[size_t(plane)];
    const ptrdiff_t to_stride = to.stride_bytes[size_t(plane)];
    for (int field = 0; field < fields_; field++) {
      const auto& [rows, columns] = planes_[size_t(plane * fields_ + field)];
      scale_rows<Sample>(from.plane[size_t(plane)] + field * from_stride, fields_ * from_stride,
                         lines_of(from_.plane_height(plane), field, fields_), rows);
      // This object owns the picture.
      auto* const target = const_cast<uint8_t*>(to.plane[size_t(plane)]) + field * to_stride;
      scale_columns<Sample>(target, fields_ * to_stride, size_t(to_.plane_width(plane)), columns);
    }
  }
}

Status FrameScaler::scale(media::SourceFrame& frame) {
  if (frame.picture.format == to_) return ok_status();
  if (frame.kept != nullptr) return internal_error("A frame on the GPU is to be scaled in memory.");
  plan(frame.picture.format, frame.interlaced ? 2 : 1);
  const std::shared_ptr<ScaledPicture> picture = make_picture(to_);
  if (to_.sample_bytes() == 1)
    scale_planes<uint8_t>(frame.picture, picture->view);
  else
    scale_planes<uint16_t>(frame.picture, picture->view);
  frame.picture = picture->view;
  frame.owner = picture;
  frame.quantisers = {};  // they belong to the samples before
  return ok_status();
}

}  // namespace weft::worker
