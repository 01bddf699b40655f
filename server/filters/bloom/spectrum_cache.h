// SPDX-License-Identifier: Apache-2.0
// Spectra of kernels that a device keeps for the next frames and jobs: made once, as long as there is room.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "server/device/device.h"

namespace weft::filters::bloom {

inline constexpr size_t kSpectrumCacheBytes = size_t{1} << 30;

// A kernel as a Convolution takes it, on the device, and what must be known of the kernel besides.
struct KernelSpectrum {
  std::unique_ptr<device::Buffer> buffer;
  int reach_x = 0;  // as in ConvolutionShape
  int reach_y = 0;
  bool has_channel_kernels = false;
  double kernel_sum = 1;
  std::array<double, 3> centre_weight{};  // as in GlareKernel
  std::array<double, 3> scatter_weight{};
};

// One for a device; ends before it does. Any thread.
class SpectrumCache {
 public:
  explicit SpectrumCache(size_t most_bytes = kSpectrumCacheBytes) : most_bytes_(most_bytes) {}

  // Null when it is not there. `key`: everything that decides the spectrum, as bytes.
  std::shared_ptr<const KernelSpectrum> find(const std::string& key);
  // Forgets those that were not asked for the longest until the rest fits; who holds one keeps it. One that is larger than
  // everything is not kept.
  void insert(const std::string& key, std::shared_ptr<const KernelSpectrum> spectrum);

  size_t bytes() const;  // of device memory that is kept here
  size_t entries() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const KernelSpectrum> spectrum;
  };
  void forget(std::list<Entry>::iterator entry);

  const size_t most_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the one that was asked for last in front
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  size_t bytes_ = 0;
};

}  // namespace weft::filters::bloom
