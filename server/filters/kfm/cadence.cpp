// SPDX-License-Identifier: Apache-2.0
#include "server/filters/kfm/cadence.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace weft::filters::kfm {
namespace {

std::string text_of(const CycleMatch& cycle, int64_t frame) {
  return fmt::format("{} {} {} {:.3f} {:.3f} {:.3f}\n", frame, cycle.pattern, cycle.is_60p ? "60p" : "film",
                     cycle.score, cycle.cost, cycle.reliability);
}

bool parse_run(std::istringstream& words, FrameRun& run) {
  std::string order;
  if (!(words >> run.first_frame >> run.frames >> order)) return false;
  run.bottom_first = order == "bottom";
  return run.frames > 0 && (order == "top" || order == "bottom");
}

bool parse_cycle(std::istringstream& words, CycleMatch& cycle) {
  std::string kind;
  if (!(words >> cycle.pattern >> kind >> cycle.score >> cycle.cost >> cycle.reliability)) return false;
  cycle.is_60p = kind == "60p";
  return cycle.pattern >= 0 && cycle.pattern < kPatterns && (kind == "60p" || kind == "film");
}

// The lines of replaced frames (clean_fields.h) follow those of the cycles.
bool is_of_clean_fields(const std::string& line) { return line.starts_with("f"); }

// Adds the run or the cycle of a line.
bool add_line(const std::string& line, std::vector<FrameRun>& runs) {
  const int64_t frames = runs.empty() ? 0 : runs.back().first_frame + runs.back().frames;
  const auto is_complete = [&] {
    return runs.empty() || int64_t(runs.back().cycles.size()) == cycles_of(int(runs.back().frames));
  };
  std::istringstream words(line);
  std::string first;
  words >> first;
  if (first == "run") {
    FrameRun run;
    if (!is_complete() || !parse_run(words, run) || run.first_frame != frames) return false;
    runs.push_back(std::move(run));
  } else {
    CycleMatch cycle;
    if (is_complete() || !parse_cycle(words, cycle)) return false;
    if (first != std::to_string(runs.back().first_frame + int64_t(runs.back().cycles.size()) * kCycleFrames))
      return false;
    runs.back().cycles.push_back(cycle);
  }
  std::string rest;
  return !(words >> rest);
}

}  // namespace

Cadence::Cadence(std::vector<FrameRun> runs) : runs_(std::move(runs)), starts_(1) {
  for (const FrameRun& run : runs_)
    starts_.push_back({starts_.back().frame + run.frames, starts_.back().film + run.film_frames()});
}

void Cadence::begin_run(bool bottom_first) {
  runs_.push_back({.first_frame = frames(), .bottom_first = bottom_first, .is_open = true});
  starts_.push_back(starts_.back());
}

void Cadence::add_cycle(const CycleMatch& cycle, int64_t frames) {
  FrameRun& run = runs_.back();
  run.cycles.push_back(cycle);
  run.frames += frames;
  const Start& begin = starts_[starts_.size() - 2];
  starts_.back() = {begin.frame + run.frames, begin.film + run.film_frames()};
}

void Cadence::discard(size_t run, int64_t frame) {
  const int64_t cycle = (frame - runs_[run].first_frame) / kCycleFrames;
  if (cycle > 0) runs_[run].cycles.discard(size_t(cycle));
}

size_t Cadence::run_of_frame(int64_t frame) const {
  return size_t(std::ranges::upper_bound(starts_, frame, {}, &Start::frame) - starts_.begin()) - 1;
}

size_t Cadence::run_of_film(int64_t film) const {
  return size_t(std::ranges::upper_bound(starts_, film, {}, &Start::film) - starts_.begin()) - 1;
}

FilmFields Cadence::film(int64_t number) const {
  const size_t run = run_of_film(number);
  const int64_t in_run = number - starts_[run].film;
  const int64_t cycle = std::min(in_run / kFilmFrames, int64_t(runs_[run].cycles.size()) - 1);
  const FilmFrame frame =
      film_frame(runs_[run].cycles[size_t(cycle)].pattern, int(in_run - cycle * kFilmFrames));
  return {2 * starts_[run].frame + cycle * kCycleFields + frame.first_field, frame.fields};
}

Displayed Cadence::displayed(int64_t field, bool allows_60p) const {
  const size_t number = run_of_frame(field / 2);
  const FrameRun& run = runs_[number];
  const int64_t in_run = field - 2 * run.first_frame;
  const int64_t cycle = in_run / kCycleFields;
  const CycleMatch& match = run.cycles[size_t(cycle)];
  if (allows_60p && match.is_60p) return {FrameKind::k60p, field};
  if (match.pattern == kPattern30p) return {FrameKind::k30p, field / 2};
  int index = displayed_frame(match.pattern, int(in_run % kCycleFields));
  if (index >= kFilmFrames && cycle + 1 < int64_t(run.cycles.size()) &&
      film_frame(run.cycles[size_t(cycle) + 1].pattern, 0).first_field > 0)
    index = kFilmFrames - 1;
  const int64_t film =
      std::clamp<int64_t>(cycle * kFilmFrames + std::clamp(index, -1, kFilmFrames), 0, run.film_frames() - 1);
  return {FrameKind::k24p, starts_[number].film + film};
}

graph::DecisionSummary Cadence::summary(const graph::FrameMap& film, double time_divisor) const {
  const double time_unit = 1 / (film.time_divisor * time_divisor);
  graph::DecisionSummary summary{.kinds = {"24p film", "30p", "60p"},
                                 .series = {{"pattern", true}, {"score"}, {"cost"}, {"reliability"}}};
  std::array<int64_t, 3> frames_of{};
  for (size_t r = 0; r < runs_.size(); r++)
    for (size_t i = 0; i < runs_[r].cycles.size(); i++) {
      const CycleMatch& cycle = runs_[r].cycles[i];
      const auto begin = int64_t(i) * kCycleFrames, first = starts_[r].film + int64_t(i) * kFilmFrames;
      const graph::FrameMap::Entry& last =
          film.entries[size_t(std::min(first + kFilmFrames, starts_[r + 1].film)) - 1];
      summary.sections.push_back(
          {.first_frame = runs_[r].first_frame + begin,
           .frames = std::min<int64_t>(runs_[r].frames - begin, kCycleFrames),
           .begin = double(film.entries[size_t(first)].pts) * time_unit,
           .end = double(last.pts + last.duration) * time_unit,
           .kind = cycle.is_60p                   ? 2
                   : cycle.pattern == kPattern30p ? 1
                                                  : 0,
           .values = {double(cycle.pattern), cycle.score, cycle.cost, cycle.reliability}});
      frames_of[size_t(summary.sections.back().kind)] += summary.sections.back().frames;
    }
  const auto share = [&](size_t kind) { return 100 * double(frames_of[kind]) / double(frames()); };
  summary.report =
      fmt::format("kfm treats {:.1f}% of {} source frames as film, {:.1f}% as 30p and {:.1f}% as 60p.",
                  share(0), frames(), share(1), share(2));
  return summary;
}

std::string Cadence::to_text() const {
  std::string text;
  for (const FrameRun& run : runs_) {
    text += fmt::format("run {} {} {}\n", run.first_frame, run.frames, run.bottom_first ? "bottom" : "top");
    for (size_t i = 0; i < run.cycles.size(); i++)
      text += text_of(run.cycles[i], run.first_frame + int64_t(i) * kCycleFrames);
  }
  return text;
}

StatusOr<Cadence> Cadence::parse(std::string_view text) {
  std::vector<FrameRun> runs;
  std::istringstream lines{std::string(text)};
  std::string line;
  while (std::getline(lines, line))
    if (!is_of_clean_fields(line) && !add_line(line, runs))
      return invalid_argument(
          "The line '{}' of the decision of kfm is not 'run FIRST FRAMES top|bottom' or "
          "'FRAME PATTERN 60p|film SCORE COST RELIABILITY' of the next cycle; measure again.",
          line);
  if (runs.empty() || int64_t(runs.back().cycles.size()) != cycles_of(int(runs.back().frames)))
    return invalid_argument("The decision of kfm ends before the last cycle; measure again.");
  return Cadence(std::move(runs));
}

}  // namespace weft::filters::kfm
