// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/widen.h"

#include <algorithm>

#include "server/media/ffmpeg.h"
#include "server/media/pixel_format.h"

namespace weft::media {
namespace {

// Returns the tap for a sample of the wider plane. If `is_doubled`, the wider plane has twice the
// samples: samples of the narrow plane lie on every second one, or between two if `is_centred`.
Tap tap(int position, bool is_doubled, bool is_centred, int count) {
  Tap tap{position, position, 0};
  const bool is_odd = position % 2 != 0;
  if (is_doubled) {
    tap.near = position / 2;
    tap.far = is_odd ? tap.near + 1 : is_centred ? tap.near - 1 : tap.near;
    tap.far_quarters = is_centred ? 1 : 2;
  }
  tap.near = std::clamp(tap.near, 0, count - 1);
  tap.far = std::clamp(tap.far, 0, count - 1);
  return tap;
}

bool is_between_columns(int chroma_location) {
  return chroma_location == AVCHROMA_LOC_CENTER || chroma_location == AVCHROMA_LOC_TOP ||
         chroma_location == AVCHROMA_LOC_BOTTOM;
}
bool is_between_rows(int chroma_location) {
  return chroma_location != AVCHROMA_LOC_TOPLEFT && chroma_location != AVCHROMA_LOC_TOP;
}

template <class Sample>
void widen_plane(const PictureView& from, const PictureView& to, int plane, const std::vector<Tap>& columns,
                 const std::vector<Tap>& rows) {
  const auto row_of = [plane](const PictureView& picture, int y) {
    const uint8_t* row = picture.plane[size_t(plane)] + y * picture.stride_bytes[size_t(plane)];
    return reinterpret_cast<const Sample*>(row);
  };
  for (size_t y = 0; y < rows.size(); y++) {
    const Sample* near = row_of(from, rows[y].near);
    const Sample* far = row_of(from, rows[y].far);
    auto* target = const_cast<Sample*>(row_of(to, int(y)));
    const unsigned below = unsigned(rows[y].far_quarters);
    for (const Tap& x : columns) {
      const unsigned right = unsigned(x.far_quarters);
      const unsigned at_near = (4 - below) * near[x.near] + below * far[x.near];
      const unsigned at_far = (4 - below) * near[x.far] + below * far[x.far];
      *target++ = Sample(((4 - right) * at_near + right * at_far + 8) / 16);
    }
  }
}

}  // namespace

VideoFormat widened(const VideoFormat& format) {
  VideoFormat result = format;
  if (format.chroma == Chroma::k411) result.chroma = Chroma::k422;
  if (format.chroma == Chroma::k410) result.chroma = Chroma::k420;
  if (format.chroma == Chroma::k440) result.chroma = Chroma::k444;
  return result;
}

Widener::Widener(const OutputVideo& video) : to_(widened(video.format)) {
  const VideoFormat& from = video.format;
  const int location = video.colour.chroma_location;
  const bool has_more_columns = columns_of_chroma(to_.chroma) < columns_of_chroma(from.chroma);
  const bool has_more_rows = rows_of_chroma(to_.chroma) < rows_of_chroma(from.chroma);
  for (int x = 0; x < to_.plane_width(1); x++)
    columns_.push_back(tap(x, has_more_columns, is_between_columns(location), from.plane_width(1)));
  const int rows = from.plane_height(1);
  const int fields = is_interlaced(video.field_order) && rows > 1 ? 2 : 1;
  for (int y = 0; y < to_.plane_height(1); y++) {
    const int field = y % fields;
    Tap lines =
        tap(y / fields, has_more_rows, is_between_rows(location), (rows - field + fields - 1) / fields);
    rows_.push_back({lines.near * fields + field, lines.far * fields + field, lines.far_quarters});
  }
}

PictureView Widener::widen(const PictureView& picture) {
  const PackedLayout layout = layout_planes(to_);
  samples_.resize(layout.bytes);
  PictureView result{.format = to_};
  for (size_t plane = 0; plane < 3; plane++) {
    result.plane[plane] = samples_.data() + layout.offset[plane];
    result.stride_bytes[plane] = layout.stride_bytes[plane];
  }
  result.plane[0] = picture.plane[0];
  result.stride_bytes[0] = picture.stride_bytes[0];
  for (const int plane : {1, 2}) {
    if (to_.sample_bytes() == 1)
      widen_plane<uint8_t>(picture, result, plane, columns_, rows_);
    else
      widen_plane<uint16_t>(picture, result, plane, columns_, rows_);
  }
  return result;
}

}  // namespace weft::media
