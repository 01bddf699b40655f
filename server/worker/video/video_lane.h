// SPDX-License-Identifier: Apache-2.0
// Renders runs of consecutive segments of a video job: decodes, filters and encodes them
// concurrently. A job has several lanes if one does not keep the device busy: each has its own
// decoder, pipeline and encoder.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/status.h"
#include "server/media/read/source/video_part.h"
#include "server/worker/device/planned_fetch.h"
#include "server/worker/video/encode_stage.h"
#include "server/worker/video/filter_stage.h"
#include "server/worker/video/segment_starts.h"
#include "server/worker/video/segment_table.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {

class VideoRunner::Lane {
 public:
  // The number of lane 0 is the one that begins the job; the others begin at computed starts, by
  // the frame times of `pass`. All arguments must outlive the lane.
  Lane(VideoRunner& runner, Pass& pass, int number);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Renders until the table has no run for this lane, or the job ends. Blocks. Errors end the job,
  // except that a further lane ends alone if there is no memory for it.
  void run();

  // Changes class, priority and weights of the transfers from NVDEC. Any thread.
  void change(const schedule::SourceChanged& change);

  // The functions below may be called on any thread.
  bool lacks_memory() const { return lacks_memory_; }  // true if run() ended for lack of memory
  // Returns true once a picture has arrived at the encoder.
  bool has_delivered() const { return has_delivered_; }
  // Returns the clocks of the network, and the flags of the first frame. Valid after
  // has_delivered().
  const ClockPlan& clock_plan() const { return clock_plan_; }
  // Returns true if NVDEC decoded the first frame. Valid after has_delivered().
  bool hardware() const { return hardware_; }
  // Returns the number of source frames to the end of the current segment.
  int64_t frames_left() const { return frames_left_; }

 private:
  // Opens the stream for NVDEC's transfers.
  void open_fetch();
  Status render(const SegmentTable::Run& run);
  // Opens the input's part at the place where the decoding of the run begins. Returns null if the
  // run cannot begin there: a computed start is wrong, or the job must start over.
  StatusOr<std::unique_ptr<media::VideoPart>> open_part(const SegmentTable::Run& run);
  Status begin(media::VideoPart& part);
  Status resume(media::VideoPart& part, const SegmentTable::Run& run);
  StatusOr<bool> go_to_start(media::VideoPart& part, int64_t first_frame);
  StatusOr<std::unique_ptr<FilterStage>> open_filter(const SegmentTable::Run& run);
  void keep_frames(const media::VideoSource& source, const FilterStage& filter);
  void run_pipeline(const SegmentTable::Run& run, media::VideoPart& part, FilterStage& filter);
  EncodeStage make_encode_stage(const SegmentTable::Run& run, const media::VideoPart& part,
                                DecodingNotes& decoding_notes, FilterStage& filter);
  Status encode_all(const SegmentTable::Run& run, EncodeStage& encoder, const DecodingNotes& decoding_notes,
                    BoundedQueue<OutputPicture>& pictures);
  bool is_withdrawn() const;
  size_t capacity(const VideoFormat& format) const;
  int64_t first_frame(const SegmentTable::Run& run) const;

  VideoRunner& runner_;
  Pass& pass_;
  const VideoPlan& plan_;
  const SegmentGrid& grid_;
  const int number_;
  media::SourceOptions source_;
  std::unique_ptr<PlannedFetch> fetch_;  // set if NVDEC decodes
  ClockPlan clock_plan_;
  bool hardware_ = false;
  std::atomic<bool> goes_on_{true};  // whether the run has a further segment
  std::atomic<bool> lacks_memory_{false}, has_delivered_{false};
  std::atomic<int64_t> frames_left_{0};
};

}  // namespace weft::worker
