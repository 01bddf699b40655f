// SPDX-License-Identifier: Apache-2.0
// Copies of a case's data, one after another in a buffer and together larger than the device's cache: each run takes the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"

namespace weft::benchmarks {

// What copies have together, at least: above the caches of GPUs (60 MB of an H200), and of processors.
inline constexpr size_t kRotationBytes = size_t{256} << 20;
inline constexpr size_t kRotationBytesInSoftware = size_t{64} << 20;
inline constexpr std::byte kNoResult{0xCD};  // in memory that a run writes

// Between the host and the beginning of a buffer of the device, in portions; both wait.
Status upload(device::Device& device, std::span<const std::byte> data, const device::Buffer& to);
Status download(device::Device& device, const device::Buffer& from, std::span<std::byte> data);
// A buffer of the device with these bytes.
StatusOr<std::unique_ptr<device::Buffer>> uploaded(device::Device& device, std::span<const std::byte> data);

class Rotation {
 public:
  Rotation() = default;
  // So many copies of `bytes`, as few as exceed the cache where all the case's data has `case_bytes` in a copy. That of turn 0 is filled
  // with kNoResult, so that nothing of an earlier case passes for its result; the others' contents are not specified.
  // RESOURCE_EXHAUSTED: memory is short.
  static StatusOr<Rotation> make(device::Device& device, size_t bytes, size_t case_bytes);
  // The same, with these bytes in each copy.
  static StatusOr<Rotation> make(device::Device& device, std::span<const std::byte> data, size_t case_bytes);

  size_t bytes() const { return bytes_; }  // of a copy
  int64_t copies() const { return copies_; }
  const device::Buffer& buffer() const { return *buffer_; }
  size_t offset(int64_t turn) const { return size_t(turn % copies_) * stride_; }
  uint64_t address(int64_t turn) const { return buffer_->address() + offset(turn); }
  template <class Word>
  Word at(int64_t turn) const {
    return device::at<Word>(*buffer_, offset(turn));
  }
  // The copy of turn 0, on the host.
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
