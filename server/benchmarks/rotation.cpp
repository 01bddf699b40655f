// SPDX-License-Identifier: Apache-2.0
#include "server/benchmarks/rotation.h"

#include <algorithm>
#include <cstring>

namespace weft::benchmarks {
namespace {

constexpr size_t kAlignment = 256;
constexpr int64_t kMostCopies = 4096;
constexpr size_t kStagingBytes = size_t{16} << 20;

size_t aligned(size_t bytes) {
  return std::max((bytes + kAlignment - 1) / kAlignment, size_t{1}) * kAlignment;
}

}  // namespace

Status upload(device::Device& device, std::span<const std::byte> data, const device::Buffer& to) {
  const size_t portion = std::clamp(data.size(), size_t{1}, kStagingBytes);
  ASSIGN_OR_RETURN(const auto staging, device.allocate(device::MemoryKind::kUpload, portion));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream(device::StreamPriority::kLow));
  for (size_t at = 0; at < data.size(); at += portion) {
    const size_t bytes = std::min(portion, data.size() - at);
    std::memcpy(staging->host(), data.data() + at, bytes);
    stream->copy(to, at, *staging, 0, bytes);
    RETURN_IF_ERROR(stream->wait_all());
  }
  return ok_status();
}

Status download(device::Device& device, const device::Buffer& from, std::span<std::byte> data) {
  const size_t portion = std::clamp(data.size(), size_t{1}, kStagingBytes);
  ASSIGN_OR_RETURN(const auto staging, device.allocate(device::MemoryKind::kDownload, portion));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream(device::StreamPriority::kLow));
  for (size_t at = 0; at < data.size(); at += portion) {
    const size_t bytes = std::min(portion, data.size() - at);
    stream->copy(*staging, 0, from, at, bytes);
    RETURN_IF_ERROR(stream->wait_all());
    std::memcpy(data.data() + at, staging->host(), bytes);
  }
  return ok_status();
}

StatusOr<std::unique_ptr<device::Buffer>> uploaded(device::Device& device, std::span<const std::byte> data) {
  ASSIGN_OR_RETURN(auto buffer,
                   device.allocate(device::MemoryKind::kDevice, std::max(data.size(), size_t{1})));
  RETURN_IF_ERROR(upload(device, data, *buffer));
  return buffer;
}

StatusOr<Rotation> Rotation::allocate(device::Device& device, size_t bytes, size_t case_bytes) {
  const size_t wanted = device.info().is_software ? kRotationBytesInSoftware : kRotationBytes;
  Rotation rotation;
  rotation.device_ = &device;
  rotation.bytes_ = bytes;
  rotation.stride_ = aligned(bytes);
  rotation.copies_ =
      std::clamp(int64_t(wanted / std::max(case_bytes, size_t{1})) + 1, int64_t{1}, kMostCopies);
  ASSIGN_OR_RETURN(rotation.buffer_,
                   device.allocate(device::MemoryKind::kDevice, rotation.stride_ * size_t(rotation.copies_)));
  return rotation;
}

StatusOr<Rotation> Rotation::make(device::Device& device, size_t bytes, size_t case_bytes) {
  ASSIGN_OR_RETURN(Rotation rotation, allocate(device, bytes, case_bytes));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream(device::StreamPriority::kLow));
  stream->fill(*rotation.buffer_, 0, bytes, kNoResult);
  RETURN_IF_ERROR(stream->wait_all());
  return rotation;
}

StatusOr<Rotation> Rotation::make(device::Device& device, std::span<const std::byte> data,
                                  size_t case_bytes) {
  ASSIGN_OR_RETURN(Rotation rotation, allocate(device, data.size(), case_bytes));
  const device::Buffer& buffer = *rotation.buffer_;
  RETURN_IF_ERROR(upload(device, data, buffer));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream(device::StreamPriority::kLow));
  // Each copy doubles the filled part.
  const size_t all = rotation.stride_ * size_t(rotation.copies_);
  for (size_t done = rotation.stride_; done < all; done *= 2)
    stream->copy(buffer, done, buffer, 0, std::min(done, all - done));
  RETURN_IF_ERROR(stream->wait_all());
  return rotation;
}

StatusOr<std::vector<std::byte>> Rotation::download() const {
  std::vector<std::byte> data(bytes_);
  RETURN_IF_ERROR(benchmarks::download(*device_, *buffer_, data));
  return data;
}

}  // namespace weft::benchmarks
