// SPDX-License-Identifier: Apache-2.0
#include "server/filters/logo/logo_presence.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace weft::filters::logo {
namespace {

// Windows of a mean, one second, and of a median, half a second.
constexpr double kMeanSeconds = 1, kMedianSeconds = 0.5;
constexpr double kClear = 0.5, kClearMean = 0.2, kShown = 0.2;
constexpr ptrdiff_t kNeighbours = 4;  // frames before and after a frame, to recognize a cut
constexpr double kMostBefore = 0.3, kLeastAfter = 0.7;

enum class State { kOff, kUnknown, kOn };

// A series that continues with its first and last value beyond its ends.
class Series {
 public:
  explicit Series(std::vector<double> values) : values_(std::move(values)) {}
  ptrdiff_t size() const { return ptrdiff_t(values_.size()); }
  double operator[](ptrdiff_t i) const { return values_[size_t(std::clamp<ptrdiff_t>(i, 0, size() - 1))]; }

 private:
  std::vector<double> values_;
};

// Returns a value per frame, about 1 with the logo and about -1 without it.
Series series_of(std::span<const FrameScores> frames) {
  std::vector<double> values;
  for (const FrameScores& frame : frames)
    values.push_back(std::max(0.0, frame.picture.front()) + std::min(0.0, frame.picture.back()));
  return Series(std::move(values));
}

// Returns the number of frames on each side of the middle of a window.
ptrdiff_t reach_of(double seconds, double frame_rate) {
  return std::max<ptrdiff_t>(1, std::lround(std::round(frame_rate) * seconds / 2));
}

Series smoothed(const Series& series, ptrdiff_t reach) {
  std::vector<double> medians;
  for (ptrdiff_t i = 0; i < series.size(); i++) {
    std::vector<double> window;
    for (ptrdiff_t k = -reach; k <= reach; k++) window.push_back(series[i + k]);
    std::ranges::nth_element(window, window.begin() + reach);
    medians.push_back(window[size_t(reach)]);
  }
  return Series(std::move(medians));
}

State state_of(double value, double clear) {
  if (std::abs(value) < clear) return State::kUnknown;
  return value < 0 ? State::kOff : State::kOn;
}

// Returns the states; a range of unknown ones between equal states has that state. There is no logo
// before the first frame and after the last one.
std::vector<State> states_of(const Series& series, ptrdiff_t reach) {
  std::vector<State> states;
  for (ptrdiff_t i = 0; i < series.size(); i++) {
    double before = series[i - 1], after = series[i + 1], sum = series[i];
    for (ptrdiff_t k = 1; k <= reach; k++) {
      before = std::max(before, series[i - k]);
      after = std::max(after, series[i + k]);
      sum += series[i - k] + series[i + k];
    }
    const State state = state_of(std::min(before, after), kClear);
    const State of_mean = state_of(sum / double(2 * reach + 1), kClearMean);
    states.push_back(state == of_mean ? state : State::kUnknown);
  }
  const size_t count = states.size();
  for (size_t i = 0; i < count;) {
    size_t end = i;
    while (end < count && states[end] == State::kUnknown) end++;
    const State before = i == 0 ? State::kOff : states[i - 1];
    const State after = end == count ? State::kOff : states[end];
    if (before == after) std::fill(states.begin() + ptrdiff_t(i), states.begin() + ptrdiff_t(end), before);
    i = end + 1;
  }
  return states;
}

// Refines a range of states by the smoothed values. Returns null if no frame shows the logo.
std::optional<LogoPresence> refined(const Series& values, ptrdiff_t first, ptrdiff_t end) {
  const ptrdiff_t count = values.size();
  ptrdiff_t whole = first;
  while (whole < end && values[whole] < kShown) whole++;
  if (whole == end) return std::nullopt;
  while (whole > 0 && values[whole - 1] >= kShown) whole--;
  ptrdiff_t begin = whole;
  while (begin > 0 && values[begin - 1] > -kShown) begin--;
  ptrdiff_t gone = end;  // first frame without the logo
  while (gone < count && values[gone] > -kShown) gone++;
  while (gone > whole + 1 && values[gone - 1] <= -kShown) gone--;
  ptrdiff_t fading = gone - 1;
  while (fading > whole && values[fading] < kShown) fading--;
  return LogoPresence{size_t(begin), size_t(whole), size_t(fading), size_t(gone - 1)};
}

int best_of(const FadeScores& scores) {
  const auto least = std::ranges::min_element(scores, {}, [](double score) { return std::abs(score); });
  return int(least - scores.begin());
}

// Returns the strength in a frame next to a beginning or an end.
Fades measured(std::span<const FrameScores> frames, size_t frame) {
  const auto mean = [&](ptrdiff_t step) {
    double sum = 0;
    for (ptrdiff_t k = 1; k <= kNeighbours; k++) {
      const ptrdiff_t at =
          std::clamp<ptrdiff_t>(ptrdiff_t(frame) + step * k, 0, ptrdiff_t(frames.size()) - 1);
      sum += best_of(frames[size_t(at)].picture);
    }
    return sum / double(kNeighbours) / 10;
  };
  const double before = mean(-1), after = mean(1);
  const bool is_cut = std::min(before, after) < kMostBefore && std::max(before, after) > kLeastAfter;
  if (is_cut) return {best_of(frames[frame].top), best_of(frames[frame].bottom)};
  const int best = best_of(frames[frame].picture);
  return {best, best};
}

// Reads a strength with one decimal, in tenths.
std::optional<int> tenths_of(std::string_view text) {
  if (text.size() != 3 || text[1] != '.' || text[2] < '0' || text[2] > '9') return std::nullopt;
  const int tenths = text[2] - '0' + (text[0] == '1' ? 10 : 0);
  if ((text[0] != '0' && text[0] != '1') || tenths > 10) return std::nullopt;
  return tenths;
}

struct FadeLine {
  size_t first = 0, last = 0;
  Fades fades{};
};

std::optional<FadeLine> line_of(std::string_view text) {
  FadeLine line;
  for (size_t* number : {&line.first, &line.last}) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return std::nullopt;
    text.remove_prefix(size_t(end - text.data()) + 1);
  }
  if (text.size() != 7 || text[3] != ' ' || line.last < line.first) return std::nullopt;
  const auto top = tenths_of(text.substr(0, 3)), bottom = tenths_of(text.substr(4));
  if (!top || !bottom) return std::nullopt;
  line.fades = {*top, *bottom};
  return line;
}

}  // namespace

std::vector<LogoPresence> find_presences(std::span<const FrameScores> frames, double frame_rate) {
  std::vector<LogoPresence> presences;
  if (frames.empty()) return presences;
  const Series series = series_of(frames);
  const Series values = smoothed(series, reach_of(kMedianSeconds, frame_rate));
  const std::vector<State> states = states_of(series, reach_of(kMeanSeconds, frame_rate));
  const auto count = ptrdiff_t(states.size());
  for (ptrdiff_t i = 0; i < count; i++) {
    if (states[size_t(i)] != State::kOn) continue;
    ptrdiff_t end = i;
    while (end < count && states[size_t(end)] != State::kOff) end++;
    const std::optional<LogoPresence> found = refined(values, i, end);
    if (found && (presences.empty() || found->whole > presences.back().end)) presences.push_back(*found);
    i = end;
  }
  return presences;
}

std::vector<Fades> find_fades(std::span<const FrameScores> frames, std::span<const LogoPresence> presences,
                              int max_fade) {
  const size_t count = frames.size();
  std::vector<State> states(count, State::kOff);
  for (const LogoPresence& presence : presences) {
    std::fill(states.begin() + ptrdiff_t(presence.begin), states.begin() + ptrdiff_t(presence.end) + 1,
              State::kUnknown);
    // A logo that the first or the last frame shows does not fade there.
    const size_t from = presence.whole == 0 ? 0 : presence.whole + 1;
    const size_t to = presence.fading + 1 == count ? count : presence.fading;
    if (from < to) std::fill(states.begin() + ptrdiff_t(from), states.begin() + ptrdiff_t(to), State::kOn);
  }
  const size_t reach = size_t(max_fade) / 2;
  std::vector<Fades> fades;
  for (size_t i = 0; i < count; i++) {
    const size_t begin = i < reach ? 0 : i - reach, end = std::min(i + reach + 1, count);
    bool is_clear = states[i] != State::kUnknown;
    for (size_t k = begin; k < end; k++) is_clear = is_clear && states[k] == states[i];
    const int clear = states[i] == State::kOn ? 10 : 0;
    fades.push_back(is_clear ? Fades{clear, clear} : measured(frames, i));
  }
  return fades;
}

std::string text_of(std::span<const Fades> fades) {
  std::string text;
  for (size_t i = 0; i < fades.size();) {
    size_t end = i + 1;
    while (end < fades.size() && fades[end] == fades[i]) end++;
    const Fades each = fades[i];
    if (each != Fades{})
      text += fmt::format("{} {} {}.{} {}.{}\n", i, end - 1, each.top / 10, each.top % 10, each.bottom / 10,
                          each.bottom % 10);
    i = end;
  }
  return text;
}

StatusOr<std::vector<Fades>> parse_fades(std::string_view text, size_t frames) {
  std::vector<Fades> fades(frames);
  while (!text.empty()) {
    const std::string_view each = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(each.size() + 1, text.size()));
    if (each.empty()) continue;
    const std::optional<FadeLine> line = line_of(each);
    if (!line)
      return invalid_argument(
          "A line of delogo's decision is '{}'; write it as FIRST LAST TOP BOTTOM with frames and strengths "
          "from "
          "0.0 to 1.0, such as '120 480 1.0 1.0'.",
          each.substr(0, 80));
    for (size_t i = line->first; i <= std::min(line->last, frames - 1) && i < frames; i++)
      fades[i] = line->fades;
  }
  return fades;
}

}  // namespace weft::filters::logo
