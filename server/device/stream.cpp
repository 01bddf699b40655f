// SPDX-License-Identifier: Apache-2.0
// Checks arguments once for all back ends, and passes valid ones on.
#include <algorithm>

#include "server/device/backend.h"

namespace weft::device {
namespace {

constexpr uint64_t kMaxLanes =
    (uint64_t{1} << 31) - 4096;  // the positions of lanes past the grid are still ints

}  // namespace

Stream::Stream(std::unique_ptr<StreamBackend> backend, const Device* device, StreamUse use)
    : backend_(std::move(backend)), device_(device), use_(use) {}

Stream::~Stream() = default;

Status Stream::error() const {
  const std::lock_guard lock(error_mutex_);
  return error_;
}

void Stream::keep(const Status& status) {
  if (status.ok()) return;
  const std::lock_guard lock(error_mutex_);
  if (!error_.ok()) return;
  error_ = status;
  failed_.store(true, std::memory_order_release);
}

Status Stream::check_range(const Buffer& buffer, size_t offset, size_t bytes) const {
  if (buffer.device() != device_)
    return invalid_argument("A buffer belongs to another device than the stream ({}).", device_->info().id);
  if (offset > buffer.size_bytes() || bytes > buffer.size_bytes() - offset) {
    return invalid_argument("A range is past its buffer's end (offset {}, {} bytes, the buffer has {}).",
                            offset, bytes, buffer.size_bytes());
  }
  return ok_status();
}

Status Stream::check_copy(const Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset,
                          size_t bytes) const {
  RETURN_IF_ERROR(check_range(to, to_offset, bytes));
  RETURN_IF_ERROR(check_range(from, from_offset, bytes));
  if (to.kind() != MemoryKind::kDevice && from.kind() != MemoryKind::kDevice)
    return invalid_argument("A copy has host memory on both sides; one side must be device memory.");
  const bool overlap = to_offset < from_offset + bytes && from_offset < to_offset + bytes;
  if (&to == &from && bytes > 0 && overlap) {
    return invalid_argument("A copy's ranges overlap in one buffer (from {} to {}, {} bytes).", from_offset,
                            to_offset, bytes);
  }
  return ok_status();
}

void Stream::copy(const Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset, size_t bytes) {
  if (failed()) return;
  const Status status = check_copy(to, to_offset, from, from_offset, bytes);
  if (!status.ok() || bytes == 0) return keep(status);
  keep(backend_->copy(to.backend(), to_offset, from.backend(), from_offset, bytes));
}

void Stream::fill(const Buffer& to, size_t offset, size_t bytes, std::byte value) {
  if (failed()) return;
  const Status status = check_range(to, offset, bytes);
  if (!status.ok() || bytes == 0) return keep(status);
  keep(backend_->fill(to.backend(), offset, bytes, value));
}

Status Stream::check_launch(const Kernel& kernel, Grid grid, size_t params_bytes) const {
  if (kernel.device() != device_) {
    return invalid_argument("The kernel '{}' was loaded by another device than the stream's ({}).",
                            kernel.name(), device_->info().id);
  }
  if (use_ == StreamUse::kCopies)
    return invalid_argument("The kernel '{}' is launched on a stream made for copies.", kernel.name());
  if (params_bytes != kernel.shape().params_bytes) {
    return invalid_argument("The kernel '{}' takes Params of {} bytes, not of {}.", kernel.name(),
                            kernel.shape().params_bytes, params_bytes);
  }
  const uint32_t lanes[3] = {grid.x, grid.y, grid.z};
  const BlockShape shape = kernel.form_for(grid).block;
  const uint32_t block[3] = {shape.x, shape.y, 1};
  for (int i = 0; i < 3; i++) {
    const uint64_t most = std::min(kMaxLanes, uint64_t{device_->info().max_blocks[i]} * block[i]);
    if (lanes[i] >= 1 && lanes[i] <= most) continue;
    return invalid_argument("The grid of kernel '{}' is out of range ({} lanes in {}, from 1 to {} on {}).",
                            kernel.name(), lanes[i], "xyz"[i], most, device_ -> info().id);
  }
  return ok_status();
}

void Stream::launch_bytes(const Kernel& kernel, Grid grid, std::span<const std::byte> params) {
  if (observer_ != nullptr) return observer_->launch(*this, kernel, grid, params);
  launch_unobserved(kernel, grid, params);
}

void Stream::launch_unobserved(const Kernel& kernel, Grid grid, std::span<const std::byte> params) {
  if (failed()) return;
  const Status status = check_launch(kernel, grid, params.size());
  if (!status.ok()) return keep(status);
  keep(backend_->launch(*kernel.form_for(grid).backend, grid, params));
}

Mark Stream::mark() {
  const uint64_t serial = last_serial_.load(std::memory_order_relaxed) + 1;
  last_serial_.store(serial, std::memory_order_release);
  if (failed()) return Mark(serial);
  const Status status = backend_->mark(serial);
  keep(status);
  if (status.ok()) last_enqueued_.store(serial, std::memory_order_release);
  return Mark(serial);
}

Status Stream::check_mark(Mark mark) const {
  const uint64_t newest = last_serial_.load(std::memory_order_acquire);
  if (mark.serial_ <= newest) return ok_status();
  return invalid_argument("A mark is not of this stream (number {}, the newest is {}).", mark.serial_,
                          newest);
}

void Stream::wait_for(const Stream& other, Mark mark) {
  if (failed() || this == &other) return;
  if (other.device_ != device_)
    return keep(invalid_argument("A stream cannot wait for a stream of another device."));
  const Status status = other.check_mark(mark);
  if (!status.ok()) return keep(status);
  if (other.failed())
    return keep(with_context(other.error(), "A stream waits for another one, which has failed"));
  keep(backend_->wait_for(*other.backend_, mark.serial_));
}

void Stream::hold() {
  if (failed()) return;
  if (use_ != StreamUse::kHeldBack)
    return keep(invalid_argument("A stream is held back that was not made for it."));
  keep(backend_->hold(++holds_));
}

void Stream::release() {
  if (use_ == StreamUse::kHeldBack) backend_->release(holds_);
}

void* Stream::native() const { return backend_->native(); }

uint64_t Stream::chunks_done() const { return backend_->chunks_done(); }

bool Stream::is_done(Mark mark) const {
  if (failed() || mark.serial_ == 0) return true;
  return mark.serial_ <= last_enqueued_.load(std::memory_order_acquire) && backend_->is_done(mark.serial_);
}

Status Stream::wait(Mark mark) {
  RETURN_IF_ERROR(check_mark(mark));
  if (!failed() && mark.serial_ != 0) keep(backend_->wait(mark.serial_));
  return failed() ? wait_all() : ok_status();
}

Status Stream::wait_all() {
  keep(backend_->wait_all());
  return error();
}

StatusOr<Duration> Stream::elapsed(Mark from, Mark to) const {
  RETURN_IF_ERROR(error());
  RETURN_IF_ERROR(check_mark(from));
  RETURN_IF_ERROR(check_mark(to));
  const uint64_t newest = last_serial_.load(std::memory_order_acquire);
  if (from.serial_ == 0 || from.serial_ + kMarksKept <= newest) {
    return out_of_range("A mark's time is no longer kept (number {}, the newest is {}, {} are kept).",
                        from.serial_, newest, kMarksKept);
  }
  if (to.serial_ < from.serial_)
    return invalid_argument("The marks are in the wrong order (numbers {} and {}).", from.serial_,
                            to.serial_);
  if (!backend_->is_done(to.serial_))
    return failed_precondition("The later mark is not reached yet (number {}); wait for it first.",
                               to.serial_);
  return backend_->elapsed(from.serial_, to.serial_);
}

}  // namespace weft::device
