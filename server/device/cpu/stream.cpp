// SPDX-License-Identifier: Apache-2.0
#include "server/device/cpu/stream.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/thread_share.h"

namespace weft::device::cpu {
namespace {

std::byte* bytes_of(const BufferBackend& buffer) { return reinterpret_cast<std::byte*>(buffer.address()); }

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // Clang 16 needs it

}  // namespace

void Fence::reach(uint64_t serial) {
  const std::lock_guard lock(mutex_);
  times_[serial % times_.size()] = std::chrono::steady_clock::now();
  reached_ = serial;
  reached_more_.notify_all();
}

bool Fence::has_reached(uint64_t serial) const {
  const std::lock_guard lock(mutex_);
  return reached_ >= serial;
}

void Fence::wait(uint64_t serial) const {
  std::unique_lock lock(mutex_);
  reached_more_.wait(lock, [&] { return reached_ >= serial; });
}

Duration Fence::between(uint64_t from, uint64_t to) const {
  const std::lock_guard lock(mutex_);
  return times_[to % times_.size()] - times_[from % times_.size()];
}

CpuStream::CpuStream(ThreadPool& pool, StreamPriority priority)
    : pool_(pool), priority_(priority), thread_([this] { execute_until_stopped(); }) {}

CpuStream::~CpuStream() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void CpuStream::enqueue(Command command) {
  const std::lock_guard lock(mutex_);
  commands_.push_back(std::move(command));
  changed_.notify_all();
}

Status CpuStream::launch(const KernelBackend& kernel, Grid grid, std::span<const std::byte> params) {
  Launch command{.kernel = static_cast<const CpuKernel*>(&kernel), .grid = grid, .params = {}};
  std::ranges::copy(params, command.params.begin());
  enqueue(command);
  return ok_status();
}

Status CpuStream::copy(BufferBackend& to, size_t to_offset, const BufferBackend& from, size_t from_offset,
                       size_t bytes) {
  enqueue(Copy{bytes_of(to) + to_offset, bytes_of(from) + from_offset, bytes});
  return ok_status();
}

Status CpuStream::fill(BufferBackend& to, size_t offset, size_t bytes, std::byte value) {
  enqueue(Fill{bytes_of(to) + offset, bytes, value});
  return ok_status();
}

Status CpuStream::mark(uint64_t serial) {
  enqueue(Reach{serial});
  return ok_status();
}

Status CpuStream::wait_for(StreamBackend& other, uint64_t serial) {
  enqueue(WaitFor{static_cast<CpuStream&>(other).progress_, serial});
  return ok_status();
}

Status CpuStream::hold(uint32_t number) {
  enqueue(Hold{number});
  return ok_status();
}

void CpuStream::release(uint32_t number) {
  const std::lock_guard lock(mutex_);
  if (!is_released(number, released_)) released_ = number;
  changed_.notify_all();
}

void CpuStream::wait_for_release(uint32_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopping_ || is_released(number, released_); });
}

Status CpuStream::wait(uint64_t serial) {
  progress_->wait(serial);
  return ok_status();
}

Status CpuStream::wait_all() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return commands_.empty() && !executing_; });
  return ok_status();
}

void CpuStream::execute(const Command& command) {
  std::visit(
      Overloaded{
          [this](const Launch& c) { c.kernel->run(pool_, priority_, c.grid, c.params.data(), chunks_); },
          [](const Copy& c) { std::memcpy(c.to, c.from, c.bytes); },
          [](const Fill& c) { std::memset(c.to, std::to_integer<int>(c.value), c.bytes); },
          [this](const Reach& c) { progress_->reach(c.serial); },
          [](const WaitFor& c) { c.other->wait(c.serial); },
          [this](const Hold& c) { wait_for_release(c.number); },
      },
      command);
}

void CpuStream::execute_until_stopped() {
  if (priority_ != StreamPriority::kHigh) raise_nice(kNormalNice);
  std::optional<ThreadPool::Claim> claim;  // exists from a launch until no launch follows at once
  std::unique_lock lock(mutex_);
  while (true) {
    const bool goes_on = !commands_.empty() && (std::holds_alternative<Launch>(commands_.front()) ||
                                                std::holds_alternative<Reach>(commands_.front()));
    if (!goes_on) claim.reset();
    changed_.wait(lock, [this] { return stopping_ || !commands_.empty(); });
    if (commands_.empty()) return;
    const Command command = std::move(commands_.front());
    commands_.pop_front();
    executing_ = true;
    lock.unlock();
    if (!claim && std::holds_alternative<Launch>(command)) claim.emplace(pool_, priority_);
    execute(command);
    lock.lock();
    executing_ = false;
    changed_.notify_all();
  }
}

}  // namespace weft::device::cpu
