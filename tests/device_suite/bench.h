// SPDX-License-Identifier: Apache-2.0
// Fixture of the cases of the device suite: a device, and short functions that copy values to and
// from it.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/device/backend.h"

namespace weft::device::suite {

// Returns the value of a StatusOr that must be OK. An error ends the case by an exception, which
// the runner catches.
struct CaseAborted {};
template <class T>
T value_of(StatusOr<T> result) {
  if (result.ok()) return *std::move(result);
  ADD_FAILURE() << result.status();
  throw CaseAborted{};
}

class Bench {
 public:
  Bench(std::unique_ptr<Device> opened, std::function<StatusOr<std::unique_ptr<Device>>()> open,
        std::function<StatusOr<std::unique_ptr<DeviceBackend>>()> open_backend)
      : open_again(std::move(open)),
        open_backend_again(std::move(open_backend)),
        device_(std::move(opened)) {}

  Device& device() { return *device_; }
  std::unique_ptr<Buffer> allocate(MemoryKind kind, size_t bytes) {
    return value_of(device_->allocate(kind, bytes));
  }
  std::unique_ptr<Stream> make_stream(StreamPriority priority = StreamPriority::kNormal,
                                      StreamUse use = StreamUse::kAny) {
    return value_of(device_->make_stream(priority, use));
  }
  const Kernel& load(std::string_view name) { return *value_of(device_->load(name)); }

  // Returns a device buffer that contains these values.
  template <class T>
  std::unique_ptr<Buffer> upload(const std::vector<T>& values) {
    auto staging = allocate(MemoryKind::kUpload, values.size() * sizeof(T));
    auto buffer = allocate(MemoryKind::kDevice, values.size() * sizeof(T));
    std::memcpy(staging->host(), values.data(), values.size() * sizeof(T));
    auto stream = make_stream();
    stream->copy(*buffer, 0, *staging, 0, values.size() * sizeof(T));
    EXPECT_THAT(stream->wait_all(), IsOk());
    return buffer;
  }
  // Returns the content of a device buffer. The read is not ordered after the streams of the case:
  // wait for them first.
  template <class T = uint8_t>
  std::vector<T> download(const Buffer& buffer) {
    auto staging = allocate(MemoryKind::kDownload, buffer.size_bytes());
    auto stream = make_stream();
    stream->copy(*staging, 0, buffer, 0, buffer.size_bytes());
    EXPECT_THAT(stream->wait_all(), IsOk());
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    std::memcpy(values.data(), staging->host(), values.size() * sizeof(T));
    return values;
  }

  std::mt19937 random{20261121};
  int pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); }
  template <class T>
  std::vector<T> random_values(size_t count) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(random());
    return values;
  }

  std::function<StatusOr<std::unique_ptr<Device>>()> open_again;
  std::function<StatusOr<std::unique_ptr<DeviceBackend>>()> open_backend_again;

 private:
  std::unique_ptr<Device> device_;
};

}  // namespace weft::device::suite
