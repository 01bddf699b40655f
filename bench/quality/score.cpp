// SPDX-License-Identifier: Apache-2.0
#include "bench/quality/score.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <limits>
#include <memory>
#include <utility>

#include "base/printable.h"
#include "bench/quality/measures.h"
#include "server/media/read/source/video_source.h"

namespace weft::quality {
namespace {

using media::SourceFrame;

using SourcePtr = std::unique_ptr<media::VideoSource>;

struct Pair {
  SourcePtr truth;
  SourcePtr output;
};

std::string describe(const VideoFormat& format) {
  return fmt::format("{}x{}, {}, {} bits", format.width, format.height, name_of(format.chroma),
                     format.bit_depth);
}

StatusOr<SourcePtr> open_clip(const std::string& path) {
  ASSIGN_OR_RETURN(const media::InputFilePtr file, media::InputFile::open(path));
  media::SourceOptions options;
  options.hardware = false;
  return media::VideoSource::open(file, options);
}

StatusOr<Pair> open_pair(const std::string& truth, const std::string& output) {
  Pair pair;
  ASSIGN_OR_RETURN(pair.truth, open_clip(truth));
  ASSIGN_OR_RETURN(pair.output, open_clip(output));
  const media::VideoInfo &a = pair.truth->info().video, &b = pair.output->info().video;
  if (a.format != b.format)
    return invalid_argument("The clips cannot be compared: {} is {}, and {} is {}; convert one of them.",
                            printable(truth), describe(a.format), printable(output), describe(b.format));
  using Range = media::Colour::Range;
  const auto is_full = [](const media::VideoInfo& info) { return info.colour.range == Range::kFull; };
  if (is_full(a) != is_full(b))
    return invalid_argument(
        "The clips cannot be compared: of {} and {} one has the full range of codes; convert it.",
        printable(truth), printable(output));
  return pair;
}

struct Alignment {
  int64_t truth_frames = 0;
  int64_t output_frames = 0;
  int shift = 0;
};

// The squared error of luma at each shift, over the frames of TRUTH that have a counterpart at all
// shifts.
class ShiftSearch {
 public:
  explicit ShiftSearch(Pair pair) : pair_(std::move(pair)) {}

  StatusOr<Alignment> find() {
    while (true) {
      RETURN_IF_ERROR(read_outputs(alignment_.truth_frames + kMostShift));
      ASSIGN_OR_RETURN(const std::optional<SourceFrame> truth, pair_.truth->next());
      if (!truth) break;
      if (outputs_.size() == kShifts) compare(*truth);
      alignment_.truth_frames++;
    }
    RETURN_IF_ERROR(read_outputs(std::numeric_limits<int64_t>::max()));
    choose();
    return alignment_;
  }

 private:
  static constexpr size_t kShifts = 2 * kMostShift + 1;

  // Reads up to frame `last`, and keeps the frames that may be compared with the next frame of
  // TRUTH.
  Status read_outputs(int64_t last) {
    while (!ended_ && alignment_.output_frames <= last) {
      ASSIGN_OR_RETURN(std::optional<SourceFrame> frame, pair_.output->next());
      ended_ = !frame;
      if (ended_) outputs_.clear();
      if (ended_) break;
      alignment_.output_frames++;
      outputs_.push_back(*std::move(frame));
      if (outputs_.size() > kShifts) outputs_.pop_front();
    }
    return ok_status();
  }

  void compare(const SourceFrame& truth) {
    for (size_t i = 0; i < kShifts; i++)
      errors_[i] += mean_squared_error(plane_of(truth.picture, 0), plane_of(outputs_[i].picture, 0));
  }

  void choose() {
    size_t best = kMostShift;
    const auto cost = [&](size_t i) { return errors_[i] * (i == kMostShift ? 1 : 1.001); };
    for (size_t i = 0; i < kShifts; i++)
      if (cost(i) < cost(best)) best = i;
    alignment_.shift = int(best) - kMostShift;
  }

  Pair pair_;
  std::deque<SourceFrame> outputs_;
  bool ended_ = false;
  std::array<double, kShifts> errors_{};
  Alignment alignment_;
};

Status check_counts(const Alignment& found) {
  const int64_t truth = found.truth_frames, output = found.output_frames;
  if (std::abs(truth - output) <= kMostShift) return ok_status();
  if (output < truth)
    return failed_precondition("OUTPUT misses frames: it has {}, and TRUTH has {} (at most {} fewer){}.",
                               output, truth, kMostShift,
                               output >= truth / 2 - kMostShift && output <= truth / 2 + kMostShift
                                   ? "; deinterlace to a picture a field (rate=field), or halve TRUTH's rate"
                                   : "; look at why its job left some out");
  return failed_precondition(
      "OUTPUT has {} frames, and TRUTH has {} (at most {} more); give the TRUTH of all of them.", output,
      truth, kMostShift);
}

// Sums over the compared frames.
class ScoreSums {
 public:
  explicit ScoreSums(const VideoFormat& format) : planes_(size_t(format.planes())) {}

  void add(int64_t index, const SourceFrame& truth, const SourceFrame& output) {
    for (size_t i = 0; i < planes_.size(); i++) {
      const SamplePlane a = plane_of(truth.picture, int(i)), b = plane_of(output.picture, int(i));
      planes_[i].error += mean_squared_error(a, b);
      const std::optional<double> similarity = ssim(a, b);
      planes_[i].has_ssim = similarity.has_value();
      planes_[i].ssim += similarity.value_or(0);
    }
    const SamplePlane a = plane_of(truth.picture, 0), b = plane_of(output.picture, 0);
    if (truth_before_)
      flicker_.add(plane_of(truth_before_->picture, 0), a, plane_of(output_before_->picture, 0), b);
    find_worst(index, a, b);
    truth_before_ = truth;
    output_before_ = output;
    frames_++;
  }

  Score score(const VideoFormat& format, const Alignment& alignment) const {
    Score score;
    score.format = format;
    for (const PlaneSums& sums : planes_)
      score.planes.push_back({psnr(sums.error / double(frames_), format.bit_depth),
                              sums.has_ssim ? std::optional(sums.ssim / double(frames_)) : std::nullopt});
    score.flicker = flicker_.codes();
    score.still_share = flicker_.still_share();
    score.frames = frames_;
    score.truth_frames = alignment.truth_frames;
    score.output_frames = alignment.output_frames;
    score.shift = alignment.shift;
    if (worst_error_ > 0) {
      score.worst = worst_;
      score.worst->psnr = psnr(worst_error_ / (double(worst_.width) * worst_.height), format.bit_depth);
    }
    return score;
  }

 private:
  struct PlaneSums {
    double error = 0;
    double ssim = 0;
    bool has_ssim = false;
  };

  void find_worst(int64_t index, const SamplePlane& a, const SamplePlane& b) {
    const int columns = a.width / kCell, rows = a.height / kCell;
    const int wide = std::min(columns, kRegion / kCell), high = std::min(rows, kRegion / kCell);
    std::vector<double> cells;
    add_cell_errors(a, b, cells);
    for (int y = 0; y + high <= rows; y++)
      for (int x = 0; x + wide <= columns; x++) {
        double error = 0;
        for (int j = y; j < y + high; j++)
          for (int i = x; i < x + wide; i++) error += cells[size_t(j) * size_t(columns) + size_t(i)];
        if (error <= worst_error_) continue;
        worst_error_ = error;
        worst_ = {index, x * kCell, y * kCell, wide * kCell, high * kCell, 0};
      }
  }

  std::vector<PlaneSums> planes_;
  FlickerSum flicker_;
  std::optional<SourceFrame> truth_before_, output_before_;
  WorstRegion worst_;
  double worst_error_ = 0;
  int64_t frames_ = 0;
};

// Returns the next frame of a clip. DATA_LOSS: the clip has no further frame.
StatusOr<SourceFrame> take(media::VideoSource& source, const std::string& path) {
  ASSIGN_OR_RETURN(std::optional<SourceFrame> frame, source.next());
  if (!frame) return data_loss("{} has fewer frames when it is read again.", printable(path));
  return *std::move(frame);
}

}  // namespace

StatusOr<Score> score_clips(const std::string& truth, const std::string& output,
                            const ScoreOptions& options) {
  ASSIGN_OR_RETURN(Pair first, open_pair(truth, output));
  ASSIGN_OR_RETURN(const Alignment found, ShiftSearch(std::move(first)).find());
  RETURN_IF_ERROR(check_counts(found));
  const int64_t begin = options.skip + std::max(0, -found.shift);
  const int64_t end = std::min(found.truth_frames, found.output_frames - found.shift) - options.skip;
  if (end <= begin)
    return failed_precondition(
        "The clips have too few frames ({}): {} at each end are left out (--skip), and at least 1 is needed.",
        std::min(found.truth_frames, found.output_frames), options.skip);

  ASSIGN_OR_RETURN(Pair pair, open_pair(truth, output));
  for (int64_t i = 0; i < begin; i++) RETURN_IF_ERROR(take(*pair.truth, truth).status());
  for (int64_t i = 0; i < begin + found.shift; i++) RETURN_IF_ERROR(take(*pair.output, output).status());
  const VideoFormat format = pair.truth->info().video.format;
  ScoreSums sums(format);
  for (int64_t i = begin; i < end; i++) {
    ASSIGN_OR_RETURN(const SourceFrame a, take(*pair.truth, truth));
    ASSIGN_OR_RETURN(const SourceFrame b, take(*pair.output, output));
    sums.add(i, a, b);
  }
  return sums.score(format, found);
}

}  // namespace weft::quality
