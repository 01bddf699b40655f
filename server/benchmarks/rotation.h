// SPDX-License-Identifier: Apache-2.0
// Keeps copies of a case's data in one buffer. Together they are larger than the device's cache;
// each run uses the next copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"

namespace weft::benchmarks {

// Minimum total size of the copies: larger than the caches of GPUs (60 MB on an H200) and CPUs.
inline constexpr size_t kRotationBytes = size_t{256} << 20;
inline constexpr size_t kRotationBytesInSoftware = size_t{64} << 20;
inline constexpr std::byte kNoResult{0xCD};  // initial content of output memory

// Copy in chunks between the host and the start of a device buffer. Both functions block.
Status upload(device::Device& device, std::span<const std::byte> data, const device::Buffer& to);
Status download(device::Device& device, const device::Buffer& from, std::span<std::byte> data);
// Returns a device buffer that contains `data`.
StatusOr<std::unique_ptr<device::Buffer>> uploaded(device::Device& device, std::span<const std::byte> data);

class Rotation {
 public:
  Rotation() = default;
  // Creates the smallest number of copies of `bytes` bytes that exceeds the cache, if one copy of
  // all data of the case has `case_bytes` bytes. The copy of turn 0 is filled with kNoResult, so
  // that stale data cannot pass as a result; the other copies are uninitialised.
  // RESOURCE_EXHAUSTED: memory is insufficient.
  static StatusOr<Rotation> make(device::Device& device, size_t bytes, size_t case_bytes);
  // Creates copies that contain `data`.
  static StatusOr<Rotation> make(device::Device& device, std::span<const std::byte> data, size_t case_bytes);

  size_t bytes() const { return bytes_; }  // size of a copy
  int64_t copies() const { return copies_; }
  const device::Buffer& buffer() const { return *buffer_; }
  size_t offset(int64_t turn) const { return size_t(turn % copies_) * stride_; }
  uint64_t address(int64_t turn) const { return buffer_->address() + offset(turn); }
  template <class Word>
  Word at(int64_t turn) const {
    return device::at<Word>(*buffer_, offset(turn));
  }
  // Returns the copy of turn 0 on the host.
  StatusOr<std::vector<std::byte>> download() const;
  template <class T>
  StatusOr<std::vector<T>> download_as() const {
    ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, download());
    const T* const first = reinterpret_cast<const T*>(bytes.data());
    return std::vector<T>(first, first + bytes.size() / sizeof(T));
  }

 private:
  static StatusOr<Rotation> allocate(device::Device& device, size_t bytes, size_t case_bytes);

  device::Device* device_ = nullptr;
  std::unique_ptr<device::Buffer> buffer_;
  size_t bytes_ = 0, stride_ = 0;
  int64_t copies_ = 1;
};

}  // namespace weft::benchmarks
