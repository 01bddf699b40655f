// SPDX-License-Identifier: Apache-2.0
// The frames of a stream in host memory, from their arrival until the last of several pipelines has
// taken them. A pipeline may take a frame once the pipelines before it have decided on it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "server/graph/pipeline.h"

namespace weft::worker {

// Thread-safe.
class HeldFrames {
 public:
  struct Frame {
    graph::FrameInfo info;
    std::vector<std::byte> samples;  // planes without gaps (stream_copy.h)
  };
  static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

  // The first of `pipelines` may take every frame. At most `most` frames are held.
  HeldFrames(size_t pipelines, int64_t most) : most_(most), turns_(pipelines) { turns_[0].permitted = kAll; }

  int64_t most() const { return most_; }

  // Blocks until a frame can be added. Returns false after stop().
  bool wait_for_room();
  void add(Frame frame);
  void finish();  // no further frames are added
  // Permits a pipeline to take the frames before `end`; an earlier call for a later one prevails.
  void permit(size_t pipeline, int64_t end);
  // Blocks until the pipeline may take its next frame. Returns null after the last frame, and after
  // stop(). Frames are released when the last pipeline takes the next one.
  std::shared_ptr<const Frame> take(size_t pipeline);
  void stop();  // ends all waits
  bool is_stopped() const;

 private:
  struct Turn {
    int64_t next = 0, permitted = 0;  // numbers of frames
  };

  const int64_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<const Frame>> frames_;
  int64_t first_ = 0;  // number of the oldest held frame
  std::vector<Turn> turns_;
  bool is_finished_ = false, is_stopped_ = false;
};

// Copies a frame into a pipeline that has capacity, and pushes it. Errors are the device's.
Status push_held(graph::Pipeline& pipeline, const HeldFrames::Frame& frame);

}  // namespace weft::worker
