// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/event_loop.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace weft::queue {

using channel::FileDescriptor;

StatusOr<std::unique_ptr<EventLoop>> EventLoop::start(Work tick) {
  FileDescriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  FileDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll.is_open() || !wake.is_open())
    return resource_exhausted("The loop of the workers cannot be made: {}.", std::strerror(errno));
  auto loop = std::unique_ptr<EventLoop>(new EventLoop(std::move(epoll), std::move(wake), std::move(tick)));
  loop->thread_ = std::thread([raw = loop.get()] { raw->run(); });
  return loop;
}

EventLoop::EventLoop(FileDescriptor epoll, FileDescriptor wake, Work tick)
    : epoll_(std::move(epoll)), wake_(std::move(wake)), tick_(std::move(tick)) {
  watch(wake_.get(), EPOLLIN, [this](uint32_t) {
    uint64_t count = 0;
    while (::read(wake_.get(), &count, sizeof(count)) > 0) {
    }
  });
}

EventLoop::~EventLoop() { stop(); }

void EventLoop::post(Work work) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  posted_.push_back(std::move(work));
  const uint64_t one = 1;
  // A full counter wakes the loop, too.
  static_cast<void>(::write(wake_.get(), &one, sizeof(one)) == sizeof(one));
}

void EventLoop::stop() {
  post([this] {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  });
  if (thread_.joinable()) thread_.join();
}

void EventLoop::watch(int fd, uint32_t events, Handler handler) {
  handlers_[fd] = std::make_shared<Handler>(std::move(handler));
  epoll_event event{events, {.fd = fd}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

void EventLoop::change(int fd, uint32_t events) {
  epoll_event event{events, {.fd = fd}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::unwatch(int fd) {
  handlers_.erase(fd);
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void EventLoop::run_posted() {
  std::vector<Work> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(posted_);
  }
  for (const Work& each : work) each();
}

void EventLoop::run() {
  TimePoint next_tick = std::chrono::steady_clock::now();
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    epoll_event events[16];
    const int count = ::epoll_wait(epoll_.get(), events, int(std::size(events)), int(kTick.count()));
    for (int i = 0; i < count; i++) {
      // An earlier handler of this round may have removed this one.
      auto found = handlers_.find(events[i].data.fd);
      if (found == handlers_.end()) continue;
      const std::shared_ptr<Handler> handler = found->second;
      (*handler)(events[i].events);
    }
    run_posted();
    if (std::chrono::steady_clock::now() < next_tick) continue;
    next_tick = std::chrono::steady_clock::now() + kTick;
    tick_();
  }
}

}  // namespace weft::queue
