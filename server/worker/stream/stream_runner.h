// SPDX-License-Identifier: Apache-2.0
// Runs one stream: frames out of the ring of shared memory, through the pipeline, pictures back into the ring, in
// order.
//
//   ASSIGN_OR_RETURN(auto runner, StreamRunner::open({device, loop, caches}, order, files, events, preparing));
//   on a thread of its own: StreamEnd end = runner->run();
//   elsewhere: runner->share(layout, ring); runner->add_frame(...); runner->free_picture(slot); runner->end_input();
//
// The pictures are those that a job of the same filter makes of the same frames, byte for byte.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/graph/pipeline.h"
#include "server/worker/device/batch_work.h"
#include "server/worker/device/device_share.h"
#include "server/worker/device/preparing.h"
#include "server/worker/job/chain.h"
#include "server/worker/stream/frame_pace.h"
#include "server/worker/stream/latency.h"
#include "server/worker/stream/stream_plan.h"
#include "weft/internal/v1/stream.pb.h"
#include "weft/v1/schedule.pb.h"

namespace weft::worker {

// What a stream tells. Called on two threads of its own: frames on one, pictures on the other.
class StreamTells {
 public:
  virtual ~StreamTells() = default;
  virtual void on_frame_taken(int slot) = 0;
  virtual void on_picture(int slot, const v1::PictureFacts& facts) = 0;
};

struct StreamEnd {
  Status status;
  bool device_failed = false;
};

class StreamRunner {
 public:
  // Allocates everything that running needs and opens a source of the device's loop. INVALID_ARGUMENT: the filter does not
  // take the format; RESOURCE_EXHAUSTED: the device's memory is short, or a realtime stream does not fit beside those that
  // live (with the numbers). A realtime stream of a filter and format that never ran here is measured first, which takes a
  // moment, and so is one that would be refused for what a frame takes. `files`: what the order's inputs name. What is shared
  // outlives the runner. CANCELLED: `preparing`, which blocks while the device makes ready, was stopped.
  static StatusOr<std::unique_ptr<StreamRunner>> open(const DeviceShare& share,
                                                      internal::v1::StartStream order,
                                                      std::vector<channel::FileDescriptor> files,
                                                      StreamTells& tells, Preparing& preparing);
  ~StreamRunner();

  // What is planned, for the daemon and the client.
  internal::v1::StreamStarted facts() const;
  // What was done so far. Any thread.
  v1::StreamReport report() const;
  // Latencies in seconds of the pictures since the last call. Any thread.
  v1::Histogram take_latencies();
  // The same of no picture.
  static v1::Histogram no_latencies();
  // Of the realtime frames since the last call, how many were done, and how many of them after their deadline. Any thread.
  struct FrameCounts {
    int64_t done = 0, late = 0;
  };
  FrameCounts take_frames();
  // Frames taken in and device time since the last call. Any thread.
  struct Work {
    int64_t frames = 0;
    Duration device_time{0};
  };
  Work take_work();
  // Rises, or changes, as its frames are worked on. Any thread.
  uint64_t moves() const {
    return loop_.pieces_done(source_) + uint64_t(work_.batches()) + uint64_t(work_.units_done());
  }
  bool waits() const;  // for its turn on the device, or until its next frame is due
  // What is kept free on the device for its frames. Any thread.
  schedule::Reservation reservation() const { return loop_.reservation(source_); }
  Duration device_time() const { return Duration(device_ns_.load()); }
  int last_batch_units() const { return work_.last_units(); }
  const v1::OpenStream& order() const { return order_.open(); }
  std::string filter_name() const { return stream_work_.name(); }

  // Until every picture is told, or stop(), or an error. Call it once.
  StreamEnd run();

  // Any thread. The ring of shared memory, once: frames are taken and pictures made from here on. A ring that is not what its layout
  // says, or too small for the stream, ends the stream with INTERNAL.
  void share(const internal::v1::RingLayout& layout, channel::FileDescriptor ring);
  // Any thread. Slots that do not exist are left out.
  void add_frame(const internal::v1::StreamFrame& frame);
  void free_picture(int slot);
  void end_input();
  void stop();

 private:
  struct Frame {
    int slot = 0;
    v1::FrameFacts facts;
    TimePoint due;  // when it came, or later where that was too early (frame_pace.h)
  };
  struct Ring {  // mapped
    internal::v1::RingLayout layout;
    std::byte* data = nullptr;
    size_t bytes = 0;
  };

  StreamRunner(internal::v1::StartStream order, StreamTask work, std::unique_ptr<graph::Pipeline> pipeline,
               DeviceLoop& loop, StreamTells& tells);
  StatusOr<Ring> map(const internal::v1::RingLayout& layout, const channel::FileDescriptor& memory) const;

  Status open_source(const DeviceShare& share, Preparing& preparing, const schedule::SourceSpec& source);
  // Pushes frames, as they come and there is room, until there are no more.
  Status feed();
  // The next frame once it is due and there is room for it; nothing: the input has ended, or the stream.
  std::optional<Frame> next_frame();
  Status push(const Frame& frame);
  void tell_loop();
  // Delivers pictures, as they are made, until there are no more.
  Status deliver();
  // A free slot; -1: none is needed any more, or the stream ends.
  int take_picture_slot();
  bool wait_for_batch(int64_t seen);
  void tell(const graph::OutputUnit& picture, int slot);
  void measure(const graph::OutputUnit& picture);
  void wake();
  bool is_done() const;  // with the lock
  std::byte* frame_slot(int slot) const;
  std::byte* picture_slot(int slot) const;

  const internal::v1::StartStream order_;
  const StreamTask stream_work_;
  const bool realtime_;
  const Duration period_;
  const Duration deadline_;  // zero: none
  std::unique_ptr<graph::Pipeline> pipeline_;
  DeviceLoop& loop_;
  StreamTells& tells_;
  BatchWork work_;
  schedule::SourceId source_ = 0;  // 0: not open

  std::atomic<Duration::rep> device_ns_{0};
  int64_t picture_index_ = 0;  // of the thread that delivers

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FramePace pace_;
  Ring ring_;  // without slots until it is shared; not changed again
  std::deque<Frame> frames_;
  bool is_early_ = false;  // the next of them
  std::deque<int> free_pictures_;
  bool input_ended_ = false;  // no more frames come
  bool fed_ = false;          // and all are pushed
  TimePoint input_ended_at_{};
  bool stopping_ = false;
  Status error_;               // the first
  std::deque<TimePoint> due_;  // of frames that were pushed, from first_due_ on
  int64_t first_due_ = 0;
  int64_t pushed_ = 0;
  int64_t pictures_out_ = 0;
  int64_t missed_ = 0;        // pictures
  int64_t late_frames_ = 0;   // that had one of those
  int64_t late_source_ = -1;  // the newest of them
  FrameCounts untold_frames_;
  Work told_work_;
  TimePoint begin_{}, newest_{};  // the first frame's, the newest picture's
  LatencyHistogram latency_;
  v1::Histogram untold_latencies_ = no_latencies();
};

}  // namespace weft::worker
