// SPDX-License-Identifier: Apache-2.0
#include "server/media/pixel_format.h"

#include <bit>
#include <cstring>
#include <string_view>

namespace weft::media {

namespace {

constexpr uint64_t kRefusedFlags = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                                   AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;

constexpr Chroma kSubsampled[] = {Chroma::k420, Chroma::k422, Chroma::k444,
                                  Chroma::k411, Chroma::k410, Chroma::k440};

// Describes the positions of one component's samples in memory, in bytes, as FFmpeg's descriptor
// does.
struct Samples {
  uint8_t* first = nullptr;
  ptrdiff_t stride_bytes = 0;
  int step_bytes = 0;
  int shift = 0;
  bool swapped = false;  // samples are big-endian
  int sample_bytes = 1;

  bool as_ours() const { return step_bytes == sample_bytes && shift == 0 && !swapped; }
};

void copy_plane(const uint8_t* from, ptrdiff_t from_stride, uint8_t* to, ptrdiff_t to_stride,
                const VideoFormat& format, int plane) {
  const size_t row_bytes = size_t(format.plane_width(plane)) * size_t(format.sample_bytes());
  for (int row = 0; row < format.plane_height(plane); row++)
    std::memcpy(to + row * to_stride, from + row * from_stride, row_bytes);
}

Samples samples_of(const AVFrame& frame, int component) {
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(AVPixelFormat(frame.format));
  const AVComponentDescriptor& descriptor_entry = descriptor->comp[component];
  return {.first = frame.data[descriptor_entry.plane] + descriptor_entry.offset,
          .stride_bytes = frame.linesize[descriptor_entry.plane],
          .step_bytes = descriptor_entry.step,
          .shift = descriptor_entry.shift,
          .swapped = (descriptor->flags & AV_PIX_FMT_FLAG_BE) != 0 && descriptor_entry.depth > 8,
          .sample_bytes = descriptor_entry.depth > 8 ? 2 : 1};
}

uint16_t swap_bytes(uint16_t word) { return uint16_t(word << 8 | word >> 8); }

template <class Sample>
void unpack_plane(const Samples& from, const PictureView& to, int plane) {
  const int width = to.format.plane_width(plane);
  if (from.as_ours()) {
    copy_plane(from.first, from.stride_bytes, const_cast<uint8_t*>(to.plane[size_t(plane)]),
               to.stride_bytes[size_t(plane)], to.format, plane);
    return;
  }
  const unsigned mask = (1u << to.format.bit_depth) - 1;
  for (int row = 0; row < to.format.plane_height(plane); row++) {
    const uint8_t* source = from.first + row * from.stride_bytes;
    auto* target = const_cast<uint8_t*>(to.plane[size_t(plane)]) + row * to.stride_bytes[size_t(plane)];
    for (int x = 0; x < width; x++, source += from.step_bytes, target += sizeof(Sample)) {
      Sample sample;
      std::memcpy(&sample, source, sizeof sample);
      if (from.swapped) sample = Sample(swap_bytes(sample));
      sample = Sample((sample >> from.shift) & mask);
      std::memcpy(target, &sample, sizeof sample);
    }
  }
}

template <class Sample>
void pack_plane(const PictureView& from, const Samples& to, int plane) {
  const int width = from.format.plane_width(plane);
  if (to.as_ours()) {
    copy_plane(from.plane[size_t(plane)], from.stride_bytes[size_t(plane)], to.first, to.stride_bytes,
               from.format, plane);
    return;
  }
  for (int row = 0; row < from.format.plane_height(plane); row++) {
    const uint8_t* source = from.plane[size_t(plane)] + row * from.stride_bytes[size_t(plane)];
    uint8_t* target = to.first + row * to.stride_bytes;
    for (int x = 0; x < width; x++, source += sizeof(Sample), target += to.step_bytes) {
      Sample sample;
      std::memcpy(&sample, source, sizeof sample);
      sample = Sample(sample << to.shift);
      if (to.swapped) sample = Sample(swap_bytes(sample));
      std::memcpy(target, &sample, sizeof sample);
    }
  }
}

std::optional<Chroma> chroma_of(const AVPixFmtDescriptor& descriptor) {
  const int colours = descriptor.nb_components - ((descriptor.flags & AV_PIX_FMT_FLAG_ALPHA) != 0 ? 1 : 0);
  if (colours == 1) return Chroma::kGray;
  if (colours != 3) return std::nullopt;
  for (const Chroma chroma : kSubsampled)
    if (columns_of_chroma(chroma) == 1 << descriptor.log2_chroma_w &&
        rows_of_chroma(chroma) == 1 << descriptor.log2_chroma_h)
      return chroma;
  return std::nullopt;
}

// Returns the digits of a subsampling, "420", as in FFmpeg's format names.
std::string digits_of(Chroma chroma) {
  std::string digits = name_of(chroma);
  std::erase(digits, ':');
  return digits;
}

}  // namespace

std::optional<VideoFormat> format_of(AVPixelFormat stored, int width, int height) {
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(stored);
  if (descriptor == nullptr || (descriptor->flags & kRefusedFlags) != 0) return std::nullopt;
  if (std::string_view(descriptor->name).starts_with("xyz")) return std::nullopt;
  // UYYVYY411: the luma samples are not evenly spaced.
  if (stored == AV_PIX_FMT_UYYVYY411) return std::nullopt;
  const int depth = descriptor->comp[0].depth;
  if (depth < 8 || depth > 16) return std::nullopt;
  const int sample_bytes = depth > 8 ? 2 : 1;
  for (int component = 0; component < descriptor->nb_components; component++) {
    const AVComponentDescriptor& descriptor_entry = descriptor->comp[component];
    if (descriptor_entry.depth != depth || descriptor_entry.step < sample_bytes) return std::nullopt;
  }
  const std::optional<Chroma> chroma = chroma_of(*descriptor);
  if (!chroma) return std::nullopt;
  return VideoFormat{.width = width, .height = height, .chroma = *chroma, .bit_depth = depth};
}

bool has_alpha(AVPixelFormat stored) {
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(stored);
  return descriptor != nullptr && (descriptor->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
}

bool is_planar(AVPixelFormat stored) {
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(stored);
  if (descriptor == nullptr) return false;
  for (int component = 0; component < descriptor->nb_components; component++) {
    const AVComponentDescriptor& descriptor_entry = descriptor->comp[component];
    const int sample_bytes = descriptor_entry.depth > 8 ? 2 : 1;
    if (descriptor_entry.plane != component || descriptor_entry.offset != 0 || descriptor_entry.shift != 0 ||
        descriptor_entry.step != sample_bytes)
      return false;
  }
  return descriptor->comp[0].depth <= 8 || (descriptor->flags & AV_PIX_FMT_FLAG_BE) == 0;
}

AVPixelFormat planar_format(const VideoFormat& format) {
  const std::string chroma =
      format.chroma == Chroma::kGray ? "gray" : fmt::format("yuv{}p", digits_of(format.chroma));
  static_assert(std::endian::native == std::endian::little);
  const std::string name = format.bit_depth == 8 ? chroma : fmt::format("{}{}le", chroma, format.bit_depth);
  return av_get_pix_fmt(name.c_str());
}

void unpack(const AVFrame& stored, const PictureView& planes) {
  for (int plane = 0; plane < planes.format.planes(); plane++) {
    if (planes.format.sample_bytes() == 1)
      unpack_plane<uint8_t>(samples_of(stored, plane), planes, plane);
    else
      unpack_plane<uint16_t>(samples_of(stored, plane), planes, plane);
  }
}

void pack(const PictureView& planes, AVFrame& stored) {
  for (int plane = 0; plane < planes.format.planes(); plane++) {
    if (planes.format.sample_bytes() == 1)
      pack_plane<uint8_t>(planes, samples_of(stored, plane), plane);
    else
      pack_plane<uint16_t>(planes, samples_of(stored, plane), plane);
  }
}

PackedLayout layout_planes(const VideoFormat& format) {
  constexpr size_t kAlignment = 64;
  PackedLayout layout;
  for (int plane = 0; plane < format.planes(); plane++) {
    const size_t row_bytes = size_t(format.plane_width(plane)) * size_t(format.sample_bytes());
    const size_t stride = (row_bytes + kAlignment - 1) / kAlignment * kAlignment;
    layout.offset[size_t(plane)] = layout.bytes;
    layout.stride_bytes[size_t(plane)] = ptrdiff_t(stride);
    layout.bytes += stride * size_t(format.plane_height(plane));
  }
  return layout;
}

std::string describe(const VideoFormat& format) {
  return fmt::format("{}-bit {}", format.bit_depth, name_of(format.chroma));
}

}  // namespace weft::media
