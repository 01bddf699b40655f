// SPDX-License-Identifier: Apache-2.0
// Grain taken out along what moves, written from its definition. Only tests include it.
#pragma once

#include "server/filters/motion/reference_motion.h"
#include "server/filters/picture/temporal_nr_reference.h"

namespace weft::filters::plain {

inline int64_t binomial_share(int radius, int distance) {
  int64_t share = 1;
  for (int i = 1; i <= radius - distance; i++) share = share * (2 * radius + 1 - i) / i;
  return share;
}

inline Clip smdegrain(const v1::SmDegrain& options, const Clip& clip) {
  const VideoFormat& format = clip.format;
  MotionModel model{.format = format,
                    .grid = {.block = options.block(),
                             .overlap = options.has_overlap() ? options.overlap() : options.block() / 2,
                             .pel = options.pel()},
                    .search = options.search(),
                    .range = options.range(),
                    .chroma = options.chroma()};
  const motion::BlockGrid& grid = model.grid;
  const int across = grid.count(format.width), down = grid.count(format.height), radius = options.radius();
  const auto of_block = [&](int64_t per_8x8) {
    int64_t value = per_8x8 * grid.block * grid.block / 64;
    if (options.chroma() && format.planes() == 3) value += 2 * value / (model.columns(1) * model.rows(1));
    return std::min<int64_t>(value, 0x0fffffff);
  };
  std::vector<EndlessPicture> pictures;
  for (const Picture& picture : clip.frames) pictures.push_back(endless(picture, format));

  Clip result = clip;
  for (int n = 0; n < int(clip.frames.size()); n++) {
    // The pictures around that count, with their vectors.
    struct Other {
      const EndlessPicture* picture;
      std::vector<Vector> vectors;
      int distance;
    };
    std::vector<Other> others;
    for (int distance = 1; distance <= radius; distance++)
      for (const int sign : {-1, 1}) {
        const Picture& other = frame_near(clip, n, sign * distance);
        if (&other == &frame_near(clip, n, sign * (distance - 1))) continue;
        const EndlessPicture& picture = pictures[size_t(&other - clip.frames.data())];
        std::vector<Vector> vectors = model.vectors(pictures[size_t(n)], picture);
        const auto bad = std::ranges::count_if(
            vectors, [&](const Vector& v) { return v.sad > of_block(options.cut_threshold()); });
        if (bad > int(options.cut_blocks() / 100 * across * down)) continue;
        others.push_back({&picture, std::move(vectors), distance});
      }
    for (int plane = 0; plane < format.planes(); plane++) {
      const int cx = model.columns(plane), cy = model.rows(plane);
      const int size_x = grid.block / cx, size_y = grid.block / cy;
      const int overlap_x = grid.overlap / cx, overlap_y = grid.overlap / cy;
      const int64_t threshold = of_block(plane == 0 ? options.threshold() : options.chroma_threshold());
      const double most =
          (plane == 0 ? options.limit() : options.chroma_limit()) * (1 << (format.bit_depth - 8));
      std::vector<int64_t> sums(result.frames[size_t(n)].planes[size_t(plane)].size());
      const int width = format.plane_width(plane), height = format.plane_height(plane);
      const Endless& own = pictures[size_t(n)][size_t(plane)];
      for (int block = 0; block < across * down; block++) {
        std::vector<int64_t> weights;
        int64_t all = 256 * (options.binomial() ? binomial_share(radius, 0) : 1) + 1;
        for (const Other& other : others) {
          const int64_t sad = other.vectors[size_t(block)].sad;
          int64_t weight = 0;
          if (sad < threshold)
            weight = 256 * (threshold * threshold - sad * sad) / (threshold * threshold + sad * sad);
          if (options.binomial()) weight *= binomial_share(radius, other.distance);
          weights.push_back(weight);
          all += weight;
        }
        int64_t rest = 256;
        for (int64_t& weight : weights) {
          weight = weight * 256 / all;
          rest -= weight;
        }
        const int bx = block % across, by = block / across;
        for (int j = 0; j < size_y; j++)
          for (int i = 0; i < size_x; i++) {
            const int x = bx * (size_x - overlap_x) + i, y = by * (size_y - overlap_y) + j;
            if (x >= width || y >= height) continue;
            int64_t value = own.at(x, y) * rest;
            for (size_t k = 0; k < others.size(); k++) {
              const Vector& v = others[k].vectors[size_t(block)];
              value += weights[k] * (*others[k].picture)[size_t(plane)].step(
                                        x * grid.pel + MotionModel::down(v.x, cx),
                                        y * grid.pel + MotionModel::down(v.y, cy), grid.pel);
            }
            sums[size_t(y) * size_t(width) + size_t(x)] += ((value + 128) >> 8) *
                                                           fade(i, bx, across, size_x, overlap_x) *
                                                           fade(j, by, down, size_y, overlap_y);
          }
      }
      for (size_t at = 0; at < sums.size(); at++) {
        const int source = clip.frames[size_t(n)].planes[size_t(plane)][at];
        const int limit = int(most + 0.5);
        result.frames[size_t(n)].planes[size_t(plane)][at] =
            uint16_t(std::clamp(int((sums[at] + 2048) / 4096), source - limit, source + limit));
      }
    }
  }
  return result;
}

}  // namespace weft::filters::plain
