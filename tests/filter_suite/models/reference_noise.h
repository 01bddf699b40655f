// SPDX-License-Identifier: Apache-2.0
// Model of QTGMC's noise processing over a whole clip of pictures of fields, written from its
// definition. Only tests include it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "server/filters/qtgmc/settings.h"
#include "tests/filter_suite/models/dftdenoise_reference.h"
#include "tests/filter_suite/models/reference_degrain.h"
#include "tests/filter_suite/models/reference_sheet.h"

namespace weft::filters::plain {

struct NoiseModel {
  using Surroundings = std::vector<std::vector<PictureAround>>;
  // cubic interpolation of a field's lines
  using Interpolation = std::function<Clip(const Clip& fields)>;

  qtgmc::NoiseSettings settings;
  Degraining how;  // criteria for blocks that match
  const Surroundings& around;
  VideoFormat format;

  int middle() const { return 1 << (format.bit_depth - 1); }
  int code(int64_t value) const { return int(std::clamp<int64_t>(value, 0, 2 * middle() - 1)); }

  Clip each_sample(const Clip& like,
                   const std::function<int(size_t n, int plane, int x, int y)>& value) const {
    Clip result = like;
    for (size_t n = 0; n < like.frames.size(); n++)
      for (int plane = 0; plane < format.planes(); plane++)
        for (int y = 0; y < format.plane_height(plane); y++)
          for (int x = 0; x < format.plane_width(plane); x++)
            result.frames[n].at(plane, x, y) = uint16_t(code(value(n, plane, x, y)));
    return result;
  }

  // Returns, for each picture, the compensation from its neighbour at `distance`. A picture without
  // that neighbour, or with a cut before it, is copied.
  Clip followed(const Clip& clip, int distance, motion::Taps taps) const {
    Clip result = clip;
    std::vector<EndlessPicture> pictures;
    for (const Picture& picture : clip.frames) pictures.push_back(endless(picture, format, taps));
    for (size_t n = 0; n < clip.frames.size(); n++)
      for (const PictureAround& other : around[n])
        if (other.distance == distance && !how.is_behind_cut(other))
          result.frames[n] = compensated(clip.frames[n], pictures[n], pictures[size_t(other.picture)],
                                         other.vectors, int(how.of_block(how.threshold)), how.model);
    return result;
  }

  Clip denoised(const Clip& fields) const {
    const int radius = settings.denoiser.radius;
    std::vector<Clip> clips;
    for (int distance = -radius; distance <= radius && settings.along_motion; distance++)
      clips.push_back(distance == 0 ? fields : followed(fields, distance, motion::Taps::kSix));
    Clip result = fields;
    for (int n = 0; n < int(fields.frames.size()); n++) {
      std::vector<const Picture*> pictures;
      for (int distance = -radius; distance <= radius; distance++)
        pictures.push_back(settings.along_motion ? &clips[size_t(distance + radius)].frames[size_t(n)]
                                                 : &frame_near(fields, n, distance));
      result.frames[size_t(n)] =
          denoised_picture(std::move(pictures), settings.denoiser.sigma, settings.denoiser.chroma);
    }
    return result;
  }

  static int grain(int x, int y, int plane, int value) {
    uint32_t hash = (uint32_t(x) * 2654435761u) ^ (uint32_t(y) * 2246822519u) ^
                    (uint32_t(value) * 3266489917u) ^ (uint32_t(plane) * 668265263u);
    hash = (hash ^ hash >> 16) * 2146121005u;
    hash = (hash ^ hash >> 15) * 2221713035u;
    hash ^= hash >> 16;
    int sum = -510;
    for (int i = 0; i < 4; i++) sum += int(hash >> (8 * i) & 255);
    return std::clamp(128 + ((sum * 294 + 512) >> 10), 0, 255);
  }

  // Returns the noise of pictures. Only the lines of parity `kept` have real noise. The settings
  // select the source of the noise in the other lines.
  Clip noise(const Clip& fields, const Clip& denoised, const std::vector<int>& kept,
             const Interpolation& cubic, bool is_interlaced) const {
    const Clip own = each_sample(fields, [&](size_t n, int plane, int x, int y) {
      return middle() + fields.frames[n].at(plane, x, y) - denoised.frames[n].at(plane, x, y);
    });
    const auto is_kept = [&](size_t n, int y) { return y % 2 == kept[n]; };
    Clip result = own;
    if (is_interlaced && settings.deint == v1::QTGMC_NOISE_DEINT_NONE)
      result = each_sample(own, [&](size_t n, int plane, int x, int y) {
        return is_kept(n, y) ? own.frames[n].at(plane, x, y) : frame_near(own, int(n), 1).at(plane, x, y);
      });
    if (is_interlaced && settings.deint == v1::QTGMC_NOISE_DEINT_BOB) result = cubic(own);
    if (is_interlaced && settings.deint == v1::QTGMC_NOISE_DEINT_GENERATE) {
      const Clip whole = cubic(own);
      for (size_t n = 0; n < whole.frames.size(); n++) {
        const std::vector<Sheet> planes = sheets(whole.frames[n]);
        for (int plane = 0; plane < format.planes(); plane++)
          for (int y = 0; y < format.plane_height(plane); y++)
            for (int x = 0; x < format.plane_width(plane); x++) {
              if (is_kept(n, y)) continue;
              int low = 2 * middle(), high = 0;
              for (int j = -1; j <= 1; j++)
                for (int i = -2; i <= 2; i++) {
                  low = std::min(low, planes[size_t(plane)].in_field(x + i, y + j));
                  high = std::max(high, planes[size_t(plane)].in_field(x + i, y + j));
                }
              const int share = grain(x, y, plane, fields.frames[n].at(plane, x, y) - middle());
              result.frames[n].at(plane, x, y) = uint16_t(code(low + (((high - low) * share + 128) >> 8)));
            }
      }
    }
    if (!settings.stabilize) return result;
    const Clip next = followed(result, 1, how.model.taps);
    return each_sample(result, [&](size_t n, int plane, int x, int y) {
      const int a = result.frames[n].at(plane, x, y) - middle(),
                b = next.frames[n].at(plane, x, y) - middle();
      return middle() + ((9830 * (std::abs(a) > std::abs(b) ? a : b) + 3277 * (a + b) + 8192) >> 14);
    });
  }

  Clip restored(const Clip& pictures, const Clip& noise, double by) const {
    const auto factor = int64_t(std::lround(by * 16384));
    return each_sample(pictures, [&](size_t n, int plane, int x, int y) {
      return pictures.frames[n].at(plane, x, y) +
             int((factor * (noise.frames[n].at(plane, x, y) - middle()) + 8192) >> 14);
    });
  }
  Clip shown(const Clip& noise) const {
    const auto factor = int64_t(std::lround(settings.shown * 256));
    return each_sample(noise, [&](size_t n, int plane, int x, int y) {
      return middle() + int((factor * (noise.frames[n].at(plane, x, y) - middle()) + 128) >> 8);
    });
  }
};

}  // namespace weft::filters::plain
