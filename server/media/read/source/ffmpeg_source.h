// SPDX-License-Identifier: Apache-2.0
// VideoSource by FFmpeg. What decodes is in video_source.cpp, what goes back to a place in resume.cpp, what goes to a frame in
// skip.cpp.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/media/read/packets/demuxer.h"
#include "server/media/read/packets/sequence_change.h"
#include "server/media/read/pictures/decoder.h"
#include "server/media/read/pictures/field_pairs.h"
#include "server/media/read/pictures/picture_changes.h"
#include "server/media/read/source/video_source.h"

namespace weft::media {

// kSeenFrames: compared when a checkpoint is taken up again.
inline constexpr size_t kKeptAnchors = 2;  // the older one is used: a group of pictures more to settle in

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
  enum class Mode { kFast, kCareful };

  FfmpegSource(InputFilePtr file, const SourceOptions& options, MediaFacts facts)
      : file_(std::move(file)), options_(options), facts_(std::move(facts)) {}

  // Opens demuxer and decoder at the start of the file. What was counted and kept is forgotten.
  Status start(Mode mode, int reorder_frames);

  const MediaFacts& facts() const override { return facts_; }
  StatusOr<std::optional<SourceFrame>> next() override;
  SourceCheckpoint checkpoint() const override;
  Status resume(const SourceCheckpoint& checkpoint) override;
  StatusOr<std::optional<FrameTimes>> frame_times(const FrameLimit& limit) override;
  StatusOr<bool> skip_to(int64_t index, const FrameTimes& times) override;
  SourceCounters counters() const override {
    return {next_index_, damaged_before_ + damaged_packets_, repaired_timestamps_};
  }
  bool hardware() const override { return decoder_->hardware(); }
  bool asks_hardware() const override { return decoder_->asks_hardware(); }
  int64_t frames_skipped() const override { return frames_skipped_; }
  std::string shortage() const override { return demuxer_->shortage(); }
  std::vector<std::string> notes() const override;
  const PictureLook& look() const override { return changes_.now(); }
  const std::vector<std::string>& changes() const override { return changes_.texts(); }

 private:
  struct Recent {
    SourceFrame frame;
    int64_t pts = 0;  // as decoded
    int64_t position = -1;
  };

  // video_source.cpp
  StatusOr<std::optional<SourceFrame>> next_in_mode();
  StatusOr<bool> decode();
  StatusOr<bool> decode_picture();
  Status feed();
  Status send_packet();
  void note_damage();
  void look_for_damage(int result);
  bool is_leading_packet();
  Status check_patience();
  void note_anchor();
  StatusOr<SourceFrame> make_frame();
  Status check_format(const VideoFormat& format, int64_t pts) const;
  void look_for_changes(int64_t pts);
  double seconds_of(int64_t pts) const;
  Status hold_samples(SourceFrame& result);
  int64_t place_in_time(int64_t raw, int64_t duration);
  int64_t duration_of_frame() const;

  // resume.cpp
  using Anchor = SourceCheckpoint::Anchor;
  enum class Way { kAnchor, kStart };
  SourceCheckpoint place() const;
  uint64_t hash_of(const SourceFrame& frame) const;
  void find_phase_anchor();
  Status open_phase();
  Status restart_phase(const SourceCheckpoint& here);
  bool intact_for_long() const;
  Status close_phase();
  Status resume_fast(const SourceCheckpoint& checkpoint);
  Status resume_phase(const SourceCheckpoint& checkpoint);
  StatusOr<bool> go_to(const SourceCheckpoint& checkpoint, Way way, Mode mode);
  StatusOr<bool> go_from_anchor(const SourceCheckpoint& checkpoint);
  StatusOr<bool> go_from_start(const SourceCheckpoint& checkpoint);
  bool matches(const SourceCheckpoint& checkpoint) const;

  // skip.cpp
  StatusOr<bool> go_on_to(int64_t index, const FrameTimes& times, const Anchor& anchor);

  InputFilePtr file_;
  SourceOptions options_;
  MediaFacts facts_;
  std::unique_ptr<Demuxer> demuxer_;
  std::unique_ptr<VideoDecoder> decoder_;
  PacketPtr packet_;
  FramePtr frame_;
  FieldPairs pairs_;
  SequenceChange sequence_;
  bool drains_ = false;  // before packet_
  BufferPoolPtr repacked_;
  size_t repacked_bytes_ = 0;  // of a buffer of it
  Status failure_ = ok_status();

  int64_t next_index_ = 0;
  int64_t last_pts_ = 0;
  std::optional<int64_t> first_clock_;  // the programme's, at the video's first packet, in the video's unit
  int64_t repaired_timestamps_ = 0;
  int packets_without_frame_ = 0;
  std::optional<int64_t> jump_pts_;  // the clock jumped at this time; the first frame from there on tells
  bool waits_for_random_access_ = false;
  // After a start in the middle: pictures shown before this time refer to what was not decoded. Nobody sees them.
  std::optional<int64_t> leading_before_;
  bool leading_may_follow_ = false;
  std::deque<Recent> recent_;
  std::deque<SourceCheckpoint::Anchor> anchors_;

  Mode mode_ = Mode::kFast;
  bool settling_ = false;        // on the way to a place: the mode stays
  bool damage_seen_ = false;     // since start()
  bool packet_damaged_ = false;  // the packet sent last
  bool packet_is_anchor_ = false;
  int64_t errors_seen_ = 0;        // of the decoder
  int64_t last_damage_index_ = 0;  // next_index_ then
  size_t anchors_since_damage_ = 0;
  int64_t damaged_packets_ = 0;         // since start(), when decoding carefully
  int64_t damaged_before_ = 0;          // in all that lies before where this run started
  bool phase_is_set_ = false;           // this run started where its phase begins
  std::optional<Anchor> phase_anchor_;  // there; nullopt: at the start of the file
  bool phase_is_due_ = false;           // it did not, and there is damage now

  int64_t frames_skipped_ = 0;
  int64_t lone_fields_ = 0, first_lone_ = 0;      // frames that are made of one; the first one's index
  int64_t frames_kept_ = 0, frames_fetched_ = 0;  // of NVDEC's, on the GPU and in memory
  PictureChanges changes_;
  std::string_view dynamic_hdr_;  // of a frame so far
  std::vector<std::string> notes_;
};

}  // namespace weft::media
