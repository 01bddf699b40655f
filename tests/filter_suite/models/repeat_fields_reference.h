// SPDX-License-Identifier: Apache-2.0
// Model of the display list of soft telecine, written from the table of picture kinds: for each
// picture the entries (picture of the top field, picture of the bottom field). It shares no code
// with the filter. Only tests include it.
#pragma once

#include <utility>
#include <vector>

#include "tests/filter_suite/clip.h"
#include "weft/v1/decimate.pb.h"

namespace weft::filters::plain {

enum class PictureKind { kTopFirst, kTopFirstRepeat, kBottomFirst, kBottomFirstRepeat, kDoubled, kTripled };

inline PictureKind kind_of(const FrameInfo& info, bool top_waits) {
  if (info.repeated_frames == 1) return PictureKind::kDoubled;
  if (info.repeated_frames > 1) return PictureKind::kTripled;
  if (info.repeats_field)
    return info.top_field_first ? PictureKind::kTopFirstRepeat : PictureKind::kBottomFirstRepeat;
  if (info.top_field_first) return PictureKind::kTopFirst;
  // A progressive picture without an order has its bottom field first only where that continues the
  // fields before.
  return info.interlaced || top_waits ? PictureKind::kBottomFirst : PictureKind::kTopFirst;
}

inline Clip repeat_fields(const v1::RepeatFields&, const Clip& clip) {
  Clip result{clip.format, {}, {}, clip.properties};
  bool top_waits = false, gave_none = false, cut = false;
  for (int i = 0; i < int(clip.frames.size()); i++) {
    const FrameInfo& info = clip.infos[size_t(i)];
    const bool has_previous = i > 0 && !info.discontinuity;
    if (!has_previous) top_waits = false;
    cut = cut || (info.discontinuity && i > 0);
    PictureKind kind = kind_of(info, top_waits);
    if (kind == PictureKind::kBottomFirst && !has_previous && gave_none) kind = PictureKind::kTopFirst;
    std::vector<std::pair<int, int>> entries;  // picture of the top field, and of the bottom field
    switch (kind) {
      case PictureKind::kTopFirst:
      case PictureKind::kTopFirstRepeat:
        entries = {{i, i}};
        break;
      case PictureKind::kBottomFirst:
        entries = {{i - 1, i}};
        break;
      case PictureKind::kBottomFirstRepeat:
        entries = {{i - 1, i}, {i, i}};
        break;
      case PictureKind::kDoubled:
        entries = {{i, i}, {i, i}};
        break;
      case PictureKind::kTripled:
        entries = {{i, i}, {i, i}, {i, i}};
        break;
    }
    if (!has_previous && entries.front().first != i) entries.erase(entries.begin());
    gave_none = entries.empty();
    top_waits = kind == PictureKind::kTopFirstRepeat || kind == PictureKind::kBottomFirst;
    for (const auto& [top, bottom] : entries) {
      Picture picture = clip.frames[size_t(bottom)];
      for (int plane = 0; plane < clip.format.planes(); plane++)
        for (int y = 0; y < clip.format.plane_height(plane); y += 2)
          for (int x = 0; x < clip.format.plane_width(plane); x++)
            picture.at(plane, x, y) = uint16_t(clip.frames[size_t(top)].at(plane, x, y));
      FrameInfo made;
      made.pts = int64_t(result.frames.size());
      made.interlaced = info.interlaced || top != bottom;
      made.top_field_first = true;
      made.discontinuity = std::exchange(cut, false);
      result.frames.push_back(std::move(picture));
      result.infos.push_back(made);
    }
  }
  return result;
}

}  // namespace weft::filters::plain
