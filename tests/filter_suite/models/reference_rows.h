// SPDX-License-Identifier: Apache-2.0
// Models of QTGMC's operations on rows outside of its own stages: fields, missing rows, rows above
// and below, and the kept part of repaired pictures. Only tests include it.
#pragma once

#include "server/filters/qtgmc/settings.h"
#include "tests/filter_suite/models/nnedi_reference.h"
#include "tests/filter_suite/models/reference_degrain.h"
#include "tests/filter_suite/models/reference_fields.h"
#include "tests/filter_suite/models/reference_mask.h"

namespace weft::filters::plain {

struct FieldPlane {
  plain::Plane plane;
  int kept;
  int operator()(int x, int y) const {
    const int height = plane.height();
    if (height == 1) return plane(x, 0);
    const int last = height - 1 - (height - 1 - kept) % 2;
    return plane(x, std::clamp(y, kept, last));
  }
};

// Returns two pictures per frame. kept[n] is set to the parity of the field in picture n.
inline Clip pictures_of_fields(const Clip& clip, v1::Parity parity, std::vector<int>& kept) {
  v1::Bob bob;
  bob.set_rate(v1::OUTPUT_RATE_FIELD);
  bob.set_parity(parity);
  bob.set_frames(v1::FRAME_SELECTION_ALL);
  Clip result = deinterlaced(bob, clip, [](const Task& task, int x, int y) {
    const FieldPlane field{task.current, task.kept};
    const int value = (9 * (field(x, y - 1) + field(x, y + 1)) - field(x, y - 3) - field(x, y + 3) + 8) >> 4;
    return std::clamp(value, 0, (1 << task.current.picture->format.bit_depth) - 1);
  });
  for (const FrameInfo& info : clip.infos) {
    bool top_first = !info.interlaced || info.top_field_first;
    if (parity == v1::PARITY_TOP) top_first = true;
    if (parity == v1::PARITY_BOTTOM) top_first = false;
    kept.push_back(top_first ? 0 : 1);
    kept.push_back(top_first ? 1 : 0);
  }
  return result;
}

// Interpolates the missing lines from the kept lines. If kept[n] is -1, picture n has no missing
// lines.
inline Clip interpolated(const filters::qtgmc::Interpolation& how, const Clip& fields,
                         const std::vector<int>& kept) {
  Clip result = fields;
  for (size_t n = 0; n < fields.frames.size(); n++) {
    if (kept[n] < 0) continue;
    if (how.mode == v1::QTGMC_EDI_NNEDI) {
      const auto network =
          network_of_model(how.neurons >= 2 ? v1::NNEDI_NETWORK_BEST : v1::NNEDI_NETWORK_FAST);
      result.frames[n] = with_made_rows(network, fields.frames[n], kept[n]);
      continue;
    }
    for (int plane = 0; plane < fields.format.planes(); plane++) {
      const FieldPlane field{{&fields.frames[n], plane}, kept[n]};
      const int maximum = (1 << fields.format.bit_depth) - 1;
      for (int y = 1 - kept[n]; y < field.plane.height(); y += 2)
        for (int x = 0; x < field.plane.width(); x++)
          result.frames[n].at(plane, x, y) = uint16_t(std::clamp(
              (9 * (field(x, y - 1) + field(x, y + 1)) - field(x, y - 3) - field(x, y + 3) + 8) >> 4, 0,
              maximum));
    }
  }
  return result;
}

// Adds rows above and below, mirrored from the picture.
inline Clip with_border(const Clip& clip, int rows) {
  Clip result = clip;
  result.format.height += 2 * rows;
  for (Picture& picture : result.frames) {
    const Picture own = picture;
    picture = Picture(result.format);
    for (int plane = 0; plane < own.format.planes(); plane++) {
      const int height = own.format.plane_height(plane);
      const int beyond = rows / (plane == 0 ? 1 : rows_of_chroma(own.format.chroma));
      for (int y = 0; y < picture.format.plane_height(plane); y++) {
        int from = std::abs(y - beyond);
        if (from >= height) from = 2 * (height - 1) - from;
        for (int x = 0; x < own.format.plane_width(plane); x++)
          picture.at(plane, x, y) = uint16_t(own.at(plane, x, std::clamp(from, 0, height - 1)));
      }
    }
  }
  return result;
}

inline Clip without_border(const Clip& clip, int rows) {
  Clip result = clip;
  result.format.height -= 2 * rows;
  for (Picture& picture : result.frames) {
    const Picture whole = picture;
    picture = Picture(result.format);
    for (int plane = 0; plane < picture.format.planes(); plane++)
      for (int y = 0; y < picture.format.plane_height(plane); y++)
        for (int x = 0; x < picture.format.plane_width(plane); x++)
          picture.at(plane, x, y) =
              uint16_t(whole.at(plane, x, y + rows / (plane == 0 ? 1 : rows_of_chroma(whole.format.chroma))));
  }
  return result;
}

// Returns the chroma of `own`, and its luma in proportion to the match of the blocks at the same
// position in the next picture. `length` is the length of the mask, in MVTools' unit; 0: no mask.
inline Clip kept_where_it_fits(const Clip& own, const Clip& made, const Degraining& how, double length,
                               const std::vector<std::vector<PictureAround>>& around) {
  Clip result = own;
  for (size_t n = 0; n < own.frames.size(); n++) {
    const auto after = std::ranges::find(around[n], 1, &PictureAround::distance);
    // Before a cut, and in the last picture, all luma of `own` is kept.
    Degraining judged = how;
    judged.cut_threshold = 400;
    judged.cut_share = 130 / 256.0;
    if (length > 0 && (after == around[n].end() || judged.is_behind_cut(*after))) continue;
    const bool has_mask = length > 0;
    const double full = double(std::lround(16 * length)) * how.model.grid.block * how.model.grid.block / 64;
    const std::optional<Picture> mask =
        has_mask ? std::optional(
                       mask_of(after->vectors, own.format, how.model.grid, motion::MotionMask::kFit, full))
                 : std::nullopt;
    for (int y = 0; y < own.format.height; y++)
      for (int x = 0; x < own.format.width; x++) {
        const int by = mask ? mask->at(0, x, y) : 255;
        result.frames[n].at(0, x, y) =
            uint16_t((own.frames[n].at(0, x, y) * (255 - by) + made.frames[n].at(0, x, y) * by + 127) / 255);
      }
  }
  return result;
}

}  // namespace weft::filters::plain
