// SPDX-License-Identifier: Apache-2.0
// Runs one stream: frames pass from the ring of shared memory through the pipeline, and pictures
// pass back into the ring, in order.
//
//   ASSIGN_OR_RETURN(auto runner, StreamRunner::open(share, order, files, events, preparing));
//   on a thread of its own: StreamEnd end = runner->run();
//   elsewhere: runner->share(layout, ring); runner->add_frame(...);
//              runner->free_picture(slot); runner->end_input();
//
// If filters decide on frames from later ones, the frames are held in host memory, and an analysis
// for each decision runs ahead of the pipeline of the pictures.
//
// The pictures are equal, byte for byte, to those that a job makes with the same filter from the
// same frames, unless a job decides from frames later than those that the stream waits for.
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
#include "server/worker/stream/held_frames.h"
#include "server/worker/stream/mapped_ring.h"
#include "server/worker/stream/stream_analysis.h"
#include "server/worker/stream/stream_meter.h"
#include "server/worker/stream/stream_plan.h"
#include "weft/internal/v1/stream.pb.h"
#include "weft/v1/schedule.pb.h"

namespace weft::worker {

// Events of a stream. One thread reports frames, another reports pictures.
class RunnerEvents {
 public:
  virtual ~RunnerEvents() = default;
  virtual void on_frame_taken(int slot) = 0;
  virtual void on_picture(int slot, const v1::PictureFacts& facts) = 0;
};

struct StreamEnd {
  Status status;
  bool device_failed = false;
};

class StreamRunner {
 public:
  // Allocates all resources and opens a source of the device's loop. `files` are the order's
  // inputs. `share` must outlive the runner. The cost of a realtime stream's frame is measured
  // first if it is unknown, and again if the stream would be refused because of it.
  // INVALID_ARGUMENT: the filter does not accept the format. RESOURCE_EXHAUSTED: the device's
  // memory is insufficient, or a realtime stream does not fit in addition to the open ones; the
  // message contains the figures. CANCELLED: `preparing`, which blocks during the preparation, was
  // stopped.
  static StatusOr<std::unique_ptr<StreamRunner>> open(const DeviceShare& share,
                                                      internal::v1::StartStream order,
                                                      std::vector<channel::FileDescriptor> files,
                                                      RunnerEvents& events, Preparing& preparing);
  ~StreamRunner();

  // Returns the plan for the daemon and the client.
  internal::v1::StreamStarted started_message() const;
  // Returns totals until now; the functions below return counts since the last call. Any thread.
  v1::StreamReport report() const { return measures_.report(device_time()); }
  v1::Histogram take_latencies() { return measures_.take_latencies(); }
  StreamMeter::FrameCounts take_frames() { return measures_.take_frame_counts(); }
  StreamMeter::Work take_work() { return measures_.take_work(device_time()); }
  // Returns a number that changes while the stream's frames are processed. Any thread.
  uint64_t moves() const;
  // returns true if it waits for its turn on the device, or until its next frame is due
  bool waits() const;
  // Returns the device time that is reserved for its frames. Any thread.
  schedule::Reservation reservation() const { return loop_.reservation(stage_.source()); }
  Duration device_time() const;
  int64_t device_bytes() const { return device_bytes_; }  // planned device memory
  int last_batch_units() const { return meter_.last_batch_units; }
  const v1::OpenStream& order() const { return order_.open(); }
  std::string filter_name() const { return stream_work_.name(); }

  // Processes frames until every picture is reported, after stop(), or until an error. Call once.
  StreamEnd run();

  // Sets the ring of shared memory; from then on frames are processed. A ring that does not match
  // its layout, or is too small for the stream, ends the stream with INTERNAL. Any thread, once.
  void share(const internal::v1::RingLayout& layout, channel::FileDescriptor ring);
  // These functions may be called on any thread. Slots that do not exist are ignored.
  void add_frame(const internal::v1::StreamFrame& frame);
  void free_picture(int slot);
  void end_input();
  void stop();

 private:
  struct Frame {
    int slot = 0;
    v1::FrameFacts facts;
    TimePoint due;  // arrival, or a later time for an early frame (frame_pace.h)
  };

  StreamRunner(internal::v1::StartStream order, StreamTask work, StreamPipelines pipelines, DeviceLoop& loop,
               RunnerEvents& events);
  Status open_source(const DeviceShare& share, Preparing& preparing, const schedule::SourceSpec& source);
  Status open_analyses(const schedule::SourceSpec& source);
  // Pushes arriving frames while there is capacity, until the end of the input.
  Status feed();
  Status feed_held();  // the same for held frames
  void hold_frames();  // holds arriving frames
  // Blocks until the next frame is due and the pipeline has capacity. Returns nullopt if the input
  // or the stream has ended.
  std::optional<Frame> next_frame();
  graph::FrameInfo info_of(const Frame& frame);
  Status push(const Frame& frame);
  void notify_loop(bool is_ready);
  // Delivers finished pictures until the end.
  Status deliver();
  // Blocks until a slot is free. Returns -1 if no more slots are needed or the stream ends.
  int take_picture_slot();
  void report_picture(const graph::OutputUnit& picture, int slot);
  void wake();
  bool is_over() const;  // returns true if the stream was stopped or has failed

  const internal::v1::StartStream order_;
  const StreamTask stream_work_;
  const bool realtime_;
  const int64_t device_bytes_;
  std::unique_ptr<graph::Pipeline> pipeline_;  // the pipeline of the pictures
  DeviceLoop& loop_;
  RunnerEvents& events_;
  JobMeter meter_;
  BatchStage stage_;
  std::vector<std::unique_ptr<StreamAnalysis>> analyses_;  // in the order of their frames
  const int frames_ahead_;
  std::unique_ptr<HeldFrames> held_;  // null without analyses
  StreamMeter measures_;
  int64_t picture_index_ = 0;  // used by the delivering thread alone

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FramePace pace_;
  MappedRing ring_;  // without slots until share(); constant afterwards
  std::deque<Frame> frames_;
  bool is_early_ = false;  // whether the first of frames_ is not due yet
  std::deque<int> free_pictures_;
  bool input_ended_ = false;  // whether no more frames will arrive
};

}  // namespace weft::worker
