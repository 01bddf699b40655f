// SPDX-License-Identifier: Apache-2.0
// VideoSource by FFmpeg: decodes fast while a file is intact and carefully near damage, and goes to places in the middle. PictureStream
// decodes, FrameMaker makes frames, SeekHistory keeps the parts of checkpoints.
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

// Whatever is intact decodes to the same frames with any number of threads and from any anchor. Damage does not: threads see
// more or less of each other's losses, and decoders fill holes with what they remember. So the source decodes fast until the
// decoder first complains. Then it opens a careful phase: it goes back to the second newest anchor before the damage, always
// the same one, and decodes with one thread until the stream has been intact for a while. A checkpoint within a phase is
// reached again from that anchor. When the source noticed the damage is a matter of chance; what the frames are is not.
//
// That holds for damage that the demuxer or the decoder notices. FFmpeg does not notice all bits that changed within
// a packet (HEVC's areas that no block covers, a slice of H.264 that is missing): such pictures may show the damage otherwise after
// a resume.
class FfmpegSource final : public VideoSource {
 public:
  using Mode = PictureStream::Mode;

  FfmpegSource(InputFilePtr file, const SourceOptions& options, MediaFacts facts)
      : file_(std::move(file)), options_(options), facts_(std::move(facts)) {}

  // Opens demuxer and decoder at the start of the file, and forgets all counts and kept frames.
  Status start(Mode mode, int reorder_frames);

  const MediaFacts& facts() const override { return facts_; }
  StatusOr<std::optional<SourceFrame>> next() override;
  SourceCheckpoint checkpoint() const override;
  Status resume(const SourceCheckpoint& checkpoint) override;
  StatusOr<std::optional<FrameTimes>> frame_times(const FrameLimit& limit) override;
  StatusOr<bool> skip_to(int64_t index, const FrameTimes& times) override;
  SourceCounters counters() const override {
    return {maker_.place().next_index, damaged_before_ + stream_->damaged_packets(),
            maker_.place().repaired_timestamps};
  }
  bool hardware() const override { return stream_->decoder().hardware(); }
  bool asks_hardware() const override { return stream_->decoder().asks_hardware(); }
  int64_t frames_skipped() const override { return frames_skipped_; }
  std::string shortage() const override { return stream_->demuxer().shortage(); }
  std::vector<std::string> notes() const override;
  const PictureLook& look() const override { return maker_.changes().now(); }
  const std::vector<std::string>& changes() const override { return maker_.changes().texts(); }

 private:
  using Anchor = SourceCheckpoint::Anchor;
  enum class Way { kAnchor, kStart };

  int64_t next_index() const { return maker_.place().next_index; }
  StatusOr<std::optional<SourceFrame>> next_in_mode();
  SourceCheckpoint place() const;
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
  MediaFacts facts_;
  SeekHistory history_{options_.fetch};
  FrameMaker maker_{options_, facts_};
  std::unique_ptr<PictureStream> stream_;
  Status failure_ = ok_status();
  bool settling_ = false;               // on the way to a place: the mode stays
  bool phase_is_set_ = false;           // the stream started where its phase begins
  std::optional<Anchor> phase_anchor_;  // there; nullopt: at the start of the file
  int64_t damaged_before_ = 0;          // packets in all that lies before where the stream started
  int64_t frames_skipped_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace weft::media
