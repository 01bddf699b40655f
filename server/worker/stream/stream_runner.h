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
#include "server/worker/device/batch_stage.h"
#include "server/worker/device/device_share.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/device/preparing.h"
#include "server/worker/job/chain.h"
#include "server/worker/stream/frame_pace.h"
#include "server/worker/stream/mapped_ring.h"
#include "server/worker/stream/stream_meter.h"
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
  // What was done so far; latencies, frames and work since the last call. Any thread.
  v1::StreamReport report() const { return measures_.report(device_time()); }
  v1::Histogram take_latencies() { return measures_.take_latencies(); }
  StreamMeter::FrameCounts take_frames() { return measures_.take_frame_counts(); }
  StreamMeter::Work take_work() { return measures_.take_work(device_time()); }
  // Rises, or changes, as its frames are worked on. Any thread.
  uint64_t moves() const {
    return loop_.pieces_done(stage_.source()) + uint64_t(stage_.batches_started()) +
           uint64_t(stage_.units_done());
  }
  bool waits() const;  // for its turn on the device, or until its next frame is due
  // What is kept free on the device for its frames. Any thread.
  schedule::Reservation reservation() const { return loop_.reservation(stage_.source()); }
  Duration device_time() const { return Duration(meter_.device_ns.load()); }
  int last_batch_units() const { return meter_.last_batch_units; }
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

  StreamRunner(internal::v1::StartStream order, StreamTask work, std::unique_ptr<graph::Pipeline> pipeline,
               DeviceLoop& loop, StreamTells& tells);
  Status open_source(const DeviceShare& share, Preparing& preparing, const schedule::SourceSpec& source);
  // Pushes frames, as they come and there is room, until there are no more.
  Status feed();
  // The next frame once it is due and there is room for it; nothing: the input has ended, or the stream.
  std::optional<Frame> next_frame();
  Status push(const Frame& frame);
  void tell_loop(bool is_ready);
  // Delivers pictures, as they are made, until there are no more.
  Status deliver();
  // A free slot; -1: none is needed any more, or the stream ends.
  int take_picture_slot();
  void tell(const graph::OutputUnit& picture, int slot);
  void wake();
  bool is_over() const;  // it was stopped, or has failed

  const internal::v1::StartStream order_;
  const StreamTask stream_work_;
  const bool realtime_;
  std::unique_ptr<graph::Pipeline> pipeline_;
  DeviceLoop& loop_;
  StreamTells& tells_;
  JobMeter meter_;
  BatchStage stage_;
  StreamMeter measures_;
  int64_t picture_index_ = 0;  // of the thread that delivers

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FramePace pace_;
  MappedRing ring_;  // without slots until it is shared; not changed again
  std::deque<Frame> frames_;
  bool is_early_ = false;  // the next of them
  std::deque<int> free_pictures_;
  bool input_ended_ = false;  // no more frames come
};

}  // namespace weft::worker
