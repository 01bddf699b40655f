// SPDX-License-Identifier: Apache-2.0
#include "server/device/cuda/stream.h"

#include <atomic>
#include <cmath>

#include "server/device/cuda/buffer.h"
#include "server/device/cuda/kernel.h"

namespace weft::device::cuda {
namespace {

uint32_t divide_up(uint32_t value, uint32_t by) { return value / by + (value % by != 0 ? 1 : 0); }

}  // namespace

StatusOr<std::unique_ptr<StreamBackend>> CudaStream::make(const Context& context, StreamPriority priority,
                                                          StreamUse use) {
  int least = 0, greatest = 0;  // a smaller number is a higher priority
  RETURN_IF_ERROR(context.call("cuCtxGetStreamPriorityRange", &Api::stream_priorities, &least, &greatest));
  const int number = priority == StreamPriority::kLow    ? least
                     : priority == StreamPriority::kHigh ? greatest
                                                         : (least + greatest) / 2;
  auto stream = std::make_unique<CudaStream>(context);
  RETURN_IF_ERROR(context.call("cuStreamCreateWithPriority", &Api::stream_create, &stream->stream_,
                               kStreamNonBlocking, number));
  for (CuEvent& event : stream->events_)
    RETURN_IF_ERROR(context.call("cuEventCreate", &Api::event_create, &event, kEventBlockingSync));
  if (use == StreamUse::kHeldBack) {
    ASSIGN_OR_RETURN(stream->released_, CudaBuffer::make(context, MemoryKind::kUpload, sizeof(uint32_t)));
  }
  return stream;
}

CudaStream::~CudaStream() {
  if (stream_ == nullptr) return;
  if (released_ != nullptr) release(newest_hold_);
  static_cast<void>(wait_all());
  for (const CuEvent event : events_)
    if (event != nullptr) static_cast<void>(context_.call_raw(&Api::event_destroy, event));
  static_cast<void>(context_.call_raw(&Api::stream_destroy, stream_));
}

Status CudaStream::launch(const KernelBackend& kernel, Grid grid, std::span<const std::byte> params) {
  const auto& cuda_kernel = static_cast<const CudaKernel&>(kernel);
  size_t bytes = params.size();
  // The Params struct is the only argument of the kernel; the driver copies it during the call. The
  // first two values are tags: the pointer to the struct, or its size, follows.
  void* const buffer_pointer = reinterpret_cast<void*>(1);
  void* const buffer_size = reinterpret_cast<void*>(2);
  void* extra[] = {buffer_pointer, const_cast<std::byte*>(params.data()), buffer_size, &bytes, nullptr};
  CuLaunchAttribute early;
  early.what = CuLaunchAttribute::kProgrammaticStreamSerialization;
  early.value = 1;
  CuLaunchConfig config;
  config.blocks_x = divide_up(grid.x, cuda_kernel.block_x());
  config.blocks_y = divide_up(grid.y, cuda_kernel.block_y());
  config.blocks_z = grid.z;
  config.block_x = cuda_kernel.block_x();
  config.block_y = cuda_kernel.block_y();
  config.shared_bytes = cuda_kernel.sized_bytes();
  config.stream = stream_;
  config.attributes = &early;
  config.attribute_count = cuda_kernel.waits_by_itself() ? 1 : 0;
  return context_.call("cuLaunchKernelEx", &Api::launch, &config, cuda_kernel.function(), nullptr, extra);
}

Status CudaStream::copy(BufferBackend& to, size_t to_offset, const BufferBackend& from, size_t from_offset,
                        size_t bytes) {
  return context_.call("cuMemcpyAsync", &Api::copy_async, to.address() + to_offset,
                       from.address() + from_offset, bytes, stream_);
}

Status CudaStream::fill(BufferBackend& to, size_t offset, size_t bytes, std::byte value) {
  return context_.call("cuMemsetD8Async", &Api::fill_async, to.address() + offset,
                       std::to_integer<uint8_t>(value), bytes, stream_);
}

Status CudaStream::mark(uint64_t serial) {
  return context_.call("cuEventRecord", &Api::event_record, event_of(serial), stream_);
}

Status CudaStream::wait_for(StreamBackend& other, uint64_t serial) {
  if (serial == 0) return ok_status();
  return context_.call("cuStreamWaitEvent", &Api::stream_wait_event, stream_,
                       static_cast<const CudaStream&>(other).event_of(serial), 0u);
}

Status CudaStream::hold(uint32_t number) {
  newest_hold_ = number;
  return context_.call("cuStreamWaitValue32", &Api::stream_wait_value, stream_, released_->address(), number,
                       kWaitValueGreaterOrEqual);
}

void CudaStream::release(uint32_t number) {
  const std::atomic_ref<uint32_t> released(*reinterpret_cast<uint32_t*>(released_->host()));
  uint32_t before = released.load();
  while (!is_released(number, before) && !released.compare_exchange_weak(before, number)) continue;
}

// Also returns true if the device has failed: wait() then returns the error without blocking.
bool CudaStream::is_done(uint64_t serial) const {
  return context_.call_raw(&Api::event_query, event_of(serial)) != kCudaErrorNotReady;
}

Status CudaStream::wait(uint64_t serial) {
  return context_.call("cuEventSynchronize", &Api::event_synchronize, event_of(serial));
}

Status CudaStream::wait_all() {
  return context_.call("cuStreamSynchronize", &Api::stream_synchronize, stream_);
}

StatusOr<Duration> CudaStream::elapsed(uint64_t from, uint64_t to) const {
  float milliseconds = 0;
  RETURN_IF_ERROR(
      context_.call("cuEventElapsedTime", &Api::event_elapsed, &milliseconds, event_of(from), event_of(to)));
  return Duration(std::llround(static_cast<double>(milliseconds) * 1e6));
}

}  // namespace weft::device::cuda
