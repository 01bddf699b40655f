// SPDX-License-Identifier: Apache-2.0
#include "tests/filter_suite/guarded_device.h"

#include <algorithm>
#include <array>
#include <utility>

#include <gmock/gmock.h>

#include "server/device/backend.h"

namespace weft::filters {
namespace {

constexpr size_t kGuardBytes = 4096;
constexpr std::byte kGuard{0xA5};

class GuardedBuffer final : public device::BufferBackend {
 public:
  GuardedBuffer(std::unique_ptr<device::BufferBackend> whole, device::MemoryKind kind, size_t bytes)
      : whole_(std::move(whole)), kind_(kind), bytes_(bytes) {
    for (std::byte* guard : guards()) std::fill_n(guard, kGuardBytes, kGuard);
  }
  ~GuardedBuffer() override {
    for (const std::byte* guard : guards())
      EXPECT_EQ(std::count(guard, guard + kGuardBytes, kGuard), ptrdiff_t(kGuardBytes))
          << "Something wrote beside a buffer of " << bytes_ << " bytes (kind " << int(kind_) << ").";
  }
  uint64_t address() const override { return whole_->address() + kGuardBytes; }
  std::byte* host() const override {
    return whole_->host() == nullptr ? nullptr : whole_->host() + kGuardBytes;
  }

 private:
  std::array<std::byte*, 2> guards() const {
    auto* begin = reinterpret_cast<std::byte*>(whole_->address());
    return {begin, begin + kGuardBytes + bytes_};
  }

  std::unique_ptr<device::BufferBackend> whole_;
  device::MemoryKind kind_;
  size_t bytes_;
};

class GuardedDevice final : public device::DeviceBackend {
 public:
  explicit GuardedDevice(std::unique_ptr<device::DeviceBackend> cpu) : cpu_(std::move(cpu)) {}

  StatusOr<std::unique_ptr<device::BufferBackend>> allocate(device::MemoryKind kind, size_t bytes) override {
    ASSIGN_OR_RETURN(auto whole, cpu_->allocate(kind, bytes + 2 * kGuardBytes));
    return std::make_unique<GuardedBuffer>(std::move(whole), kind, bytes);
  }
  StatusOr<std::unique_ptr<device::StreamBackend>> make_stream(device::StreamPriority priority,
                                                               device::StreamUse use) override {
    return cpu_->make_stream(priority, use);
  }
  StatusOr<std::unique_ptr<device::KernelBackend>> load(const kernels::KernelImage& image,
                                                        device::KernelForm form) override {
    return cpu_->load(image, form);
  }

 private:
  std::unique_ptr<device::DeviceBackend> cpu_;
};

}  // namespace

StatusOr<std::unique_ptr<device::Device>> open_guarded(const device::DeviceInfo& cpu) {
#if defined(__SANITIZE_ADDRESS__)
  return device::open_device(cpu);
#else
  ASSIGN_OR_RETURN(auto backend, device::open_backend(cpu, {}));
  return std::make_unique<device::Device>(std::make_unique<GuardedDevice>(std::move(backend)), cpu);
#endif
}

}  // namespace weft::filters
