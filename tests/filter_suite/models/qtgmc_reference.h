// SPDX-License-Identifier: Apache-2.0
// Model of QTGMC over a whole clip, one plane after the other, written from its definition. Only
// tests include it.
#pragma once

#include "server/filters/qtgmc/settings.h"
#include "tests/filter_suite/models/bwdif_reference.h"
#include "tests/filter_suite/models/convert_reference.h"
#include "tests/filter_suite/models/nnedi_reference.h"
#include "tests/filter_suite/models/reference_degrain.h"
#include "tests/filter_suite/models/reference_noise.h"
#include "tests/filter_suite/models/reference_rows.h"
#include "tests/filter_suite/models/reference_sheet.h"
#include "tests/filter_suite/models/resize_reference.h"
#include "tests/filter_suite/models/yadif_reference.h"

namespace weft::filters::plain {

struct QtgmcModel {
  qtgmc::Settings settings;
  VideoFormat format;

  int codes(int of_8_bits) const { return of_8_bits << (format.bit_depth - 8); }

  // Returns the new plane of a picture.
  using PlaneMaker = std::function<Sheet(int picture, int plane, const Sheet& sheet)>;
  static Clip each_plane(const Clip& clip, const PlaneMaker& make) {
    Clip result = clip;
    for (int n = 0; n < int(clip.frames.size()); n++) {
      const std::vector<Sheet> planes = sheets(clip.frames[size_t(n)]);
      for (int plane = 0; plane < int(planes.size()); plane++) {
        const Sheet made = make(n, plane, planes[size_t(plane)]);
        std::ranges::copy(made.samples, result.frames[size_t(n)].planes[size_t(plane)].begin());
      }
    }
    return result;
  }
  static Sheet of(const Picture& picture, int plane) { return sheets(picture)[size_t(plane)]; }

  // Combines two clips sample by sample.
  static Clip mixed(const Clip& a, const Clip& b, const std::function<int(int, int)>& mix) {
    return each_plane(a, [&](int n, int plane, const Sheet& sheet) {
      const Sheet other = of(b.frames[size_t(n)], plane);
      return sheet.each([&](int x, int y) { return sheet.code(mix(sheet.at(x, y), other.at(x, y))); });
    });
  }
  static Clip corrected(const Clip& source, const Clip& smoothed, int radius) {
    constexpr double kStrength[] = {1, 4.0 / 3, 16.0 / 11};
    const int factor = int(std::lround(kStrength[radius] * 4096));
    return mixed(source, smoothed,
                 [&](int a, int b) { return ((4096 + factor) * a - factor * b + 2048) >> 12; });
  }

  using Smoothing = std::function<Clip(const Clip& pictures, int radius)>;
  Clip matched(const Clip& source, const Clip& smoothed, const std::vector<int>& kept,
               const Smoothing& smooth) const {
    Clip result =
        smooth(interpolated(settings.edi, corrected(source, smoothed, settings.tr1), kept), settings.tr1);
    if (settings.source_match == 1) return result;
    if (settings.match_enhance > 0)
      result = each_plane(result, [&](int, int, const Sheet& sheet) {
        return sheet.sharpened(sheet.smooth(), settings.match_enhance);
      });
    const int middle = 1 << (format.bit_depth - 1);
    const Clip missing = mixed(source, result, [&](int a, int b) { return middle + a - b; });
    const Clip whole = interpolated(settings.second, missing, kept);
    Clip error = smooth(whole, settings.match_tr2);
    if (settings.source_match == 3)
      error = smooth(corrected(whole, error, settings.match_tr2), settings.match_tr2);
    return mixed(result, error, [&](int a, int b) { return a + b - middle; });
  }

  // Returns the plane of the picture `distance` away, or that of picture `n` if the planes differ
  // much.
  Sheet near(const Clip& clip, int n, int distance, int plane) const {
    const Picture& there = frame_near(clip, n, distance);
    const Sheet own = of(clip.frames[size_t(n)], plane), other = of(there, plane);
    // The difference is measured from the picture `distance` back in the direction of picture `n`.
    // That is picture `n` itself, except at the begin of the clip or after a cut.
    const int from = int(&there - clip.frames.data());
    const Sheet after = distance < 0 ? of(frame_near(clip, from, -distance), plane) : own;
    int64_t sum = 0;
    for (size_t i = 0; i < own.samples.size(); i++)
      sum += std::abs(after.samples[i] - other.samples[i]) >> (format.bit_depth - 8);
    return sum >= int64_t(28) * int64_t(own.samples.size()) ? own : other;
  }

  Clip search_clip(const Clip& pictures) const {
    Clip steady = each_plane(pictures, [&](int n, int plane, const Sheet& own) {
      if (settings.tr0 == 0) return own;
      const Sheet before = near(pictures, n, -1, plane), after = near(pictures, n, 1, plane);
      const Sheet before2 = near(pictures, n, -2, plane), after2 = near(pictures, n, 2, plane);
      const Sheet mixed = own.each([&](int x, int y) {
        const int one = before.at(x, y) + after.at(x, y), two = before2.at(x, y) + after2.at(x, y);
        return settings.tr0 == 1 ? (one + 2 * own.at(x, y) + 2) >> 2
                                 : (two + 4 * one + 6 * own.at(x, y) + 8) >> 4;
      });
      return plane == 0 || settings.rep_chroma ? repaired(mixed, own, settings.rep0) : mixed;
    });
    if (settings.srch_clip_pp == 1) {
      const auto resized = [](const Clip& from, int width, int height) {
        v1::Resize options;
        options.set_size(fmt::format("{}x{}", width, height));
        options.set_kernel(v1::RESIZE_KERNEL_BILINEAR);
        options.set_chroma_position(v1::CHROMA_POSITION_AUTO);
        return resize(options, from);
      };
      steady = resized(steady, std::max(format.width / 2 & ~1, 2), std::max(format.height / 2 & ~1, 2));
      steady = each_plane(steady, [](int, int, const Sheet& sheet) { return sheet.smooth(); });
      steady = resized(steady, format.width, format.height);
    }
    Clip result = each_plane(steady, [&](int n, int plane, const Sheet& sheet) {
      Sheet value = sheet;
      if (settings.srch_clip_pp >= 2) {
        const Sheet wide = sheet.smooth().blurred(1.9);
        const int most = int(std::lround(0.9 * 16384)), least = int(std::lround(0.1 * 16384));
        value = sheet.each([&](int x, int y) {
          return sheet.code((most * wide.at(x, y) + least * sheet.at(x, y) + 8192) >> 14);
        });
      }
      if (settings.srch_clip_pp == 3) {
        const Sheet own = of(pictures.frames[size_t(n)], plane);
        const Sheet blur = value;
        value = sheet.each([&](int x, int y) {
          const int s = sheet.at(x, y), b = blur.at(x, y);
          const int t = std::clamp(own.at(x, y), s - codes(3), s + codes(3));
          if (b + codes(7) < t) return sheet.code(b + codes(2));
          if (b - codes(7) > t) return sheet.code(b - codes(2));
          // rounded half up, around the middle of the code values
          const int middle = (sheet.maximum + 1) / 2;
          return sheet.code(middle + int(std::floor((51 * (b - middle) + 49 * (t - middle) + 50) / 100.0)));
        });
      }
      return value.each([&](int x, int y) {
        const double by = plane == 0 ? 255.0 / 219 : 128.0 / 112;
        const double plus = plane == 0 ? -16 * by : 128 - 128 * by;
        const int middle = (value.maximum + 1) / 2;
        const int factor = int(std::lround(by * 16384));
        const int moved = int(std::lround((middle * by + plus * codes(1) - middle) * 16384));
        return value.code(middle + int(((int64_t(value.at(x, y) - middle) * factor + moved + 8192) >> 14)));
      });
    });
    if (settings.chroma_motion || format.planes() == 1) return result;
    result.format.chroma = Chroma::kGray;
    for (Picture& picture : result.frames) {
      picture.format = result.format;
      picture.planes.resize(1);
    }
    return result;
  }

  Clip sharpened(const Clip& smoothed, const Clip& edi, const BoundsOfClip& bounds) const {
    return each_plane(smoothed, [&](int n, int plane, const Sheet& own) {
      Sheet value = own;
      if (settings.s_mode == 1) value = own.sharpened(own.smooth(), settings.sharpen);
      if (settings.s_mode == 2) {
        const Sheet low = own.column(smaller), high = own.column(larger);
        const Sheet thick = own.each([&](int x, int y) {
          const int mean = (low.at(x, y) + high.at(x, y) + 1) >> 1;
          if (!settings.precise) return mean;
          return own.code(mean + (mean < own.at(x, y) ? codes(1) : 0) - (mean > own.at(x, y) ? codes(1) : 0));
        });
        value = own.sharpened(thick.smooth(), settings.sharpen);
      }
      if (settings.sv_thin > 0 && plane == 0) {
        const int factor = int(std::lround(6 * settings.sv_thin * 4096));
        const Sheet steep = own.each([&](int x, int y) {
          const int median = Sheet::middle(own.at(x, y - 1), own.at(x, y + 1), own.at(x, y));
          return Sheet::difference(int((int64_t(median - own.at(x, y)) * factor + 2048) >> 12));
        });
        const Sheet thin = steep.each([&](int x, int y) {
          return (steep.at(x - 1, y) + 2 * steep.at(x, y) + steep.at(x + 1, y) + 2) >> 2;
        });
        const Sheet smooth = thin.smooth();
        value = value.each([&](int x, int y) {
          const int more = std::abs(smooth.at(x, y)) > std::abs(thin.at(x, y)) ? smooth.at(x, y) : 0;
          return value.code(value.at(x, y) + more);
        });
      }
      const auto blended_back = [&] {
        if (plane != 0) return;
        const Sheet blur = value.minus(own).smooth().blurred(1.2);
        value = value.each([&](int x, int y) { return value.code(value.at(x, y) - blur.at(x, y)); });
      };
      if (settings.sbb == 1 || settings.sbb == 3) blended_back();
      value = limited(value, n, plane, edi, bounds, 0);
      if (settings.sbb >= 2) blended_back();
      return value;
    });
  }

  // `after` is 2 for the bounds after the last smoothing.
  Sheet limited(const Sheet& value, int n, int plane, const Clip& edi, const BoundsOfClip& bounds,
                int after) const {
    if (settings.sl_mode == 1 + after) {
      const Sheet other = of(edi.frames[size_t(n)], plane);
      return settings.sl_rad <= 1 ? value.ranked_by(other, 1)
                                  : value.ranked_by(value.ranked_by_centred(other, 2), 1);
    }
    if (settings.sl_mode != 2 + after) return value;
    return value.bounded(of(bounds.low.frames[size_t(n)], plane), of(bounds.high.frames[size_t(n)], plane),
                         codes(settings.s_ovs));
  }

  static Clip lossless(const Clip& clip, const Clip& fields, const std::vector<int>& kept) {
    return each_plane(clip, [&](int n, int plane, const Sheet& sheet) {
      const Sheet source = of(fields.frames[size_t(n)], plane);
      const auto is_kept = [&](int y) { return y % 2 == kept[size_t(n)]; };
      const Sheet woven =
          sheet.each([&](int x, int y) { return is_kept(y) ? source.at(x, y) : sheet.at(x, y); });
      const Sheet combed = woven.each([&](int x, int y) {
        return Sheet::difference(woven.at(x, y) -
                                 Sheet::middle(woven.at(x, y - 1), woven.at(x, y + 1), woven.at(x, y)));
      });
      const Sheet lasting = combed.each([&](int x, int y) {
        const int own = combed.at(x, y);
        const int median = Sheet::middle(combed.in_field(x, y - 2), combed.in_field(x, y + 2), own);
        if ((median < 0 && own > 0) || (median > 0 && own < 0)) return 0;
        return std::abs(median) < std::abs(own) ? median : own;
      });
      const Sheet calm = lasting.ranked_by(lasting.ranked(2, 2), 1, 2);
      return woven.each([&](int x, int y) {
        return is_kept(y) ? woven.at(x, y) : woven.code(woven.at(x, y) - calm.at(x, y));
      });
    });
  }
};

// Returns the motion vectors of blocks of half the size, refined from those of the larger blocks.
inline std::vector<std::vector<PictureAround>> refined(const MotionModel& search, const Clip& clip,
                                                       const std::vector<std::vector<PictureAround>>& around,
                                                       const qtgmc::Settings& settings) {
  MotionModel smaller = search;
  smaller.grid = *settings.refined;
  smaller.pel_range = 0;
  smaller.lambda = settings.true_motion ? 1000 : 0;
  smaller.least_sad = 1 << 20;
  int64_t good = int64_t{settings.th_sad1 / 2} * smaller.grid.block * smaller.grid.block / 64;
  if (search.chroma && clip.format.planes() == 3) good += 2 * good / (smaller.columns(1) * smaller.rows(1));
  auto result = around;
  for (size_t n = 0; n < result.size(); n++)
    for (PictureAround& other : result[n]) {
      smaller.larger = LargerBlocks{search.grid, other.vectors, int(good)};
      other.vectors = smaller.vectors(endless(clip.frames[n], clip.format, search.taps),
                                      endless(clip.frames[size_t(other.picture)], clip.format, search.taps));
    }
  return result;
}

// `side`: pictures are smoothed with earlier ones (-1), later ones (1), or both (0).
inline Clip qtgmc_of_side(const v1::Qtgmc& options, const Clip& clip, int side) {
  if (options.border()) {
    const int rows = std::max(4, 2 * rows_of_chroma(clip.format.chroma));
    v1::Qtgmc inner = options;
    inner.set_border(false);
    return without_border(qtgmc_of_side(inner, with_border(clip, rows), side), rows);
  }
  QtgmcModel model{filters::qtgmc::settings_of(options), clip.format};
  const filters::qtgmc::Settings& settings = model.settings;
  std::vector<int> kept;
  Clip fields = clip, steady = clip;
  const bool is_interlaced = options.input_type() == v1::QTGMC_INPUT_INTERLACED;
  if (is_interlaced) {
    fields = steady = pictures_of_fields(clip, options.parity(), kept);
  } else {
    for (size_t n = 0; n < clip.frames.size(); n++)
      kept.push_back(options.input_type() == v1::QTGMC_INPUT_PROGRESSIVE ? -1
                     : options.input_type() == v1::QTGMC_INPUT_REPAIR    ? int(n % 2)
                                                                         : int(1 - n % 2));
    if (options.input_type() >= v1::QTGMC_INPUT_REPAIR)
      steady = QtgmcModel::each_plane(clip, [](int, int, const Sheet& sheet) {
        return sheet.each([&](int x, int y) {
          return (sheet.at(x, y - 1) + 2 * sheet.at(x, y) + sheet.at(x, y + 1) + 2) >> 2;
        });
      });
  }
  Clip search_clip = model.search_clip(steady);
  if (settings.fast_ma && search_clip.format.bit_depth > 8) {
    v1::Convert to_8_bits;
    to_8_bits.set_bits(8);
    to_8_bits.set_dither(v1::DITHER_NONE);
    search_clip = convert(to_8_bits, search_clip);
  }
  MotionModel search{.format = search_clip.format,
                     .grid = settings.grid,
                     .search = settings.search,
                     .range = settings.search_param,
                     .pel_range = settings.pel_search,
                     .lambda_scaling = settings.p_level,
                     .taps = settings.sub_pel_interp,
                     .chroma = settings.chroma_motion,
                     .lambda = settings.lambda,
                     .least_sad = settings.lsad,
                     .new_penalty = settings.p_new,
                     .zero_penalty = settings.p_new};
  auto around = surroundings(search, search_clip, settings.max_tr);
  MotionModel of_pictures = search;
  of_pictures.format = clip.format;
  if (settings.refined) {
    around = refined(search, search_clip, around, settings);
    of_pictures.grid = *settings.refined;
  }
  const NoiseModel of_noise{settings.noise,
                            {.model = of_pictures,
                             .chroma = settings.chroma_motion,
                             .threshold = 10000,
                             .cut_threshold = settings.th_scd1,
                             .cut_share = settings.th_scd2},
                            around,
                            clip.format};
  const auto cubic = [&](const Clip& of) { return interpolated({v1::QTGMC_EDI_BOB, 0, 0}, of, kept); };
  Clip noise = fields;
  if (settings.noise.process == 1 || settings.noise.is_needed()) {
    const Clip denoised = of_noise.denoised(fields);
    if (settings.noise.is_needed()) noise = of_noise.noise(fields, denoised, kept, cubic, is_interlaced);
    if (settings.noise.process == 1) fields = is_interlaced ? cubic(denoised) : denoised;
  }
  const auto with_noise = [&](const Clip& of, double by) {
    return settings.noise.is_needed() && by > 0 ? of_noise.restored(of, noise, by) : of;
  };
  const auto edi_by = [&](auto other, auto method) {
    other.set_rate(v1::OUTPUT_RATE_FIELD);
    other.set_parity(options.parity());
    other.set_frames(v1::FRAME_SELECTION_ALL);
    if constexpr (requires { other.set_spatial_check(true); }) other.set_spatial_check(true);
    return method(other, clip);
  };
  const auto first_by = [&](const filters::qtgmc::Interpolation& how) {
    if (is_interlaced && how.mode == v1::QTGMC_EDI_BWDIF) return edi_by(v1::Bwdif(), bwdif);
    if (is_interlaced && how.mode == v1::QTGMC_EDI_YADIF) return edi_by(v1::Yadif(), yadif);
    if (is_interlaced && how.mode == v1::QTGMC_EDI_BOB) return fields;
    return interpolated(how, fields, kept);
  };
  Clip edi = first_by(settings.first);
  if (settings.chroma_edi) {
    const Clip chroma = first_by(*settings.chroma_edi);
    for (size_t n = 0; n < edi.frames.size(); n++)
      for (size_t plane = 1; plane < edi.frames[n].planes.size(); plane++)
        edi.frames[n].planes[plane] = chroma.frames[n].planes[plane];
  }
  Degraining how{.model = of_pictures,
                 .chroma = settings.chroma_motion,
                 .cut_threshold = settings.th_scd1,
                 .cut_share = settings.th_scd2};
  if (options.input_type() >= v1::QTGMC_INPUT_REPAIR)
    edi = kept_where_it_fits(fields, edi, how, settings.prog_sad_mask, around);
  const auto smoothed = [&](const Clip& pictures, int radius, int threshold, bool binomial) {
    if (radius == 0) return pictures;
    how.radius = radius, how.binomial = binomial;
    how.threshold = how.chroma_threshold = threshold;
    auto of_side = around;
    for (auto& all : of_side) std::erase_if(all, [&](const auto& each) { return side * each.distance < 0; });
    return degrained(how, pictures, of_side);
  };
  Clip pictures = smoothed(edi, settings.tr1, settings.th_sad1, true);
  const auto repair = [&](int rep) {
    pictures = QtgmcModel::each_plane(pictures, [&](int n, int plane, const Sheet& sheet) {
      if (plane > 0 && !settings.rep_chroma) return sheet;
      return repaired(sheet, QtgmcModel::of(edi.frames[size_t(n)], plane), rep);
    });
  };
  repair(settings.rep1);
  if (settings.source_match > 0)
    pictures = model.matched(fields, pictures, kept, [&](const Clip& of_match, int radius) {
      return smoothed(of_match, radius, settings.th_sad1, true);
    });
  if (settings.lossless == 2) pictures = QtgmcModel::lossless(pictures, fields, kept);
  BoundsOfClip limits{edi, edi};
  if (settings.sl_mode == 2 || settings.sl_mode == 4) {
    how.threshold = 10000;
    limits = bounds(how, edi, settings.sl_rad >= 3 ? std::vector{1, 3} : std::vector{1}, around);
  }
  pictures = with_noise(model.sharpened(pictures, edi, limits), settings.noise.grain_restore);
  pictures = smoothed(pictures, settings.tr2, settings.th_sad2, false);
  repair(settings.rep2);
  pictures = QtgmcModel::each_plane(pictures, [&](int n, int plane, const Sheet& sheet) {
    return model.limited(sheet, n, plane, edi, limits, 2);
  });
  if (settings.lossless == 1) pictures = QtgmcModel::lossless(pictures, fields, kept);
  pictures = with_noise(pictures, settings.noise.noise_restore);
  if (settings.shutter.blur > 0) {
    search.grid = of_pictures.grid = settings.shutter.grid;
    how.model = of_pictures;
    pictures = flow_blurred(how, pictures, surroundings(search, search_clip, 1), settings.shutter.amount,
                            settings.shutter.limit);
  }
  if (settings.noise.shown > 0) pictures = of_noise.shown(noise);
  Clip result{pictures.format, {}, {}, pictures.properties};
  for (size_t n = 0; n < pictures.frames.size(); n += size_t(options.fps_divisor())) {
    result.frames.push_back(pictures.frames[n]);
    FrameInfo info = pictures.infos[n];
    for (size_t left_out = n; left_out > 0 && n - left_out + 1 < size_t(options.fps_divisor()); left_out--)
      info.discontinuity = info.discontinuity || pictures.infos[left_out].discontinuity;
    result.infos.push_back(info);
  }
  return result;
}

inline Clip qtgmc(const v1::Qtgmc& options, const Clip& clip) { return qtgmc_of_side(options, clip, 0); }
}  // namespace weft::filters::plain
