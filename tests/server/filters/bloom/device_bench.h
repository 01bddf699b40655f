// SPDX-License-Identifier: Apache-2.0
// Code shared by tests of images on every device: images, differences between results and
// references, and a stream of the device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "server/device/device.h"

namespace weft::filters::bloom {

using device::Buffer;
using device::Device;
using device::MemoryKind;

// An image with four channels per pixel.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<float> values;

  Image(int w, int h) : width(w), height(h), values(size_t(4) * size_t(w) * size_t(h), 0.0f) {}
  float& at(int x, int y, int c) { return values[(size_t(y) * size_t(width) + size_t(x)) * 4 + size_t(c)]; }
  float at(int x, int y, int c) const {
    return values[(size_t(y) * size_t(width) + size_t(x)) * 4 + size_t(c)];
  }
  void set(int x, int y, float value) {
    for (int c = 0; c < 3; c++) at(x, y, c) = value;
  }
};

inline Image random_image(int width, int height, uint32_t seed, float most = 1.0f) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(0.0f, most);
  Image image(width, height);
  for (float& v : image.values) v = value(random);
  return image;
}

inline double largest_difference(const std::vector<float>& values, const std::vector<double>& reference) {
  double worst = 0;
  for (size_t i = 0; i < reference.size(); i++) {
    const double difference = std::abs(double(values[i]) - reference[i]);
    worst = difference <= worst ? worst : difference;  // keeps a NaN
  }
  return worst;
}
inline double relative_error(const std::vector<float>& values, const std::vector<double>& reference) {
  double most = 0;
  for (const double value : reference) most = std::max(most, std::abs(value));
  return largest_difference(values, reference) / most;
}
inline std::vector<double> doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

class DeviceBench : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::unique_ptr<Device>& device = devices_[GetParam()];
    if (device == nullptr) {
      auto opened = device::open_device(GetParam());
      ASSERT_THAT(opened, IsOk());
      device = *std::move(opened);
    }
    device_ = device.get();
    stream_ = device_->make_stream().value();
  }
  static void TearDownTestSuite() { devices_.clear(); }

  std::unique_ptr<Buffer> upload(const void* data, size_t bytes) {
    auto staging = device_->allocate(MemoryKind::kUpload, bytes).value();
    std::memcpy(staging->host(), data, bytes);
    auto buffer = device_->allocate(MemoryKind::kDevice, bytes).value();
    stream_->copy(*buffer, 0, *staging, 0, bytes);
    EXPECT_THAT(stream_->wait_all(), IsOk());
    return buffer;
  }
  std::vector<std::byte> download(const Buffer& buffer) {
    auto staging = device_->allocate(MemoryKind::kDownload, buffer.size_bytes()).value();
    stream_->copy(*staging, 0, buffer, 0, buffer.size_bytes());
    EXPECT_THAT(stream_->wait_all(), IsOk());
    return {staging->host(), staging->host() + buffer.size_bytes()};
  }

  // Kept between tests, since the compilation of kernels through Vulkan takes seconds.
  inline static std::map<std::string, std::unique_ptr<Device>> devices_;
  Device* device_ = nullptr;
  std::unique_ptr<device::Stream> stream_;
};

inline std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr))
    if (info.kind != device::BackendKind::kNull) ids.push_back(info.id);
  return ids;
}

inline std::vector<std::string> gpu_ids() {  // including Vulkan devices in software
  std::vector<std::string> ids;
  for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr))
    if (info.kind != device::BackendKind::kNull && info.kind != device::BackendKind::kCpu)
      ids.push_back(info.id);
  return ids;
}

inline std::vector<std::string> fast_device_ids() {  // without Vulkan devices in software
  std::vector<std::string> ids;
  for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr))
    if (info.kind != device::BackendKind::kNull &&
        (info.kind != device::BackendKind::kVulkan || !info.is_software))
      ids.push_back(info.id);
  return ids;
}

#define WEFT_ON_DEVICES(Suite, ids)                                                         \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Suite);                                     \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, testing::ValuesIn(ids), [](const auto& tested) { \
    std::string name = tested.param;                                                        \
    std::ranges::replace(name, ':', '_');                                                   \
    return name;                                                                            \
  })
#define WEFT_ON_EVERY_DEVICE(Suite) WEFT_ON_DEVICES(Suite, device_ids())

}  // namespace weft::filters::bloom
