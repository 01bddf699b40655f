// SPDX-License-Identifier: Apache-2.0
// Parts of the model of KFM: the telecine pattern of each cycle. Only tests include it.
#pragma once

#include <cmath>
#include <map>

#include "tests/filter_suite/models/reference_combs.h"

namespace weft::filters::plain::kfm_model {

// The fields of a pattern as a repeated string: the last field of each film frame is marked.
struct Pattern {
  std::vector<bool> ends, is_delayed;  // of 16 fields, from 2 before the cycle
};
inline std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  const auto add = [&](const std::vector<int>& lengths, int shift) {
    std::vector<bool> ends, delayed;
    while (ends.size() < 80)
      for (size_t n = 0; n < lengths.size(); n++)
        for (int i = 1; i <= lengths[n]; i++) {
          ends.push_back(i == lengths[n]);
          delayed.push_back(i == lengths[n] && lengths[0] == 4 && n < 2);
        }
    Pattern pattern;
    for (int i = 0; i < 16; i++) {
      pattern.ends.push_back(ends[size_t(8 + shift + i)]);
      pattern.is_delayed.push_back(delayed[size_t(8 + shift + i)]);
    }
    all.push_back(pattern);
  };
  for (int s = 0; s < 5; s++) add({2, 3, 2, 3}, s);
  for (int s = 0; s < 10; s++) add({2, 2, 3, 3}, s);
  for (int s = 0; s < 10; s += 2) add({4, 2, 2, 2}, s);
  add({2}, 0);
  return all;
}

// The film frames of a window: begin and number of fields, relative to the cycle.
inline std::vector<std::pair<int, int>> films_of(const Pattern& pattern) {
  std::vector<std::pair<int, int>> films;
  int begin = 0;
  for (int i = 0; i < 16; i++)
    if (pattern.ends[size_t(i)]) {
      if (begin >= 1) films.emplace_back(begin - 2, i + 1 - begin);
      begin = i + 1;
    }
  return films;
}

struct Match {
  int pattern = 0;
  double score = 0, cost = 0, reliability = 0;
  bool is_60p = false;
};

inline std::vector<Match> matches_of(const std::vector<Counts>& counts, int cycle, const v1::Kfm& options,
                                     const VideoFormat& format) {
  const int frames = int(counts.size()) / 2;
  const auto at = [&](int k) {
    const int frame = std::clamp(int(std::floor(k / 2.0)), 0, frames - 1);
    return counts[size_t(2 * frame + (k & 1))];
  };
  const double base = std::max(1, int(format.width * format.height * 0.001) / 16);
  std::map<int, double> sum, combed;  // by field of the cycle
  for (int k = -3; k <= 12; k++) {
    const Counts here = at(10 * cycle + k);
    combed[k] = here.combs + int(here.large * options.lscale());
    sum[k] = std::min(at(10 * cycle + k - 1).move, here.move) + combed[k];
  }
  const double threshold = options.has_costth() ? options.costth() : format.height >= 720 ? 1.5 : 1.0;
  std::vector<Match> matches;
  const std::vector<Pattern> all = patterns();
  for (size_t p = 0; p < all.size(); p++) {
    Match match{.pattern = int(p)};
    double splits = 0;
    for (int i = 0; i < 14; i++) {
      // The measures of the outermost fields are not known.
      if (10 * cycle + i - 2 < 2 || 10 * cycle + i - 2 > 2 * frames - 4) continue;
      const double around = sum[i - 3] + sum[i - 1];
      const double with_motion = 2 * (sum[i - 2] + base) / (around + 2 * base) - 1;
      const double of_combs =
          (2 * (combed[i - 2] + base) / (combed[i - 3] + combed[i - 1] + 2 * base) - 1) / 8;
      const double ratio = std::fabs(with_motion) < std::fabs(of_combs) ? of_combs : with_motion;
      match.score += all[p].ends[size_t(i)] ? ratio : -ratio;
      if (!all[p].ends[size_t(i)]) continue;
      splits++;
      if (ratio < threshold) {
        match.reliability += threshold - ratio;
        match.cost += (threshold - ratio) * std::log2(around / base + 1);
      }
    }
    if (splits > 0) {
      match.cost /= splits;
      match.reliability /= splits;
    }
    match.score -= p == 20 ? options.adj30() : p >= 15 ? options.adj2224() : 0;
    matches.push_back(match);
  }
  return matches;
}

inline std::vector<Match> cadence_of(const std::vector<Counts>& counts, const v1::Kfm& options,
                                     const VideoFormat& format) {
  const int frames = int(counts.size()) / 2, cycles = (frames + 4) / 5;
  std::vector<Match> kept, best;
  int current = 0;
  for (int c = 0; c < cycles + options.range(); c++) {
    const std::vector<Match> matches = matches_of(counts, std::min(c, cycles - 1), options, format);
    Match top = matches[0];
    for (const Match& match : matches)
      if (match.score > top.score) top = match;
    kept.push_back(matches[size_t(current)]);
    best.push_back(top);
    if (top.pattern == current) continue;
    double worse = 0;
    for (int i = c; i > c - options.range() && i >= 0; i--)
      worse += best[size_t(i)].score - kept[size_t(i)].score;
    if (worse <= options.thresh() * options.range()) continue;
    current = top.pattern;
    for (int i = c; i >= 0 && i >= c - options.past() && best[size_t(i)].pattern == current; i--)
      kept[size_t(i)] = best[size_t(i)];
  }
  kept.resize(size_t(cycles));
  bool in_60p = true;
  for (int i = 0; i < cycles; i++) {
    Match& here = kept[size_t(i)];
    if (in_60p) {
      if (here.cost >= options.th24())
        here.is_60p = true;
      else if (here.reliability < options.rel24())
        in_60p = false;
    } else if (here.cost >= options.th60()) {
      in_60p = true;
      for (int j = i; j >= 0; j--) {
        if (kept[size_t(j)].cost >= options.th24())
          kept[size_t(j)].is_60p = true;
        else if (kept[size_t(j)].reliability < options.rel24())
          break;
      }
    }
  }
  return kept;
}

}  // namespace weft::filters::plain::kfm_model
