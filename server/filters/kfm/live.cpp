// SPDX-License-Identifier: Apache-2.0
#include "server/filters/kfm/live.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/filters/kfm/nodes.h"

namespace weft::filters::kfm {
namespace {

// Frames before the newest decision, with entries that are kept: more than a stream holds back.
constexpr int64_t kKeptFrames = 1024;

class LiveCadence final : public graph::LiveDecision {
 public:
  LiveCadence(const VideoFormat& format, const LiveOptions& options) : format_(format), options_(options) {
    clip_->film = FilmTables(options.reach, true);
    clip_->replaced_film = ReplacedTables(options.replaced_reach, true);
    clip_->replaced_frames = ReplacedTables(options.replaced_reach, true);
    decision_->map = clip_->film.film();
    decision_->tables = clip_;
  }

  std::shared_ptr<const graph::AnalysisDecision> decision() const override { return decision_; }
  // The last frame of a cycle waits for the next cycle, which may have a film frame that begins in
  // it. There are two records for each frame.
  int delay() const override {
    return 2 * (kCycleFrames * options_.delay_cycles + 1 + kLastMatchedFrame) + 1;
  }

  void push(const graph::Records& records) override {
    pending_.insert(pending_.end(), records.bytes.begin(), records.bytes.end());
    const size_t frame_bytes = 2 * (sizeof(RecordTimes) + records.bytes_each);
    size_t used = 0;
    for (; pending_.size() - used >= frame_bytes; used += frame_bytes)
      add_frame({records.bytes_each, std::span(pending_).subspan(used, frame_bytes)});
    pending_.erase(pending_.begin(), pending_.begin() + ptrdiff_t(used));
  }

  void finish() override { finish_run(); }

  int64_t decided() const override {
    const Cadence& cadence = clip_->cadence;
    const bool is_open = !cadence.runs().empty() && cadence.runs().back().is_open;
    const int64_t undecided = is_open && cadence.runs().back().frames > 0 ? 1 : 0;
    return 2 * (cadence.frames() - undecided);
  }

 private:
  void add_frame(const graph::Records& records) {
    const MeasuredFields fields = measured_fields(records, format_);
    if (matcher_ == nullptr || fields.begins_run[0]) {
      finish_run();
      clip_->cadence.begin_run(fields.bottom_first[0]);
      const int64_t pixels = int64_t{format_.width} * format_.height;
      matcher_ = std::make_unique<CycleMatcher>(pixels, options_.match, options_.delay_cycles);
    }
    // Times of fields count in halves of the source's time unit.
    const RecordTimes first = records.times(0), second = records.times(1);
    clip_->times.push_back({first.pts / 2, (second.pts + second.duration - first.pts) / 2});
    if (options_.clean)
      for (const FieldNoise& noise : measured_noise(records, format_)) noise_.push_back(noise);
    matcher_->push(fields.counts[0], fields.counts[1]);
    take_cycles(false);
  }

  void finish_run() {
    if (matcher_ == nullptr) return;
    matcher_->finish();
    take_cycles(true);
    matcher_.reset();
  }

  void take_cycles(bool is_over) {
    Cadence& cadence = clip_->cadence;
    while (const std::optional<CycleMatch> match = matcher_->next()) {
      const int64_t left = int64_t(clip_->times.size()) - cadence.frames();
      cadence.add_cycle(*match, std::min<int64_t>(kCycleFrames, left));
      if (is_over && left <= kCycleFrames) cadence.end_run();
      add_tables(int64_t(cadence.runs().back().cycles.size()) - 1);
    }
    const int64_t oldest = cadence.frames() - kKeptFrames;
    if (oldest <= 0) return;
    cadence.discard(cadence.runs().size() - 1, oldest);
    clip_->times.discard(size_t(oldest));
    clip_->film.discard(oldest);
    noise_.discard(size_t(2 * oldest));
    const int64_t oldest_film = std::max<int64_t>(cadence.film_frames() - kKeptFrames, 0);
    clip_->clean.discard(oldest_film, oldest);
    clip_->replaced_film.discard(oldest_film);
    clip_->replaced_frames.discard(oldest);
  }

  void add_tables(int64_t cycle) {
    const Cadence& cadence = clip_->cadence;
    const size_t run = cadence.runs().size() - 1;
    if (options_.clean)
      add_clean_fields(noise_, cadence, run, cycle, cycle + 1, *options_.clean, clip_->clean);
    const size_t first_film = clip_->film.film()->entries.size();
    clip_->film.add({cadence, run, cycle, cycle + 1, clip_->times}, clip_->clean);
    if (!options_.clean) return;
    const auto& film = clip_->film.film()->entries;
    for (size_t i = first_film; i < film.size(); i++)
      clip_->replaced_film.add(clip_->clean.film, 2 * film[i].unit);
    const FrameRun& own = cadence.runs()[run];
    for (int64_t n = kCycleFrames * cycle; n < own.frames; n++)
      clip_->replaced_frames.add(clip_->clean.frames, 2 * (own.first_frame + n));
  }

  const VideoFormat format_;
  const LiveOptions options_;
  const std::shared_ptr<FilmClip> clip_ = std::make_shared<FilmClip>();
  const std::shared_ptr<graph::AnalysisDecision> decision_ = std::make_shared<graph::AnalysisDecision>();
  graph::Numbered<FieldNoise> noise_;
  std::vector<std::byte> pending_;         // the record of a frame's first field
  std::unique_ptr<CycleMatcher> matcher_;  // matches the open run
};

class LiveOutputs final : public graph::LiveDecision {
 public:
  LiveOutputs(std::shared_ptr<const FilmClip> clip, const OutputOptions& options)
      : clip_(std::move(clip)),
        tables_(std::make_shared<OutputTables>(options, true)),
        is_variable_(options.mode != v1::KFM_MODE_24P && options.mode != v1::KFM_MODE_30P) {
    decision_->map = tables_->map();
    decision_->tables = tables_;
  }

  std::shared_ptr<const graph::AnalysisDecision> decision() const override { return decision_; }
  int delay() const override { return kCycleFrames * cycles_read() - 1; }
  int64_t decided() const override { return decided_; }

  void push(const graph::Records& records) override {
    for (size_t unit = 0; unit < records.size(); unit++) {
      const auto frame = int64_t(combed_.frames.size());
      const size_t run = clip_->cadence.run_of_frame(frame);
      add_combed(records, unit, frame - clip_->cadence.runs()[run].first_frame, combed_);
    }
    add_outputs();
  }
  void finish() override { add_outputs(); }

 private:
  // A frame of a variable rate may last into the next cycle.
  int cycles_read() const { return is_variable_ ? 2 : 1; }

  void add_outputs() {
    const Cadence& cadence = clip_->cadence;
    while (run_ < cadence.runs().size()) {
      const FrameRun& run = cadence.runs()[run_];
      const int64_t measured = int64_t(combed_.frames.size()) - run.first_frame;
      const bool is_complete = !run.is_open && measured >= run.frames;
      if (is_complete && cycle_ == int64_t(run.cycles.size())) {
        run_++;
        cycle_ = 0;
        continue;
      }
      if (!is_complete && measured < kCycleFrames * (cycle_ + cycles_read())) break;
      tables_->add({cadence, run_, cycle_, cycle_ + 1, clip_->times}, combed_, clip_->clean);
      cycle_++;
      decided_ = run.first_frame + std::min(kCycleFrames * cycle_, run.frames);
    }
    if (decided_ <= kKeptFrames) return;
    const int64_t oldest = decided_ - kKeptFrames;
    tables_->discard(oldest);
    combed_.frames.discard(size_t(oldest));
    combed_.film.discard(size_t(std::max<int64_t>(int64_t(combed_.film.size()) - kKeptFrames, 0)));
  }

  const std::shared_ptr<const FilmClip> clip_;
  const std::shared_ptr<OutputTables> tables_;
  const bool is_variable_;
  const std::shared_ptr<graph::AnalysisDecision> decision_ = std::make_shared<graph::AnalysisDecision>();
  CombedFrames combed_;
  size_t run_ = 0;     // run of the next cycle
  int64_t cycle_ = 0;  // next cycle of the run
  int64_t decided_ = 0;
};

}  // namespace

std::unique_ptr<graph::LiveDecision> make_live_cadence(const VideoFormat& format,
                                                       const LiveOptions& options) {
  return std::make_unique<LiveCadence>(format, options);
}

std::unique_ptr<graph::LiveDecision> make_live_outputs(std::shared_ptr<const FilmClip> clip,
                                                       const OutputOptions& options) {
  return std::make_unique<LiveOutputs>(std::move(clip), options);
}

}  // namespace weft::filters::kfm
