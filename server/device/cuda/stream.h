// SPDX-License-Identifier: Apache-2.0
// Runs work on a CUDA stream; marks are CUDA events.
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
  // Returns the event of a mark. If the mark is no longer kept, the event is that of a newer mark.
  CuEvent event_of(uint64_t serial) const { return events_[serial % events_.size()]; }

  const Context& context_;
  CuStream stream_ = nullptr;
  uint32_t newest_hold_ = 0;
  // Memory of the hold number up to which the device may continue; null: the stream cannot be held
  // back.
  std::unique_ptr<BufferBackend> released_;
  // Created with the stream, since a later creation would wait for other work of the driver.
  std::array<CuEvent, Stream::kMarksKept> events_{};
};

}  // namespace weft::device::cuda
