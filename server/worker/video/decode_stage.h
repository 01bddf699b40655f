// SPDX-License-Identifier: Apache-2.0
// The first stage of a job: takes frames from the source and notes where each segment's decoding begins.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/read/source/video_part.h"
#include "server/worker/device/device_loop.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/job/bounded_queue.h"
#include "server/worker/video/frame_scaler.h"
#include "server/worker/video/segment_grid.h"

namespace weft::worker {

// Serialised SourceCheckpoints by the segment whose decoding begins there. Thread-safe.
class Checkpoints {
 public:
  void put(int64_t segment, std::string checkpoint) {
    const std::lock_guard lock(mutex_);
    places_[segment] = std::move(checkpoint);
  }
  // Removes it and those of earlier segments. Empty: decoding begins at the start.
  std::string take(int64_t segment) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(segment);
    std::string checkpoint = found == places_.end() ? std::string() : std::move(found->second);
    places_.erase(places_.begin(), places_.upper_bound(segment));
    return checkpoint;
  }

 private:
  std::mutex mutex_;
  std::map<int64_t, std::string> places_;
};

// What decoding notes for the encoder's end of the job.
struct Places {
  Checkpoints checkpoints;
  std::atomic<bool> has_captions{false};  // a frame came with closed captions
  std::atomic<bool> hardware{false};      // NVDEC gave the newest frame
  // Told what changes in the pictures, by the thread that decodes.
  std::function<void(const std::string&)> note{};
  bool fails_when_short = false;  // the input ends before its container says
  // To be read when no picture is left.
  std::optional<int64_t> end_pts{};  // of the part (VideoPart)
  std::optional<media::NextPiece> next_piece{};
  std::vector<std::string> end_notes{};  // what decoding has to tell of the whole
};

struct DecodeStart {
  int64_t frames_before = 0;      // in the job's pieces before this one
  int64_t next_frame = 0;         // the index of the first frame that the source will give
  FrameScaler* scaler = nullptr;  // to the size that all frames get
  OpeningTurn turn{};             // given back once the decoder has begun
};

// Frames of `part`, of one size, into `frames` until it ends (the queue is closed then) or the queue is abandoned.
Status decode(media::VideoPart& part, DecodeStart start, const SegmentGrid& grid,
              BoundedQueue<media::SourceFrame>& frames, Places& places, JobMeter& meter);

}  // namespace weft::worker
