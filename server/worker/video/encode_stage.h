// SPDX-License-Identifier: Apache-2.0
// The last stage of a job: encodes pictures into segments, each with an encoder and a durable file of its own. The last stage of an analysis
// writes records into segments likewise.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

// A picture on its way out.
struct OutputPicture {
  media::PictureView view;
  std::span<const std::byte> record;  // of an analysis, in place of a picture
  int64_t source_frame = 0;           // the frame it was made of
  int64_t pts = 0;
  int64_t duration = 0;
  std::shared_ptr<const std::string> captions;  // of that frame; null: none
  std::shared_ptr<const void> owner;            // of the samples
};

// One thread at a time.
class EncodeStage {
 public:
  struct Parts {
    bool keeps_records = false;  // an analysis: packets are records, with their times before them
    media::EncoderSettings settings;
    media::OutputVideo video;
    SegmentGrid grid;
    const SegmentJournal* journal = nullptr;
    Places* places = nullptr;
    JobMeter* meter = nullptr;
    int64_t frames_before = 0, outputs_before = 0;  // in the job's pieces before this one
    // Told after each segment that is durable.
    std::function<void(const internal::v1::SegmentRecord&)> on_segment;
    // What the filters remember after a source frame (FilterStage).
    std::function<std::string(int64_t frame)> state_after;
    // What the job has done so far, for the record.
    std::function<v1::JobResult()> result;
    // Fields that are the same in all records: key and part.
    internal::v1::SegmentRecord record;
  };

  // Goes on with segment `next_segment`, after `outputs` pictures of the segments before.
  EncodeStage(Parts parts, int64_t next_segment, int64_t outputs);

  // Pictures in order. A picture of the next segment finishes the one at hand first.
  Status encode(const OutputPicture& picture);
  // True when encode() of this picture would finish a segment before anything else.
  bool begins_segment(const OutputPicture& picture) const;
  // Finishes the segment at hand; `last`: the source has ended.
  Status finish_segment(bool last);

 private:
  Status open_segment();
  Status write(const OutputPicture& picture);

  Parts parts_;
  int64_t segment_;
  int64_t first_output_;
  int64_t outputs_ = 0;                           // in the segment at hand
  int64_t source_frames_ = 0;                     // up to and with the frame of the last picture
  int64_t captioned_ = -1;                        // the source frame whose captions were given last
  std::unique_ptr<media::VideoEncoder> encoder_;  // of pictures
  std::unique_ptr<media::SegmentWriter> writer_;
};

}  // namespace weft::worker
