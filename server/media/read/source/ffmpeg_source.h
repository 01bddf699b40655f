// SPDX-License-Identifier: Apache-2.0
// Implements VideoSource with FFmpeg: decodes fast while a file is intact and carefully near
// damage, and moves to positions in the middle. PictureStream decodes, FrameMaker makes frames,
// SeekHistory keeps the data of checkpoints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/media/read/source/frame_maker.h"
#include "server/media/read/source/picture_stream.h"
#include "server/media/read/source/seek_history.h"
#include "server/media/read/source/video_source.h"

namespace weft::media {

// Undamaged data decodes to the same frames with any number of threads and from any anchor. Damaged
// data does not: the effect of damage on other threads varies, and decoders fill missing areas from
// their memory. The source therefore decodes fast until the decoder first reports an error, and
// then begins a careful phase. It returns to the second newest anchor before the damage, which is
// the same in every run, and decodes with one thread until the stream has been intact for a while.
// A checkpoint within a phase is reached again from that anchor. The time at which the source
// detects the damage varies; the frames do not.
//
// This covers damage that the demuxer or the decoder detects. FFmpeg does not detect all changed
// bits within a packet (areas of HEVC without a block, a missing slice of H.264): such frames may
// differ after a resume.
class FfmpegSource final : public VideoSource {
 public:
  using Mode = PictureStream::Mode;

  FfmpegSource(InputFilePtr file, const SourceOptions& options, MediaInfo info)
      : file_(std::move(file)), options_(options), info_(std::move(info)) {}

  // Opens demuxer and decoder at the start of the file, and clears all counts and kept frames.
  Status start(Mode mode, int reorder_frames);

  const MediaInfo& info() const override { return info_; }
  StatusOr<std::optional<SourceFrame>> next() override;
  SourceCheckpoint checkpoint() const override;
  Status resume(const SourceCheckpoint& checkpoint) override;
  StatusOr<std::optional<FrameTimes>> frame_times(const FrameLimit& limit) override;
  StatusOr<bool> skip_to(int64_t index, const FrameTimes& times) override;
  SourceCounters counters() const override {
    return {maker_.progress().next_index, damaged_before_ + stream_->damaged_packets(),
            maker_.progress().repaired_timestamps};
  }
  bool hardware() const override { return stream_->decoder().hardware(); }
  bool asks_hardware() const override { return stream_->decoder().asks_hardware(); }
  int64_t frames_skipped() const override { return frames_skipped_; }
  std::string shortage() const override { return stream_->demuxer().shortage(); }
  std::vector<std::string> notes() const override;
  const PictureFormat& format() const override { return maker_.changes().now(); }
  const std::vector<std::string>& changes() const override { return maker_.changes().texts(); }

 private:
  using Anchor = SourceCheckpoint::Anchor;
  enum class Way { kAnchor, kStart };

  int64_t next_index() const { return maker_.progress().next_index; }
  StatusOr<std::optional<SourceFrame>> next_in_mode();
  SourceCheckpoint progress() const;
  std::optional<Anchor> phase_anchor() const;

  Status open_phase();
  Status restart_phase(const SourceCheckpoint& here, const std::optional<Anchor>& anchor);
  Status close_phase();

  Status resume_fast(const SourceCheckpoint& checkpoint);
  Status resume_phase(const SourceCheckpoint& checkpoint);
  StatusOr<bool> go_to(const SourceCheckpoint& checkpoint, Way way, Mode mode);
  StatusOr<bool> go_from_anchor(const SourceCheckpoint& checkpoint);
  StatusOr<bool> go_from_start(const SourceCheckpoint& checkpoint);
  StatusOr<bool> go_on_to(int64_t index, const FrameTimes& times, const Anchor& anchor);
  Status frame_not_found(const SourceCheckpoint& here) const;

  InputFilePtr file_;
  SourceOptions options_;
  MediaInfo info_;
  SeekHistory history_{options_.fetch};
  FrameMaker maker_{options_, info_};
  std::unique_ptr<PictureStream> stream_;
  Status failure_ = ok_status();
  // the source moves to a position, and the mode must not change
  bool settling_ = false;
  bool phase_is_set_ = false;           // the stream began at the start of its careful phase
  std::optional<Anchor> phase_anchor_;  // start of the phase; nullopt: start of the file
  int64_t damaged_before_ = 0;          // damaged packets before the stream's start
  int64_t frames_skipped_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace weft::media
