// SPDX-License-Identifier: Apache-2.0
// Runs a thread that handles events of descriptors, posted work, and periodic ticks. The workers'
// sockets are used on it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "server/channel/file_descriptor.h"

namespace weft::queue {

class EventLoop {
 public:
  using Work = std::function<void()>;
  using Handler = std::function<void(uint32_t events)>;  // EPOLLIN, EPOLLOUT, EPOLLHUP ...

  static constexpr std::chrono::milliseconds kTick{100};

  // Starts the thread. It calls `tick` every kTick.
  static StatusOr<std::unique_ptr<EventLoop>> start(Work tick);
  ~EventLoop();  // calls stop()
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs `work` on the loop's thread, in the order of the calls. After stop() it is dropped. Any
  // thread may call it.
  void post(Work work);
  // Ends the thread after all posted work. Must not be called on the loop's thread.
  void stop();

  // Begins, changes and ends the watch of a descriptor. Called only on the loop's thread. The
  // descriptor belongs to the caller. It is unwatched before it is closed.
  void watch(int fd, uint32_t events, Handler handler);
  void change(int fd, uint32_t events);
  void unwatch(int fd);

 private:
  EventLoop(channel::FileDescriptor epoll, channel::FileDescriptor wake, Work tick);
  void run();
  void run_posted();

  const channel::FileDescriptor epoll_;
  const channel::FileDescriptor wake_;
  const Work tick_;
  std::map<int, std::shared_ptr<Handler>> handlers_;
  std::mutex mutex_;
  std::vector<Work> posted_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace weft::queue
