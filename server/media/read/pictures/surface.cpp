// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/surface.h"

#include "server/media/pixel_format.h"

namespace weft::media {

std::optional<Surface> surface_of(const AVFrame& frame, AVPixelFormat stored) {
  const std::optional<VideoFormat> format = format_of(stored, frame.width, frame.height);
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(stored);
  if (!format || (descriptor->flags & AV_PIX_FMT_FLAG_BE) != 0) return std::nullopt;
  Surface surface;
  surface.format = *format;
  surface.shift = descriptor->comp[0].shift;
  for (int plane = 0; plane < format->planes(); plane++) {
    const AVComponentDescriptor& component = descriptor->comp[plane];
    const int step = component.step / format->sample_bytes();
    if (component.shift != surface.shift || component.step % format->sample_bytes() != 0) return std::nullopt;
    if (plane == 0 && step != 1) return std::nullopt;
    if (plane == 2 && step != surface.chroma_step) return std::nullopt;
    if (plane > 0) surface.chroma_step = step;
    surface.plane[size_t(plane)] =
        reinterpret_cast<uint64_t>(frame.data[component.plane]) + uint64_t(component.offset);
    surface.stride_bytes[size_t(plane)] = frame.linesize[component.plane];
  }
  return surface;
}

}  // namespace weft::media
