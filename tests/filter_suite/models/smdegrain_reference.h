// SPDX-License-Identifier: Apache-2.0
// Model of motion-compensated denoising, written from its definition. Only tests include it.
#pragma once

#include "tests/filter_suite/models/reference_degrain.h"

namespace weft::filters::plain {

inline Clip smdegrain_of_pictures(const v1::SmDegrain& options, const Clip& clip) {
  const MotionModel model{.format = clip.format,
                          .grid = {.block = options.block(),
                                   .overlap = options.has_overlap() ? options.overlap() : options.block() / 2,
                                   .pel = options.pel()},
                          .search = options.search(),
                          .range = options.range(),
                          .chroma = options.chroma()};
  return degrained({.model = model,
                    .chroma = options.chroma(),
                    .radius = options.radius(),
                    .threshold = options.threshold(),
                    .chroma_threshold = options.chroma_threshold(),
                    .cut_threshold = options.cut_threshold(),
                    .cut_share = options.cut_blocks() / 100,
                    .binomial = options.binomial(),
                    .limit = options.limit(),
                    .chroma_limit = options.chroma_limit()},
                   clip, surroundings(model, clip, options.radius()));
}

// Returns the clip of every second row. The last row of a bottom field with one row too few is
// repeated.
inline Clip field_clip(const Clip& clip, int first_row) {
  Clip fields = clip;
  fields.format.height = (clip.format.height + 1) / 2;
  for (Picture& picture : fields.frames) picture = Picture(fields.format);
  for (size_t n = 0; n < clip.frames.size(); n++)
    for (int plane = 0; plane < clip.format.planes(); plane++)
      for (int y = 0; y < fields.format.plane_height(plane); y++)
        for (int x = 0; x < clip.format.plane_width(plane); x++) {
          int row = 2 * y + first_row;
          while (row >= clip.format.plane_height(plane)) row = std::max(row - 2, 0);
          fields.frames[n].at(plane, x, y) = uint16_t(clip.frames[n].at(plane, x, row));
        }
  return fields;
}

inline Clip smdegrain(const v1::SmDegrain& options, const Clip& clip) {
  const bool is_interlaced = options.interlaced() == v1::INTERLACING_YES ||
                             (options.interlaced() == v1::INTERLACING_AUTO && clip.properties.interlaced);
  if (!is_interlaced) return smdegrain_of_pictures(options, clip);
  const Clip fields[] = {smdegrain_of_pictures(options, field_clip(clip, 0)),
                         smdegrain_of_pictures(options, field_clip(clip, 1))};
  Clip result = clip;
  for (size_t n = 0; n < clip.frames.size(); n++)
    for (int plane = 0; plane < clip.format.planes(); plane++)
      for (int y = 0; y < clip.format.plane_height(plane); y++)
        for (int x = 0; x < clip.format.plane_width(plane); x++)
          result.frames[n].at(plane, x, y) = uint16_t(fields[y % 2].frames[n].at(plane, x, y / 2));
  return result;
}

}  // namespace weft::filters::plain
