// SPDX-License-Identifier: Apache-2.0
// Runs the first stage of a job: reads frames from the source and records the checkpoint at which
// each segment's decoding begins.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/graph/frame.h"
#include "server/media/read/source/video_part.h"
#include "server/worker/device/device_loop.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/job/bounded_queue.h"
#include "server/worker/video/frame_scaler.h"
#include "server/worker/video/segment_grid.h"

namespace weft::worker {

// Checkpoints at the beginning of decoding, by segment. Thread-safe.
class Checkpoints {
 public:
  struct Entry {
    std::string checkpoint;       // serialised SourceCheckpoint; empty: the start of the input
    int64_t corrupt_packets = 0;  // that of the checkpoint
  };
  void put(int64_t segment, Entry entry) {
    const std::lock_guard lock(mutex_);
    entries_[segment] = std::move(entry);
  }
  // Removes and returns the entry of a segment; those of earlier segments are removed too.
  Entry take(int64_t segment) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(segment);
    Entry entry = found == entries_.end() ? Entry() : std::move(found->second);
    entries_.erase(entries_.begin(), entries_.upper_bound(segment));
    return entry;
  }

 private:
  std::mutex mutex_;
  std::map<int64_t, Entry> entries_;
};

// Results of decoding for the job's encoding stage.
struct DecodingNotes {
  Checkpoints checkpoints;
  std::atomic<bool> has_captions{false};  // whether a frame had closed captions
  std::atomic<bool> hardware{false};      // whether NVDEC decoded the newest frame
  // The decoding thread calls it with each change of the pictures' format.
  std::function<void(const std::string&)> note{};
  // Valid after the first frame: flags of that frame.
  graph::FrameInfo first_flags{};
  bool fails_when_short = false;  // whether an input that ends before its declared end is an error
  // The members below are valid after the last picture.
  std::optional<int64_t> end_pts{};  // end of the part (VideoPart)
  int64_t frames = 0;                // number of frames from the start of the part
  int64_t corrupt_packets = 0;       // number of corrupt packets up to the end
  std::optional<media::NextOutputPart> next_output_part{};
  std::vector<std::string> end_notes{};  // notes on the whole decoding
};

struct DecodeStart {
  int64_t frames_before = 0;      // number of frames in earlier output parts of the job
  int64_t next_frame = 0;         // index of the next frame of the source
  FrameScaler* scaler = nullptr;  // scales frames to the common size
  DriverLock driver_lock{};       // released once the decoder has begun
};

// Decodes frames of `part`, scales them to one size and pushes them into `frames`, until the part
// ends (which closes the queue) or the queue is abandoned.
Status decode(media::VideoPart& part, DecodeStart start, const SegmentGrid& grid,
              BoundedQueue<media::SourceFrame>& frames, DecodingNotes& decoding_notes, JobMeter& meter);

}  // namespace weft::worker
