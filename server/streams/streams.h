// SPDX-License-Identifier: Apache-2.0
// All streams of the daemon: opens them on a device, counts what they take, looks after them, ends them.
//
//   ASSIGN_OR_RETURN(auto streams, Streams::start(limits, list_devices, *supervisor, clock));
//   streams->offer_memory("/run/weft/weft.sock.frames", 0600);
//   auto stream = streams->make(true, caller, hang_up);  // for a call that comes through a Unix socket
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/files/file_threads.h"
#include "server/queue/supervision/event_loop.h"
#include "server/queue/supervision/presence_clock.h"
#include "server/queue/supervision/supervisor.h"
#include "server/streams/ring_socket.h"
#include "server/streams/stream.h"
#include "weft/v1/device_service.pb.h"

namespace weft::streams {

// The device for a new stream: the one that is asked for, or the best one in service, the one with fewer streams first;
// Vulkan in software only by name. `may_wait`: one that starts is as good, and the stream waits for it. NOT_FOUND, UNAVAILABLE: why there
// is none.
StatusOr<v1::DeviceStatus> choose_device(const std::vector<v1::DeviceStatus>& devices,
                                         const std::string& wanted, const std::map<std::string, int>& streams,
                                         bool may_wait);

class Streams {
 public:
  using ListDevices = std::function<void(std::function<void(StatusOr<std::vector<v1::DeviceStatus>>)>)>;

  // `list_devices` and `workers` must outlive the streams' stop().
  static StatusOr<std::unique_ptr<Streams>> start(StreamLimits limits, ListDevices list_devices,
                                                  queue::StreamWorkers& workers, const Clock& clock);
  ~Streams();  // stop()

  // Streams may share memory from here on, handed out at that path. An error: it cannot be used, and samples travel in
  // messages. Blocks for a moment.
  Status offer_memory(const std::string& path, mode_t mode);

  // For one call of that caller. `local`: it came through a Unix socket. `hang_up` ends the call by force, if its client does not even
  // read how the stream ended; it may be called at any time until the stream is gone.
  std::shared_ptr<StreamSession> make(bool local, queue::Caller caller, std::function<void()> hang_up);
  int count();
  // Opens no other from here on; those that live go on.
  void drain();
  // Ends all streams with UNAVAILABLE, and opens no other.
  void stop();

 private:
  // Open files that the stream's options name, closed on file_threads_; null: none.
  using Files = std::shared_ptr<std::vector<channel::FileDescriptor>>;
  // A stream that wants a device.
  struct Waiting {
    StreamPlan plan;
    Files files;
    TimePoint until;  // it waits for one that starts
  };
  struct Entry {
    std::weak_ptr<StreamSession> stream;
    std::optional<Waiting> waiting;  // for a device that starts; looked at with each tick
    std::function<void()> hang_up;
    std::string device;
    std::string token;
    int64_t ring_bytes = 0;
    TimePoint over_since{};
  };

  Streams(StreamLimits limits, ListDevices list_devices, queue::StreamWorkers& workers, const Clock& clock);
  void open(uint64_t number, const std::shared_ptr<StreamSession>& stream, const StreamPlan& plan);
  // Counts what the stream takes, as far as it is planned, if that is there.
  Status reserve(uint64_t number, const StreamPlan& plan);
  void find_device(uint64_t number, Waiting waiting, const std::shared_ptr<StreamSession>& stream);
  Status place(uint64_t number, const std::shared_ptr<StreamSession>& stream, const Waiting& waiting,
               const std::vector<v1::DeviceStatus>& devices);
  // The memory of a stream whose pictures are planned.
  Status make_ring(uint64_t number, const std::shared_ptr<StreamSession>& stream, const StreamPlan& plan);
  void tick();
  StatusOr<channel::FileDescriptor> take_ring(const std::string& token);

  const StreamLimits limits_;
  const ListDevices list_devices_;
  queue::StreamWorkers& workers_;
  queue::PresenceClock clock_;          // of the loop
  std::unique_ptr<RingSocket> socket_;  // on the loop's thread

  std::mutex mutex_;
  std::string socket_path_;  // empty: there is none
  std::map<uint64_t, Entry> entries_;
  uint64_t last_number_ = 0;
  bool draining_ = false;
  std::unique_ptr<queue::EventLoop> loop_;
  queue::FileThreads file_threads_;
};

}  // namespace weft::streams
