// SPDX-License-Identifier: Apache-2.0
// A CUDA stream; marks are events.
#pragma once

#include <array>
#include <memory>

#include "server/device/backend.h"
#include "server/device/cuda/context.h"

namespace weft::device::cuda {

class CudaStream final : public StreamBackend {
 public:
  static StatusOr<std::unique_ptr<StreamBackend>> make(const Context& context, StreamPriority priority,
                                                       StreamUse use);
  explicit CudaStream(const Context& context) : context_(context) {}
  ~CudaStream() override;

  Status launch(const KernelBackend& kernel, Grid grid, std::span<const std::byte> params) override;
  Status copy(BufferBackend& to, size_t to_offset, const BufferBackend& from, size_t from_offset,
              size_t bytes) override;
  Status fill(BufferBackend& to, size_t offset, size_t bytes, std::byte value) override;
  Status mark(uint64_t serial) override;
  Status wait_for(StreamBackend& other, uint64_t serial) override;
  Status hold(uint32_t number) override;
  void release(uint32_t number) override;
  void* native() const override { return stream_; }
  bool is_done(uint64_t serial) const override;
  Status wait(uint64_t serial) override;
  Status wait_all() override;
  StatusOr<Duration> elapsed(uint64_t from, uint64_t to) const override;

 private:
  // Of a mark that is no longer kept, the event of a newer one.
  CuEvent event_of(uint64_t serial) const { return events_[serial % events_.size()]; }

  const Context& context_;
  CuStream stream_ = nullptr;
  uint32_t newest_hold_ = 0;
  std::unique_ptr<BufferBackend> released_;  // a number that the device waits for; null: holds nothing back
  // Made with the stream: making one waits for whatever else the driver does.
  std::array<CuEvent, Stream::kMarksKept> events_{};
};

}  // namespace weft::device::cuda
