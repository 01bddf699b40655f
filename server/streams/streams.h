// SPDX-License-Identifier: Apache-2.0
// Manages all streams of the daemon: opens each on a device, accounts for its resources, monitors
// it and ends it.
//
//   ASSIGN_OR_RETURN(auto streams, Streams::start(limits, list_devices, *supervisor, clock));
//   streams->offer_memory("/run/weft/weft.sock.frames", 0600);
//   auto stream = streams->make(true, caller, hang_up);  // for a call through a Unix socket
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

// Selects the device for a new stream: the device `wanted`, or the best kind of device in service,
// and of that kind the device with the fewest streams. Software Vulkan is selected only if
// `wanted`. If `may_wait`, a starting device also qualifies, and the stream waits for it. Returns
// NOT_FOUND or UNAVAILABLE with the reason if there is no device.
StatusOr<v1::DeviceStatus> choose_device(const std::vector<v1::DeviceStatus>& devices,
                                         const std::string& wanted, const std::map<std::string, int>& streams,
                                         bool may_wait);

class Streams {
 public:
  using ListDevices = std::function<void(std::function<void(StatusOr<std::vector<v1::DeviceStatus>>)>)>;

  // Starts the manager. `list_devices` and `workers` must outlive stop().
  static StatusOr<std::unique_ptr<Streams>> start(StreamLimits limits, ListDevices list_devices,
                                                  queue::StreamWorkers& workers, const Clock& clock);
  ~Streams();  // calls stop()

  // Enables shared memory, with a ring socket at `path`. Returns an error if the path cannot be
  // used; samples are then sent in messages. Blocks briefly.
  Status offer_memory(const std::string& path, mode_t mode);

  // Creates the stream of a call. `local` is true if the call uses a Unix socket. `hang_up` must
  // abort the call; it is called if the client does not read the end of the stream, at any time
  // during the stream's life.
  std::shared_ptr<StreamSession> make(bool local, queue::Caller caller, std::function<void()> hang_up);
  int count();
  // Refuses further streams; open ones continue.
  void drain();
  // Ends all streams with UNAVAILABLE and refuses further ones.
  void stop();

 private:
  // Open files of the stream's options; file_threads_ closes them. Null: none.
  using Files = std::shared_ptr<std::vector<channel::FileDescriptor>>;
  // A stream that waits for a device.
  struct Waiting {
    StreamPlan plan;
    Files files;
    TimePoint until;  // latest time to wait for a starting device
  };
  struct Entry {
    std::weak_ptr<StreamSession> stream;
    // Set while the stream waits for a starting device; checked at each tick.
    std::optional<Waiting> waiting;
    std::function<void()> hang_up;
    std::string device;
    std::string token;
    int64_t memory_bytes = 0;
    TimePoint over_since{};
  };

  Streams(StreamLimits limits, ListDevices list_devices, queue::StreamWorkers& workers, const Clock& clock);
  void open(uint64_t number, const std::shared_ptr<StreamSession>& stream, const StreamPlan& plan);
  // Accounts for the stream's planned resources, or returns an error if they exceed a limit or the
  // stream has ended.
  Status reserve(uint64_t number, const StreamPlan& plan);
  void find_device(uint64_t number, Waiting waiting, const std::shared_ptr<StreamSession>& stream);
  Status place(uint64_t number, const std::shared_ptr<StreamSession>& stream, const Waiting& waiting,
               const std::vector<v1::DeviceStatus>& devices);
  // Creates the memory of a stream after its pictures were planned.
  Status make_ring(uint64_t number, const std::shared_ptr<StreamSession>& stream, const StreamPlan& plan);
  void tick();
  StatusOr<channel::FileDescriptor> take_ring(const std::string& token);

  const StreamLimits limits_;
  const ListDevices list_devices_;
  queue::StreamWorkers& workers_;
  queue::PresenceClock clock_;          // updated by the loop
  std::unique_ptr<RingSocket> socket_;  // used on the loop's thread

  std::mutex mutex_;
  std::string socket_path_;  // empty: no shared memory
  std::map<uint64_t, Entry> entries_;
  uint64_t last_number_ = 0;
  bool draining_ = false;
  std::unique_ptr<queue::EventLoop> loop_;
  queue::FileThreads file_threads_;
};

}  // namespace weft::streams
