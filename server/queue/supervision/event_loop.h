// SPDX-License-Identifier: Apache-2.0
// A thread that waits for descriptors, work posted to it, and ticks. It owns the workers' sockets.
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

  // `tick` runs on the loop's thread every kTick.
  static StatusOr<std::unique_ptr<EventLoop>> start(Work tick);
  ~EventLoop();  // stop()
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Any thread. Runs `work` on the loop's thread, in order; after stop() it is dropped.
  void post(Work work);
  // Ends the thread after what was posted before. Not from the loop's thread.
  void stop();

  // On the loop's thread only. The descriptor stays the caller's; unwatch it before closing it.
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
