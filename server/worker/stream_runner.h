// SPDX-License-Identifier: Apache-2.0
// Runs one stream: frames out of the ring of shared memory, through the filter graph, pictures back into the ring, in
// order.
//
//   ASSIGN_OR_RETURN(auto runner, StreamRunner::open(*device, order, ring, events));
//   on a thread of its own: StreamEnd end = runner->run();
//   elsewhere: runner->add_frame(...); runner->free_picture(slot); runner->end_input();
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

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/device/device.h"
#include "server/filters/graph.h"
#include "server/worker/latency.h"
#include "weft/internal/v1/stream.pb.h"

namespace weft::worker {

// What a stream tells. Called on the thread that runs it.
class StreamTells {
 public:
  virtual ~StreamTells() = default;
  virtual void on_frame_taken(int slot) = 0;
  virtual void on_picture(int slot, const v1::PictureFacts& facts) = 0;
};

struct StreamEnd {
  Status status;
  v1::StreamReport report;
  bool device_failed = false;
};

// What anybody may read while a stream runs. Thread-safe.
struct StreamMeter {
  std::atomic<int64_t> frames_in{0};
  std::atomic<int64_t> pictures_out{0};
  std::atomic<int64_t> missed{0};
  std::atomic<Duration::rep> device_ns{0};
  std::atomic<int> last_batch_units{0};
};

class StreamRunner {
 public:
  // Allocates everything that running needs. INVALID_ARGUMENT: the filter does not take the format; RESOURCE_EXHAUSTED:
  // the device's memory is short; INTERNAL: the ring is not what the order says.
  static StatusOr<std::unique_ptr<StreamRunner>> open(device::Device& device, internal::v1::StartStream order,
                                                      channel::FileDescriptor ring, StreamTells& tells);
  ~StreamRunner();

  // What is planned, for the daemon and the client.
  internal::v1::StreamStarted facts() const;
  const StreamMeter& meter() const { return meter_; }

  // Until every picture is told, or stop(), or an error. Call it once.
  StreamEnd run();

  // Any thread. Slots that do not exist are left out.
  void add_frame(const internal::v1::StreamFrame& frame);
  void free_picture(int slot);
  void end_input();
  void stop();

 private:
  struct Frame {
    int slot = 0;
    v1::FrameFacts facts;
    TimePoint arrival;
  };
  struct Memory {  // the ring, mapped
    std::byte* data = nullptr;
    size_t bytes = 0;
  };

  StreamRunner(internal::v1::StartStream order, Memory memory, std::unique_ptr<filters::Graph> graph,
               StreamTells& tells);
  Status run_to_the_end();
  // True: something moved.
  StatusOr<bool> feed();
  Status push(const Frame& frame);
  bool submit();
  StatusOr<bool> deliver();
  void tell(const filters::OutputPicture& picture, int slot);
  void measure(const filters::OutputPicture& picture);
  void wait();
  std::optional<Frame> next_frame();
  int take_picture_slot();
  std::byte* frame_slot(int slot) const;
  std::byte* picture_slot(int slot) const;

  const internal::v1::StartStream order_;
  const Memory memory_;
  const std::unique_ptr<filters::Graph> graph_;
  StreamTells& tells_;
  const Duration deadline_;  // zero: none
  StreamMeter meter_;

  // Of the thread that runs.
  bool finished_ = false;
  int64_t pushed_ = 0;
  int64_t submitted_ = 0;
  int64_t picture_index_ = 0;
  std::deque<TimePoint> arrivals_;  // of frames from first_arrival_ on
  int64_t first_arrival_ = 0;
  TimePoint begin_{}, end_{};
  LatencyHistogram latency_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  std::deque<int> free_pictures_;
  bool input_ended_ = false;
  TimePoint input_ended_at_{};
  bool stopping_ = false;
  uint64_t changes_ = 0;  // of what is guarded here
  uint64_t seen_ = 0;     // by the thread that runs
};

}  // namespace weft::worker
