// SPDX-License-Identifier: Apache-2.0
// Model of KFM, written from the definition of its stages: statistics of fields, the match of
// patterns, woven film frames, combed parts, still parts and the choice of frames. It processes
// each run of a clip as a clip of its own. Only tests include it.
#pragma once

#include "options/values.h"
#include "tests/filter_suite/models/qtgmc_reference.h"
#include "tests/filter_suite/models/reference_clean_fields.h"
#include "tests/filter_suite/models/smdegrain_reference.h"

namespace weft::filters::plain::kfm_model {

// Weaves a film frame, blurred where its cells are combed.
inline Picture film_picture(const std::vector<Picture>& frames, int first, int count, bool bottom_first,
                            const FieldCells& cells) {
  const VideoFormat& format = frames[0].format;
  Picture woven(format), result(format);
  for (int plane = 0; plane < format.planes(); plane++) {
    for (int y = 0; y < format.plane_height(plane); y++)
      for (int x = 0; x < format.plane_width(plane); x++) {
        int sum = 0, fields = 0;
        for (int k = first; k < first + count; k++) {
          if (((k & 1) != 0) != ((y % 2 != 0) != bottom_first)) continue;
          const int frame = std::clamp(int(std::floor(k / 2.0)), 0, int(frames.size()) - 1);
          sum += frames[size_t(frame)].at(plane, x, y);
          fields++;
        }
        woven.at(plane, x, y) = uint16_t(sum / fields);
      }
    const Plane source{&woven, plane};
    for (int y = 0; y < source.height(); y++)
      for (int x = 0; x < source.width(); x++) {
        const bool is_combed = cells[size_t(plane)][size_t(y / 4)][size_t(x / 4)].comb >= 6;
        result.at(plane, x, y) = uint16_t(
            is_combed ? (source(x, y - 1) + 2 * source(x, y) + source(x, y + 1) + 2) / 4 : source(x, y));
      }
  }
  return result;
}

// Returns the weight of the source where it is still and looks combed, for each luma sample.
inline Grid stills(const std::vector<Picture>& frames, int n) {
  const VideoFormat& format = frames[0].format;
  const int depth = format.bit_depth - 8;
  const auto frame = [&](int m) -> const Picture& {
    return frames[size_t(std::clamp(m, 0, int(frames.size()) - 1))];
  };
  const auto comb = [&](int plane, int x, int y) {
    const int height = format.plane_height(plane);
    const auto row = [&](int v) {
      return frame(n).at(plane, x,
                         std::clamp(v < 0         ? -1 - v
                                    : v >= height ? 2 * height - 1 - v
                                                  : v,
                                    0, height - 1));
    };
    const int value = std::abs(row(y - 2) - 3 * row(y - 1) + 4 * row(y) - 3 * row(y + 1) + row(y + 2)) >> 2;
    return std::min(value >> depth, 255);
  };
  const auto range = [&](int plane, int x, int y) {
    int least = 1 << 16;
    for (int m = n - 1; m <= n + 1; m++) {
      int low = 1 << 16, high = 0;
      for (int t = m - 2; t <= m + 2; t++) {
        low = std::min<int>(low, frame(t).at(plane, x, y));
        high = std::max<int>(high, frame(t).at(plane, x, y));
      }
      least = std::min(least, high - low);
    }
    return least >> depth;
  };
  Grid result;
  for (int y = 0; y < format.height; y++) {
    result.emplace_back();
    for (int x = 0; x < format.width; x++) {
      int c = 0, t = 0;
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, format.height - 1); v++)
        for (int plane = 0; plane < format.planes(); plane++) {
          const int u = plane > 0 ? x / columns_of_chroma(format.chroma) : x,
                    w = plane > 0 ? v / rows_of_chroma(format.chroma) : v;
          c = std::max(c, comb(plane, u, w));
          t = std::max(t, range(plane, u, w));
        }
      const double value = std::clamp(c / 30.0 - 1, -0.5, 0.5) + std::clamp(1 - t / 15.0, -0.5, 0.5);
      result.back().push_back(int(std::max(value, 0.0) * 128 + 0.5));
    }
  }
  return result;
}

// Returns a 60p frame with the still parts of the source, and of another frame where no mask is.
inline Picture chosen(const Picture& base, const Picture& field, const Picture& source, const Grid& still,
                      const Grid* mask) {
  const VideoFormat& format = base.format;
  Picture result(format);
  for (int plane = 0; plane < format.planes(); plane++) {
    const int wide = plane > 0 ? columns_of_chroma(format.chroma) : 1,
              high = plane > 0 ? rows_of_chroma(format.chroma) : 1;
    for (int y = 0; y < format.plane_height(plane); y++)
      for (int x = 0; x < format.plane_width(plane); x++) {
        int sum = 0;
        for (int v = 0; v < high; v++)
          for (int u = 0; u < wide; u++)
            sum += still[size_t(std::min(y * high + v, format.height - 1))]
                        [size_t(std::min(x * wide + u, format.width - 1))];
        const int weight = (sum + wide * high / 2) / (wide * high);
        const int value =
            (weight * source.at(plane, x, y) + (128 - weight) * field.at(plane, x, y) + 64) >> 7;
        const int share = mask == nullptr ? 128 : mask_at(*mask, x, y, 8 / wide, 8 / high);
        result.at(plane, x, y) = uint16_t((share * value + (128 - share) * base.at(plane, x, y) + 64) >> 7);
      }
  }
  return result;
}

// The model for a clip without discontinuities. `fields` are its 60p frames.
struct Model {
  const v1::Kfm& options;
  Clip clip;
  std::vector<Picture> fields, before, after;  // 60p, from both sides and from one
  bool bottom_first = false;
  Fates fates{};
  std::vector<FieldCells> combs{};
  std::vector<Match> cadence{};
  std::vector<std::pair<int, int>> films{};  // first field and number
  std::vector<FieldCells> film_combs{}, frame_combs{};
  std::vector<Picture> film_pictures{}, frame_pictures{};

  int frames() const { return int(clip.frames.size()); }
  size_t cycles() const { return cadence.size(); }

  void measure() {
    std::vector<FieldCells> raw;
    for (int n = 0; n < frames(); n++) {
      const Picture& next = clip.frames[size_t(std::min(n + 1, frames() - 1))];
      for (FieldCells& field :
           cells_of(clip.frames[size_t(n)], next, is_bottom_first(options, clip.infos[size_t(n)])))
        raw.push_back(std::move(field));
    }
    combs = cleaned(raw);
    std::vector<Counts> counts;
    for (const FieldCells& field : combs) counts.push_back(counts_of(field, clip.format));
    cadence = cadence_of(counts, options, clip.format);
    bottom_first = is_bottom_first(options, clip.infos[0]);
    std::vector<bool> orders;
    for (const FrameInfo& info : clip.infos) orders.push_back(is_bottom_first(options, info));
    if (options.ucf()) fates = fates_of(clip.frames, orders, options);
  }

  // A 60p frame with the still parts of the source.
  Picture video(const std::vector<Picture>& all, int field) const {
    const Picture& picture = all[size_t(field)];
    return chosen(picture, picture, clip.frames[size_t(field / 2)], stills(clip.frames, field / 2), nullptr);
  }
  Picture replaced(const Picture& picture, const Fate& fate) const {
    const int field = std::clamp(fate.field, 0, 2 * frames() - 1);
    if (fate.by == "weave")
      return film_picture(clip.frames, field, 2, bottom_first, film_cells(combs, field, 2));
    return fate.by == "keep" ? picture : video(fate.by == "before" ? before : after, field);
  }
  void weave() {
    const std::vector<Pattern> all = patterns();
    const int count = frames() / 5 * 4 + frames() % 5;
    for (int n = 0; n < count; n++) {
      const int cycle = std::min(n / 4, int(cycles()) - 1), pattern = cadence[size_t(cycle)].pattern;
      int index = n - 4 * cycle;
      if (pattern == 20 && index >= 2) index++;
      auto [first, length] = films_of(all[size_t(pattern)])[size_t(index)];
      films.emplace_back(10 * cycle + first, length);
      film_combs.push_back(film_cells(combs, films.back().first, length));
      film_pictures.push_back(
          film_picture(clip.frames, films.back().first, length, bottom_first, film_combs.back()));
      if (options.ucf())
        film_pictures.back() = replaced(film_pictures.back(), fates.of_film(films.back().first, length));
    }
    for (int n = 0; n < frames(); n++) {
      frame_combs.push_back(film_cells(combs, 2 * n, 2));
      frame_pictures.push_back(clip.frames[size_t(n)]);
      if (options.ucf()) frame_pictures.back() = replaced(frame_pictures.back(), fates.of_frame(n));
    }
    if (!options.nr()) return;
    v1::SmDegrain degrain;
    degrain.set_radius(1);
    degrain.set_pel(1);
    degrain.set_block(clip.format.height >= 720 ? 32 : 16);
    degrain.set_binomial(true);
    options::apply_defaults(degrain);
    Clip film{clip.format, film_pictures, std::vector<FrameInfo>(film_pictures.size())};
    film_pictures = smdegrain_of_pictures(degrain, film).frames;
    frame_pictures = smdegrain_of_pictures(degrain, clip).frames;
  }

  // The frame at a field: 60, 30 or 24, and its number.
  std::pair<int, int> shown(int field) const {
    if (options.mode() == v1::KFM_MODE_60P) return {60, field};
    if (options.mode() == v1::KFM_MODE_VFR && cadence[size_t(field / 10)].is_60p) return {60, field};
    return shown_slowly(field);
  }
  std::pair<int, int> shown_slowly(int field) const {
    const Match& match = cadence[size_t(field / 10)];
    if (match.pattern == 20) return {30, field / 2};
    const Pattern pattern = patterns()[size_t(match.pattern)];
    const auto list = films_of(pattern);
    int index = -1;
    for (size_t i = 0; i < list.size(); i++)
      if (field % 10 >= list[i].first && field % 10 < list[i].first + list[i].second) index = int(i);
    if (pattern.is_delayed[size_t(field % 10 + 2)]) index++;
    const int cycle = field / 10;
    int film = 4 * cycle + std::min(index, 4);
    if (index >= 4 && size_t(cycle) + 1 < cycles() &&
        films_of(patterns()[size_t(cadence[size_t(cycle) + 1].pattern)])[0].first > 0)
      film = 4 * cycle + 3;
    return {24, std::clamp(film, 0, int(films.size()) - 1)};
  }

  Mask mask(int kind, int number) const {
    return mask_of(kind == 24 ? film_combs : frame_combs, size_t(number), clip.format);
  }
  Picture masked(const Picture& base, int field, const Mask& where) const {
    if (!where.is_used) return base;
    return chosen(base, fields[size_t(field)], clip.frames[size_t(field / 2)], stills(clip.frames, field / 2),
                  &where.cells);
  }
  Picture output(int kind, int number, int field, bool* is_masked) const {
    *is_masked = false;
    if (kind == 60) {
      const Fate fate = options.ucf() ? fates.of_field(field, options) : Fate{"keep"};
      const Picture picture = replaced(video(fields, field), fate);
      if (!fate.is_masked || options.mode() != v1::KFM_MODE_VFR) return picture;
      const auto [slow_kind, slow_number] = shown_slowly(field);
      return masked(picture, field, mask(slow_kind, slow_number));
    }
    const Mask where = mask(kind, number);
    *is_masked = where.is_used;
    return masked((kind == 24 ? film_pictures : frame_pictures)[size_t(number)], field, where);
  }

  std::vector<Picture> run() {
    std::vector<Picture> result;
    bool is_masked = false;
    measure();
    weave();
    if (options.mode() == v1::KFM_MODE_30P)
      for (int n = 0; n < frames(); n++) result.push_back(output(30, n, 2 * n, &is_masked));
    if (options.mode() == v1::KFM_MODE_24P)
      for (int n = 0; n < int(films.size()); n++) {
        const int middle[] = {1, 3, 6, 8}, cycle = std::min(n / 4, int(cycles()) - 1);
        const int wanted = 10 * cycle + middle[n - 4 * cycle];
        const int field =
            std::clamp(wanted, films[size_t(n)].first, films[size_t(n)].first + films[size_t(n)].second - 1);
        result.push_back(output(24, n, std::clamp(field, 0, 2 * frames() - 1), &is_masked));
      }
    if (options.mode() == v1::KFM_MODE_24P || options.mode() == v1::KFM_MODE_30P) return result;
    for (int field = 0; field < 2 * frames();) {
      const auto [kind, number] = shown(field);
      result.push_back(output(kind, number, field, &is_masked));
      const int most = kind == 60 || (is_masked && options.mode() == v1::KFM_MODE_VFR) ? 1
                       : kind == 30                                                    ? 2
                                                                                       : 4;
      const int begin = field++;
      while (field < 2 * frames() && field < begin + most && shown(field) == std::pair(kind, number)) field++;
    }
    return result;
  }
};

}  // namespace weft::filters::plain::kfm_model

namespace weft::filters::plain {

inline Clip kfm(const v1::Kfm& options, const Clip& clip) {
  v1::Qtgmc deinterlacer;
  const bool is_high = clip.format.height >= 720;
  deinterlacer.set_preset(options.preset() != v1::QTGMC_PRESET_UNSPECIFIED ? options.preset()
                          : is_high                                        ? v1::QTGMC_PRESET_FASTER
                                                                           : v1::QTGMC_PRESET_SLOWER);
  deinterlacer.set_parity(options.parity());
  options::apply_defaults(deinterlacer);
  const Clip fields = qtgmc(deinterlacer, clip), before = qtgmc_of_side(deinterlacer, clip, -1),
             after = qtgmc_of_side(deinterlacer, clip, 1);
  Clip result{clip.format, {}, {}};
  for (size_t begin = 0, end = 0; begin < clip.frames.size(); begin = end) {
    for (end = begin + 1; end < clip.frames.size() && !clip.infos[end].discontinuity;) end++;
    const auto part = [&](const auto& all, size_t by) {
      return std::decay_t<decltype(all)>(all.begin() + std::ptrdiff_t(begin * by),
                                         all.begin() + std::ptrdiff_t(end * by));
    };
    kfm_model::Model model{.options = options,
                           .clip = {clip.format, part(clip.frames, 1), part(clip.infos, 1)},
                           .fields = part(fields.frames, 2),
                           .before = part(before.frames, 2),
                           .after = part(after.frames, 2)};
    bool is_cut = begin > 0;
    for (Picture& picture : model.run()) {
      result.frames.push_back(std::move(picture));
      result.infos.push_back({.discontinuity = std::exchange(is_cut, false)});
    }
  }
  return result;
}

}  // namespace weft::filters::plain
