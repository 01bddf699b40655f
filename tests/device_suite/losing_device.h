// SPDX-License-Identifier: Apache-2.0
// Wraps the back end of a real device, which is lost after a number of commands.
#pragma once

#include <atomic>

#include "server/device/backend.h"

namespace weft::device::suite {

// Counts the commands down. At zero every call fails.
class Loss {
 public:
  explicit Loss(int commands) : left_(commands) {}
  Status next_command() { return left_-- > 0 ? ok_status() : lost(); }
  Status check() const { return left_ >= 0 ? ok_status() : lost(); }

 private:
  static Status lost() { return unavailable("The device is lost (the test took it away)."); }

  std::atomic<int> left_;
};

class LosingStream final : public StreamBackend {
 public:
  LosingStream(std::unique_ptr<StreamBackend> real, Loss& loss) : real_(std::move(real)), loss_(loss) {}

  Status launch(const KernelBackend& kernel, Grid grid, std::span<const std::byte> params) override {
    RETURN_IF_ERROR(loss_.next_command());
    return real_->launch(kernel, grid, params);
  }
  Status copy(BufferBackend& to, size_t to_offset, const BufferBackend& from, size_t from_offset,
              size_t bytes) override {
    RETURN_IF_ERROR(loss_.next_command());
    return real_->copy(to, to_offset, from, from_offset, bytes);
  }
  Status fill(BufferBackend& to, size_t offset, size_t bytes, std::byte value) override {
    RETURN_IF_ERROR(loss_.next_command());
    return real_->fill(to, offset, bytes, value);
  }
  Status mark(uint64_t serial) override {
    RETURN_IF_ERROR(loss_.next_command());
    return real_->mark(serial);
  }
  Status wait_for(StreamBackend& other, uint64_t serial) override {
    RETURN_IF_ERROR(loss_.next_command());
    return real_->wait_for(*static_cast<LosingStream&>(other).real_, serial);
  }
  bool is_done(uint64_t serial) const override { return !loss_.check().ok() || real_->is_done(serial); }
  Status wait(uint64_t serial) override {
    RETURN_IF_ERROR(loss_.check());
    return real_->wait(serial);
  }
  Status wait_all() override {
    RETURN_IF_ERROR(real_->wait_all());
    return loss_.check();
  }
  StatusOr<Duration> elapsed(uint64_t from, uint64_t to) const override {
    RETURN_IF_ERROR(loss_.check());
    return real_->elapsed(from, to);
  }

 private:
  std::unique_ptr<StreamBackend> real_;
  Loss& loss_;
};

class LosingDevice final : public DeviceBackend {
 public:
  LosingDevice(std::unique_ptr<DeviceBackend> real, Loss& loss) : real_(std::move(real)), loss_(loss) {}

  StatusOr<std::unique_ptr<BufferBackend>> allocate(MemoryKind kind, size_t size_bytes) override {
    RETURN_IF_ERROR(loss_.check());
    return real_->allocate(kind, size_bytes);
  }
  StatusOr<std::unique_ptr<StreamBackend>> make_stream(StreamPriority priority, StreamUse use) override {
    RETURN_IF_ERROR(loss_.check());
    ASSIGN_OR_RETURN(std::unique_ptr<StreamBackend> stream, real_->make_stream(priority, use));
    return std::make_unique<LosingStream>(std::move(stream), loss_);
  }
  StatusOr<std::unique_ptr<KernelBackend>> load(const kernels::KernelImage& image, KernelForm form) override {
    RETURN_IF_ERROR(loss_.check());
    return real_->load(image, form);
  }

 private:
  std::unique_ptr<DeviceBackend> real_;
  Loss& loss_;
};

}  // namespace weft::device::suite
