// SPDX-License-Identifier: Apache-2.0
// Motion-compensated results of a clip, with the motion vectors of the same clip or of another
// clip: denoising and bounds. Written from the definitions; only tests include it.
#pragma once

#include "tests/filter_suite/models/reference_motion.h"
#include "tests/filter_suite/models/temporal_nr_reference.h"

namespace weft::filters::plain {

// A neighbour of a picture, and the motion vectors to it.
struct PictureAround {
  int picture;   // index of the neighbour
  int distance;  // distance in pictures; positive: a later picture
  std::vector<Vector> vectors;
};

// Returns, for each picture, its existing neighbours up to a distance.
inline std::vector<std::vector<PictureAround>> surroundings(const MotionModel& model, const Clip& clip,
                                                            int radius) {
  std::vector<EndlessPicture> pictures;
  for (const Picture& picture : clip.frames) pictures.push_back(endless(picture, clip.format, model.taps));
  std::vector<std::vector<PictureAround>> result(clip.frames.size());
  for (int n = 0; n < int(clip.frames.size()); n++)
    for (int distance = 1; distance <= radius; distance++)
      for (const int sign : {-1, 1}) {
        const Picture& other = frame_near(clip, n, sign * distance);
        if (&other == &frame_near(clip, n, sign * (distance - 1))) continue;
        const int number = int(&other - clip.frames.data());
        result[size_t(n)].push_back(
            {number, sign * distance, model.vectors(pictures[size_t(n)], pictures[size_t(number)])});
      }
  return result;
}

inline int64_t binomial_share(int radius, int distance) {
  int64_t share = 1;
  for (int i = 1; i <= radius - distance; i++) share = share * (2 * radius + 1 - i) / i;
  return share;
}

struct Degraining {
  MotionModel model;   // motion search of the pictures
  bool chroma = true;  // chroma is part of the SAD
  int radius = 1;
  int threshold = 400, chroma_threshold = 400;
  int cut_threshold = 400;
  double cut_share = 0.5;
  bool binomial = false;
  double limit = 255, chroma_limit = 255;  // on an 8-bit scale

  int64_t of_block(int64_t per_8x8) const {
    int64_t value = per_8x8 * model.grid.block * model.grid.block / 64;
    if (chroma && model.format.planes() == 3) value += 2 * value / (model.columns(1) * model.rows(1));
    return std::min<int64_t>(value, 0x0fffffff);
  }
  bool is_behind_cut(const PictureAround& around) const {
    const auto bad = std::ranges::count_if(around.vectors,
                                           [&](const Vector& v) { return v.sad > of_block(cut_threshold); });
    return bad > int(cut_share * double(around.vectors.size()));
  }
};

inline Clip degrained(const Degraining& how, const Clip& clip,
                      const std::vector<std::vector<PictureAround>>& surroundings) {
  const VideoFormat& format = clip.format;
  const MotionModel& model = how.model;
  const motion::BlockGrid& grid = model.grid;
  const int across = grid.count(format.width), down = grid.count(format.height);
  std::vector<EndlessPicture> pictures;
  for (const Picture& picture : clip.frames) pictures.push_back(endless(picture, format, model.taps));
  Clip result = clip;
  for (size_t n = 0; n < clip.frames.size(); n++) {
    std::vector<const PictureAround*> others;
    for (const PictureAround& around : surroundings[n])
      if (std::abs(around.distance) <= how.radius && !how.is_behind_cut(around)) others.push_back(&around);
    for (int plane = 0; plane < format.planes(); plane++) {
      const int cx = model.columns(plane), cy = model.rows(plane);
      const int size_x = grid.block / cx, size_y = grid.block / cy;
      const int overlap_x = grid.overlap / cx, overlap_y = grid.overlap / cy;
      const int64_t threshold = how.of_block(plane == 0 ? how.threshold : how.chroma_threshold);
      const double most = (plane == 0 ? how.limit : how.chroma_limit) * (1 << (format.bit_depth - 8));
      std::vector<int64_t> sums(clip.frames[n].planes[size_t(plane)].size());
      const int width = format.plane_width(plane), height = format.plane_height(plane);
      const Endless& own = pictures[n][size_t(plane)];
      for (int block = 0; block < across * down; block++) {
        std::vector<int64_t> weights;
        int64_t all = 256 * (how.binomial ? binomial_share(how.radius, 0) : 1) + 1;
        for (const PictureAround* other : others) {
          const int64_t sad = other->vectors[size_t(block)].sad;
          int64_t weight = 0;
          if (sad < threshold)
            weight = 256 * (threshold * threshold - sad * sad) / (threshold * threshold + sad * sad);
          if (how.binomial) weight *= binomial_share(how.radius, std::abs(other->distance));
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
              const Vector& v = others[k]->vectors[size_t(block)];
              value += weights[k] * pictures[size_t(others[k]->picture)][size_t(plane)].step(
                                        x * grid.pel + MotionModel::down(v.x, cx),
                                        y * grid.pel + MotionModel::down(v.y, cy), grid.pel);
            }
            sums[size_t(y) * size_t(width) + size_t(x)] += ((value + 128) >> 8) *
                                                           fade(i, bx, across, size_x, overlap_x) *
                                                           fade(j, by, down, size_y, overlap_y);
          }
      }
      for (size_t at = 0; at < sums.size(); at++) {
        const int source = clip.frames[n].planes[size_t(plane)][at];
        const int limit = int(most + 0.5);
        result.frames[n].planes[size_t(plane)][at] =
            uint16_t(std::clamp(int((sums[at] + 2048) / 4096), source - limit, source + limit));
      }
    }
  }
  return result;
}

// Minimum and maximum of each sample over a picture and its motion-compensated neighbours.
struct BoundsOfClip {
  Clip low, high;
};
inline BoundsOfClip bounds(const Degraining& how, const Clip& clip, const std::vector<int>& distances,
                           const std::vector<std::vector<PictureAround>>& surroundings) {
  std::vector<EndlessPicture> pictures;
  for (const Picture& picture : clip.frames)
    pictures.push_back(endless(picture, clip.format, how.model.taps));
  BoundsOfClip result{clip, clip};
  for (size_t n = 0; n < clip.frames.size(); n++)
    for (const PictureAround& around : surroundings[n]) {
      if (std::ranges::find(distances, std::abs(around.distance)) == distances.end() ||
          how.is_behind_cut(around))
        continue;
      const Picture made = compensated(clip.frames[n], pictures[n], pictures[size_t(around.picture)],
                                       around.vectors, int(how.of_block(how.threshold)), how.model);
      for (size_t plane = 0; plane < made.planes.size(); plane++)
        for (size_t at = 0; at < made.planes[plane].size(); at++) {
          uint16_t& low = result.low.frames[n].planes[plane][at];
          uint16_t& high = result.high.frames[n].planes[plane][at];
          low = std::min(low, made.planes[plane][at]);
          high = std::max(high, made.planes[plane][at]);
        }
    }
  return result;
}

// Returns the pictures blurred along their motion: `amount` of the motion to each side, in 256ths,
// at full length from `limit` luma samples on (motion.h).
inline Clip flow_blurred(const Degraining& how, const Clip& clip,
                         const std::vector<std::vector<PictureAround>>& surroundings, int amount, int limit) {
  constexpr int kMostTaps = 64;
  const VideoFormat& format = clip.format;
  const motion::BlockGrid& grid = how.model.grid;
  const int across = grid.count(format.width), rows = grid.count(format.height);
  const auto down = [](int64_t value, int64_t by) {
    return value < 0 ? -((-value + by - 1) / by) : value / by;
  };
  Clip result = clip;
  for (size_t n = 0; n < clip.frames.size(); n++) {
    std::vector<const PictureAround*> sides;
    for (const int distance : {-1, 1})
      for (const PictureAround& around : surroundings[n])
        if (around.distance == distance && !how.is_behind_cut(around)) sides.push_back(&around);
    if (sides.size() < 2) continue;
    for (int plane = 0; plane < format.planes(); plane++) {
      const int width = format.plane_width(plane), height = format.plane_height(plane);
      const int cx = how.model.columns(plane), cy = how.model.rows(plane);
      const auto sample = [&](int64_t x, int64_t y) {  // position in 256ths of a sample
        const auto at = [&](int64_t i, int64_t j) {
          return int64_t(clip.frames[n].at(plane, int(std::clamp<int64_t>(i, 0, width - 1)),
                                           int(std::clamp<int64_t>(j, 0, height - 1))));
        };
        const int64_t i = down(x, 256), j = down(y, 256), right = x - 256 * i, below = y - 256 * j;
        return (((256 - right) * at(i, j) + right * at(i + 1, j)) * (256 - below) +
                ((256 - right) * at(i, j + 1) + right * at(i + 1, j + 1)) * below + 32768) /
               65536;
      };
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
          const int64_t source = clip.frames[n].at(plane, x, y);
          int64_t sum = source, taps = 1, length = 0;
          for (const PictureAround* side : sides) {
            // The vector is interpolated between the centres of four blocks.
            const int64_t in_x = x * cx - grid.block / 2, in_y = y * cy - grid.block / 2;
            const int64_t bx = down(in_x, grid.step()), by = down(in_y, grid.step());
            int64_t sum_x = 0, sum_y = 0;
            for (int j = 0; j < 2; j++)
              for (int i = 0; i < 2; i++) {
                const int64_t right = in_x - bx * grid.step(), below = in_y - by * grid.step();
                const int64_t weight =
                    (i == 1 ? right : grid.step() - right) * (j == 1 ? below : grid.step() - below);
                const Vector& v = side->vectors[size_t(std::clamp<int64_t>(by + j, 0, rows - 1) * across +
                                                       std::clamp<int64_t>(bx + i, 0, across - 1))];
                sum_x += weight * v.x;
                sum_y += weight * v.y;
              }
            const int64_t motion_x = down(8 * sum_x, grid.step() * grid.step());
            const int64_t motion_y = down(8 * sum_y, grid.step() * grid.step());
            const int64_t way_x = down(2 * motion_x * amount, 256 * grid.pel * cx);
            const int64_t way_y = down(2 * motion_y * amount, 256 * grid.pel * cy);
            const int64_t count =
                std::min<int64_t>(std::max(std::abs(way_x), std::abs(way_y)) / 16, kMostTaps);
            for (int64_t tap = 1; tap <= count; tap++)
              sum += sample(256 * x + tap * down(16 * way_x, count), 256 * y + tap * down(16 * way_y, count));
            taps += count;
            length = std::max(std::abs(motion_x), std::abs(motion_y)) +
                     3 * std::min(std::abs(motion_x), std::abs(motion_y)) / 8;
          }
          const int64_t share = limit == 0 ? 256 : std::min<int64_t>(32 * length / grid.pel / limit, 256);
          result.frames[n].at(plane, x, y) =
              uint16_t(source + down(((sum + taps / 2) / taps - source) * share + 128, 256));
        }
    }
  }
  return result;
}

}  // namespace weft::filters::plain
