// SPDX-License-Identifier: Apache-2.0
// Runs the commands of a CPU stream in order on a thread of its own; kernels run on the shared
// pool.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <variant>

#include "server/device/backend.h"
#include "server/device/cpu/kernel.h"

namespace weft::device::cpu {

// The progress of a stream. Streams that wait for it share it, and may outlive the stream.
class Fence {
 public:
  void reach(uint64_t serial);
  bool has_reached(uint64_t serial) const;
  void wait(uint64_t serial) const;
  Duration between(uint64_t from, uint64_t to) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable reached_more_;
  uint64_t reached_ = 0;
  // Time of mark n at the index n modulo kMarksKept.
  std::array<TimePoint, Stream::kMarksKept> times_{};
};

class CpuStream final : public StreamBackend {
 public:
  CpuStream(ThreadPool& pool, StreamPriority priority);
  ~CpuStream() override;

  Status launch(const KernelBackend& kernel, Grid grid, std::span<const std::byte> params) override;
  Status copy(BufferBackend& to, size_t to_offset, const BufferBackend& from, size_t from_offset,
              size_t bytes) override;
  Status fill(BufferBackend& to, size_t offset, size_t bytes, std::byte value) override;
  Status mark(uint64_t serial) override;
  Status wait_for(StreamBackend& other, uint64_t serial) override;
  Status hold(uint32_t number) override;
  void release(uint32_t number) override;
  bool is_done(uint64_t serial) const override { return progress_->has_reached(serial); }
  Status wait(uint64_t serial) override;
  Status wait_all() override;
  uint64_t chunks_done() const override { return chunks_; }
  StatusOr<Duration> elapsed(uint64_t from, uint64_t to) const override {
    return progress_->between(from, to);
  }

 private:
  struct Launch {
    const CpuKernel* kernel;
    Grid grid;
    std::array<std::byte, 128> params;
  };
  struct Copy {
    std::byte* to;
    const std::byte* from;
    size_t bytes;
  };
  struct Fill {
    std::byte* to;
    size_t bytes;
    std::byte value;
  };
  struct Reach {
    uint64_t serial;
  };
  struct WaitFor {
    std::shared_ptr<Fence> other;
    uint64_t serial;
  };
  struct Hold {
    uint32_t number;
  };
  using Command = std::variant<Launch, Copy, Fill, Reach, WaitFor, Hold>;

  void enqueue(Command command);
  void execute(const Command& command);
  void wait_for_release(uint32_t number);
  void execute_until_stopped();

  ThreadPool& pool_;
  StreamPriority priority_;
  std::shared_ptr<Fence> progress_ = std::make_shared<Fence>();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Command> commands_;
  bool executing_ = false;  // a command that is no longer in commands_ is running
  uint32_t released_ = 0;   // newest hold that is released
  bool stopping_ = false;
  std::atomic<uint64_t> chunks_{0};  // number of finished parts of launches
  std::thread thread_;
};

}  // namespace weft::device::cpu
