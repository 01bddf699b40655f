// SPDX-License-Identifier: Apache-2.0
// Runs the last stage of a job: encodes pictures into segments, each with a new encoder and a
// durable file. In an analysis it writes records into segments instead.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/status.h"
#include "server/media/frame_hash.h"
#include "server/media/write/segment_file.h"
#include "server/media/write/video_encoder.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/video/decode_stage.h"
#include "server/worker/video/segment_grid.h"
#include "server/worker/video/segment_journal.h"
#include "weft/internal/v1/segment.pb.h"

namespace weft::worker {

// A picture for the encoder.
struct OutputPicture {
  media::PictureView view;
  std::span<const std::byte> record;  // record of an analysis, which replaces a picture
  int64_t source_frame = 0;           // source frame of the picture
  int64_t pts = 0;
  int64_t duration = 0;
  std::shared_ptr<const std::string> captions;  // captions of the source frame; null: no captions
  std::shared_ptr<const void> owner;            // keeps the samples alive
};

// Not thread-safe: one thread at a time may use it.
class EncodeStage {
 public:
  struct Parts {
    // whether this is an analysis: packets are records, each preceded by its times
    bool keeps_records = false;
    media::EncoderSettings settings;
    media::OutputVideo video;
    SegmentGrid grid;
    const SegmentJournal* journal = nullptr;
    std::string file_suffix;  // ending of the names of unfinished files (SegmentWriter)
    DecodingNotes* decoding_notes = nullptr;
    JobMeter* meter = nullptr;
    // receives the number of source frames to the end of the current segment
    std::atomic<int64_t>* frames_left = nullptr;
    int64_t corrupt_before = 0;  // number of corrupt packets before the first segment
    // Start of the first segment, if it was computed and not taken from the segment before.
    std::optional<internal::v1::SegmentStart> start;
    // Called after each durable segment.
    std::function<void(int64_t segment, const internal::v1::SegmentRecord&)> on_segment;
    // Returns the pass of the encoder for a segment.
    std::function<StatusOr<media::EncoderPass>(int64_t segment)> pass_of;
    // Returns the filters' state after a source frame (FilterStage).
    std::function<std::string(int64_t frame)> state_after;
    // Returns the job's totals until now, for the segment's record.
    std::function<v1::JobResult()> result;
    // Fields that are equal in all records: key and part.
    internal::v1::SegmentRecord record;
  };

  // Begins with segment `segment`, after `outputs` pictures of earlier segments.
  EncodeStage(Parts parts, int64_t segment, int64_t outputs);

  // Encodes the pictures in order. A picture of the next segment first finishes the current one.
  Status encode(const OutputPicture& picture);
  // Returns true if encode() of this picture would first finish a segment.
  bool begins_segment(const OutputPicture& picture) const;
  // Returns true if the current segment has pictures.
  bool has_pictures() const { return writer_ != nullptr; }
  // Finishes the current segment. `last` states that the source has ended.
  Status finish_segment(bool last);

 private:
  Status open_segment();
  Status write(const OutputPicture& picture);
  void write_first_pass(internal::v1::FirstPassRecord& record) const;
  void count_frames(int64_t frames_done);

  Parts parts_;
  int64_t segment_;
  int64_t first_output_;
  int64_t outputs_ = 0;   // pictures in the current segment
  int64_t duration_ = 0;  // their durations, in the output's time base
  // number of source frames up to and including that of the last picture
  int64_t source_frames_ = 0;
  int64_t frames_counted_;                        // source frames up to this one are in the meter
  int64_t captioned_ = -1;                        // source frame of the last written captions
  std::unique_ptr<media::VideoEncoder> encoder_;  // null in an analysis
  std::unique_ptr<media::SegmentWriter> writer_;
};

}  // namespace weft::worker
