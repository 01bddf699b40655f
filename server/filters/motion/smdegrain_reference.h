// SPDX-License-Identifier: Apache-2.0
// Grain taken out along what moves, written from its definition. Only tests include it.
#pragma once

#include "server/filters/motion/reference_degrain.h"

namespace weft::filters::plain {

inline Clip smdegrain(const v1::SmDegrain& options, const Clip& clip) {
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

}  // namespace weft::filters::plain
