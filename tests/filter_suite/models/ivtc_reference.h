// SPDX-License-Identifier: Apache-2.0
// Model of inverse telecine, written from the specification of FFmpeg's fieldmatch and decimate. It
// shares no code with the filter. Only tests include it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include "tests/filter_suite/models/bwdif_reference.h"
#include "weft/v1/ivtc.pb.h"

namespace weft::filters::plain {

// One frame with its neighbours. The previous frame of the first one and the next frame of the last
// one are the frame itself.
class FieldMatch {
 public:
  FieldMatch(const v1::Ivtc& options, const Picture& previous, const Picture& current, const Picture& next,
             bool top_first)
      : options_(options), frames_{{'p', &previous}, {'c', &current}, {'n', &next}} {
    keeps_top_ = options.field() == v1::PARITY_AUTO ? top_first : options.field() == v1::PARITY_TOP;
    is_swapped_ = keeps_top_ != top_first;
    match_ = better('c', named('p'));
    if (options.mode() == v1::IVTC_MODE_PCN || options.mode() == v1::IVTC_MODE_PCN_UB)
      match_ = better(match_, named('n'));
    if (is_checked())
      for (const char other : others()) check(other == 'x' ? other_of_two() : named(other));
  }

  Picture result() {
    const bool is_combed = scores_.contains(match_) && scores_[match_] >= options_.combpel();
    if (!is_combed || options_.post() != v1::IVTC_POST_BWDIF) return woven(match_);
    Task task{};
    task.kept = keeps_top_ ? 0 : 1;
    task.is_second = is_swapped_;
    return make_picture(bwdif_sample, task, *frames_['p'], *frames_['c'], *frames_['n']);
  }

 private:
  const VideoFormat& format() const { return frames_.at('c')->format; }
  int difference(int a, int b) const { return std::abs(a - b) >> (format().bit_depth - 8); }

  char named(char match) const {
    if (!is_swapped_) return match;
    return match == 'p' ? 'n' : match == 'n' ? 'p' : match == 'b' ? 'u' : match == 'u' ? 'b' : match;
  }
  char other_of_two() const { return match_ == named('p') ? 'c' : named('p'); }
  std::string_view others() const {
    switch (options_.mode()) {
      case v1::IVTC_MODE_PC_N:
        return "n";
      case v1::IVTC_MODE_PC_U:
        return "u";
      case v1::IVTC_MODE_PC_N_UB:
        return "nub";
      case v1::IVTC_MODE_PCN_UB:
        return "ub";
      default:
        return "x";
    }
  }

  bool is_checked() const {
    if (options_.combmatch() != v1::IVTC_COMB_MATCH_SC)
      return options_.combmatch() == v1::IVTC_COMB_MATCH_FULL;
    const auto sum = [&](char other) {
      int64_t total = 0;
      for (int y = 0; y < format().height; y++)
        for (int x = 0; x < format().width; x++)
          total += difference(frames_.at('c')->at(0, x, y), frames_.at(other)->at(0, x, y));
      return total;
    };
    const auto limit = int64_t(format().width * format().height * 255.0 * options_.scthresh() / 100);
    return sum('p') > limit || sum('n') > limit;
  }

  Picture woven(char match) const {
    const char kept = match == 'b' ? 'p' : match == 'u' ? 'n' : 'c';
    const char other = match == 'p' || match == 'n' ? match : 'c';
    Picture result = *frames_.at('c');
    for (int plane = 0; plane < format().planes(); plane++)
      for (int y = 0; y < format().plane_height(plane); y++)
        for (int x = 0; x < format().plane_width(plane); x++)
          result.at(plane, x, y) =
              uint16_t(frames_.at((y % 2 == 0) == keeps_top_ ? kept : other)->at(plane, x, y));
    return result;
  }

  // --- Comparison -------------------------------------------------------------------------------

  // Returns the bits of the map at a row of the other field. Outside the plane nothing differs.
  int map_at(const Picture& a, const Picture& b, int plane, int x, int y) const {
    const int width = format().plane_width(plane), height = format().plane_height(plane);
    const int line = y - (keeps_top_ ? 1 : 0);
    if (line < 2 || line >= height - 2 || x < 1 || x > width - 2) return 0;
    const auto e = [&](int at, int row) {
      return row < 0 || row >= height ? 0 : difference(a.at(plane, at, row), b.at(plane, at, row));
    };
    const auto count = [&](int row, int least) {
      return int(e(x - 1, row) > least) + int(e(x, row) > least) + int(e(x + 1, row) > least);
    };
    const auto wide = [&](int row) {
      for (int at = std::max(x - 4, 0); at <= std::min(x + 4, width - 1); at++)
        if (e(at, row) > 19) return true;
      return false;
    };
    if (e(x, y) <= 3 || count(y - 2, 3) + count(y, 3) + count(y + 2, 3) < 2) return 0;
    const int most = count(y - 2, 19) + count(y, 19) + count(y + 2, 19);
    if (e(x, y) <= 19 || most <= 3) return 1;
    bool up = count(y - 2, 19) > 0, down = count(y + 2, 19) > 0;
    if (up && down) return 1 | 2;
    up = up || wide(y - 2);
    down = down || wide(y + 2);
    if ((up && (down || wide(y - 4))) || (down && (up || wide(y + 4)))) return 1 | 2;
    return most > 5 ? 1 | 4 : 1;
  }

  struct Sums {
    int64_t a[2] = {}, b[2] = {}, e[2] = {};
  };

  void add_row(Sums& sums, const Picture* const candidates[2], int plane, int f) const {
    const Picture& c = *frames_.at('c');
    const int width = format().plane_width(plane), height = format().plane_height(plane);
    const int border = plane == 0 ? 8 : 8 / columns_of_chroma(format().chroma);
    const int below2 = f + 2 < height ? f + 2 : f;
    for (int x = border; x < width - border; x++) {
      const int mark = map_at(*candidates[0], *candidates[1], plane, x, f - 1) |
                       map_at(*candidates[0], *candidates[1], plane, x, f + 1);
      const int kept = c.at(plane, x, f - 2) + 4 * c.at(plane, x, f) + c.at(plane, x, below2);
      for (int i = 0; i < 2; i++) {
        const int k =
            difference(3 * (candidates[i]->at(plane, x, f - 1) + candidates[i]->at(plane, x, f + 1)), kept);
        if (k > 23 && (mark & 1) != 0) sums.a[i] += k;
        if (k > 42 && (mark & 2) != 0) sums.b[i] += k;
        if (k > 42 && (mark & 4) != 0) sums.e[i] += k;
      }
    }
  }

  char better(char first, char second) const {
    const Picture* const candidates[2] = {frames_.at(first), frames_.at(second)};
    Sums sums;
    for (int plane = 0; plane < (options_.mchroma() ? format().planes() : 1); plane++) {
      const int rows = plane == 0 ? 1 : rows_of_chroma(format().chroma);
      const int y0 = options_.y0() / rows, y1 = options_.y1() / rows;
      for (int y = 2; y < format().plane_height(plane) - 2; y += 2)
        if (y0 == y1 || y < y0 || y > y1) add_row(sums, candidates, plane, keeps_top_ ? y : y + 1);
    }
    return prefers_second(sums) ? second : first;
  }

  static bool prefers_second(Sums s) {
    const int64_t least_edge = std::min(s.e[0], s.e[1]), most_edge = std::max(s.e[0], s.e[1]);
    if (s.b[0] < 500 && s.b[1] < 500 && most_edge >= 500 && most_edge > 3 * least_edge)
      std::copy_n(s.e, 2, s.b);
    const auto sixth = [](int64_t sum) { return int64_t(double(sum) / 6 + 0.5); };
    const int64_t n[2] = {sixth(s.a[0]), sixth(s.a[1])}, t[2] = {sixth(s.b[0]), sixth(s.b[1])};
    const auto ratio = [](const int64_t* of) {
      return double(std::max(of[0], of[1])) / double(std::max<int64_t>(std::min(of[0], of[1]), 1));
    };
    const int64_t low = std::min(t[0], t[1]), high = std::max(t[0], t[1]);
    const double share = double(high) / double(std::max({n[0], n[1], int64_t{1}}));
    const bool is_clear = (high >= 500 && 2 * low < high) || (high >= 1000 && 3 * low < 2 * high) ||
                          (high >= 2000 && 5 * low < 4 * high) || (high >= 4000 && ratio(t) > ratio(n)) ||
                          (share > 0.005 && high > 150 && 2 * low < high);
    return is_clear ? t[0] > t[1] : n[0] > n[1];
  }

  // --- Combing ----------------------------------------------------------------------------------

  using Mask = std::vector<std::vector<int>>;  // by row and column

  Mask combed(const Picture& picture, int plane) const {
    const int width = format().plane_width(plane), height = format().plane_height(plane);
    Mask mask(size_t(height), std::vector<int>(size_t(width), 1));
    if (options_.cthresh() < 0) return mask;
    for (int y = 0; y < height; y++) {
      const auto row = [&](int at) {
        return std::clamp(at < 0 || at >= height ? 2 * y - at : at, 0, height - 1);
      };
      for (int x = 0; x < width; x++) {
        const auto v = [&](int at) { return picture.at(plane, x, row(at)); };
        const bool from_up = y == 0 || difference(v(y), v(y - 1)) > options_.cthresh();
        const bool from_down = y == height - 1 || difference(v(y), v(y + 1)) > options_.cthresh();
        const int pass = difference(4 * v(y) + v(y - 2) + v(y + 2), 3 * (v(y - 1) + v(y + 1)));
        mask[size_t(y)][size_t(x)] = from_up && from_down && pass > 6 * options_.cthresh() ? 1 : 0;
      }
    }
    return mask;
  }

  void mark_chroma(Mask& luma, const Mask& chroma) const {
    const int columns = columns_of_chroma(format().chroma), rows = rows_of_chroma(format().chroma);
    for (int y = 1; y + 1 < int(chroma.size()); y++)
      for (int x = 1; x + 1 < int(chroma[0].size()); x++) {
        int around = 0;
        for (int row = y - 1; row <= y + 1; row++)
          for (int column = x - 1; column <= x + 1; column++)
            if (row != y || column != x) around += chroma[size_t(row)][size_t(column)];
        if (chroma[size_t(y)][size_t(x)] == 0 || around == 0) continue;
        const int first = y % 2 == 0 ? y * rows : y * rows - 1;
        for (int row = first; row <= std::min(first + rows, int(luma.size()) - 1); row++)
          for (int column = x * columns; column < std::min((x + 1) * columns, int(luma[0].size())); column++)
            luma[size_t(row)][size_t(column)] = 1;
      }
  }

  int score(char match) {
    const auto known = scores_.find(match);
    if (known != scores_.end()) return known->second;
    const Picture picture = woven(match);
    Mask mask = combed(picture, 0);
    for (int plane = 1; options_.chroma() && plane < format().planes(); plane++)
      mark_chroma(mask, combed(picture, plane));
    std::map<std::vector<int>, int> boxes;  // by grid and position in it
    for (int y = 1; y + 1 < int(mask.size()); y++)
      for (int x = 0; x < int(mask[0].size()); x++) {
        if (mask[size_t(y - 1)][size_t(x)] + mask[size_t(y)][size_t(x)] + mask[size_t(y + 1)][size_t(x)] < 3)
          continue;
        for (const int across : {0, options_.blockx() / 2})
          for (const int down : {0, options_.blocky() / 2})
            boxes[{across, down, (x + across) / options_.blockx(), (y + down) / options_.blocky()}]++;
      }
    int most = 0;
    for (const auto& [box, count] : boxes) most = std::max(most, count);
    return scores_[match] = most;
  }

  void check(char other) {
    const int s = score(match_), t = score(other);
    if ((3 * t < s || (2 * t < s && s > options_.combpel())) && std::abs(t - s) >= 30 &&
        t < options_.combpel())
      match_ = other;
  }

  const v1::Ivtc& options_;
  std::map<char, const Picture*> frames_;
  bool keeps_top_ = true;    // field of the current frame in p, c and n
  bool is_swapped_ = false;  // that field is the second one in time
  char match_ = 'c';
  std::map<char, int> scores_;  // computed combed scores
};

// The differences of a picture from the previous one.
struct Change {
  bool is_first = true;  // there is no previous one: larger than all
  int64_t block = 0, all = 0;
};

inline Change change_of(const v1::Ivtc& options, const Picture& before, const Picture& here) {
  const VideoFormat& format = here.format;
  const int half_x = options.dec_blockx() / 2, half_y = options.dec_blocky() / 2;
  const int columns = (format.width + half_x - 1) / half_x, rows = (format.height + half_y - 1) / half_y;
  std::vector<int64_t> halves(size_t(columns * rows));
  for (int plane = 0; plane < (options.dec_chroma() ? format.planes() : 1); plane++) {
    const int across = plane == 0 ? half_x : half_x / columns_of_chroma(format.chroma);
    const int down = plane == 0 ? half_y : half_y / rows_of_chroma(format.chroma);
    for (int y = 0; y < format.plane_height(plane); y++)
      for (int x = 0; x < format.plane_width(plane); x++)
        halves[size_t(y / down * columns + x / across)] +=
            std::abs(here.at(plane, x, y) - before.at(plane, x, y));
  }
  Change change{.is_first = false, .block = -1};
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++) {
      const int64_t* at = &halves[size_t(y * columns + x)];
      change.all += *at;
      if (x + 1 < columns && y + 1 < rows)
        change.block = std::max(change.block, at[0] + at[1] + at[columns] + at[columns + 1]);
    }
  return change;
}

// Returns the position of the picture that a cycle drops.
inline int dropped_of(const v1::Ivtc& options, const VideoFormat& format, const std::vector<Change>& cycle) {
  const double most = (1 << format.bit_depth) - 1;
  const auto duplicate =
      int64_t(most * options.dec_blockx() * options.dec_blocky() * options.dupthresh() / 100);
  const auto scene = int64_t(most * format.width * format.height * options.dec_scthresh() / 100);
  int lowest = 0, newest_scene = -1;
  for (int i = 0; i < int(cycle.size()); i++) {
    const Change &own = cycle[size_t(i)], &least = cycle[size_t(lowest)];
    if (!own.is_first && (least.is_first || own.block < least.block)) lowest = i;
    if (own.is_first || own.all > scene) newest_scene = i;
  }
  const bool has_duplicate = !cycle[size_t(lowest)].is_first && cycle[size_t(lowest)].block < duplicate;
  return newest_scene >= 0 && !has_duplicate ? newest_scene : lowest;
}

// Drops one picture of each complete cycle of a run. The remaining ones are evenly spaced.
inline Clip drop_of_cycles(const v1::Ivtc& options, const Clip& clip) {
  const int count = int(clip.frames.size()), cycle = options.cycle();
  Clip result{clip.format, {}, {}, clip.properties};
  for (int begin = 0; begin < count;) {
    std::vector<Change> changes;
    int end = begin;
    do {
      const bool is_first = end == 0 || clip.infos[size_t(end)].discontinuity;
      changes.push_back(
          is_first ? Change() : change_of(options, clip.frames[size_t(end - 1)], clip.frames[size_t(end)]));
      end++;
    } while (end < count && end - begin < cycle && !clip.infos[size_t(end)].discontinuity);
    const int dropped = end - begin == cycle ? dropped_of(options, clip.format, changes) : cycle;
    for (int i = 0; i < std::min(end - begin, cycle - 1); i++) {
      result.frames.push_back(clip.frames[size_t(begin + (i < dropped ? i : i + 1))]);
      FrameInfo info = clip.infos[size_t(begin + i)];
      info.pts = info.pts * (cycle - 1) + info.duration * i;
      info.duration *= cycle;
      result.infos.push_back(info);
    }
    begin = end;
  }
  return result;
}

inline Clip ivtc(const v1::Ivtc& options, const Clip& clip) {
  const int count = int(clip.frames.size());
  Clip matched{clip.format, {}, {}, clip.properties};
  for (int i = 0; i < count; i++) {
    const FrameInfo& info = clip.infos[size_t(i)];
    const bool has_previous = i > 0 && !info.discontinuity;
    const bool has_next = i + 1 < count && !clip.infos[size_t(i) + 1].discontinuity;
    bool top_first = !info.interlaced || info.top_field_first;
    if (options.order() != v1::PARITY_AUTO) top_first = options.order() == v1::PARITY_TOP;
    matched.frames.push_back(FieldMatch(options, clip.frames[size_t(has_previous ? i - 1 : i)],
                                        clip.frames[size_t(i)], clip.frames[size_t(has_next ? i + 1 : i)],
                                        top_first)
                                 .result());
    FrameInfo made;
    made.pts = info.pts;
    made.duration = info.duration;
    made.discontinuity = info.discontinuity;
    matched.infos.push_back(made);
  }
  return options.cycle() == 0 ? matched : drop_of_cycles(options, matched);
}

}  // namespace weft::filters::plain
