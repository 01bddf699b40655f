// SPDX-License-Identifier: Apache-2.0
// Caches the spectra of kernels on a device for later frames and jobs, up to a limit in bytes.
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

// A kernel in the form that a Convolution reads, on the device, with its further properties.
struct KernelSpectrum {
  std::unique_ptr<device::Buffer> buffer;
  int reach_x = 0;  // as in ConvolutionShape
  int reach_y = 0;
  bool has_channel_kernels = false;
  double kernel_sum = 1;
  std::array<double, 3> centre_weight{};  // as in GlareKernel
  std::array<double, 3> scatter_weight{};
};

// Serves one device and is destroyed before it. Thread-safe.
class SpectrumCache {
 public:
  explicit SpectrumCache(size_t most_bytes = kSpectrumCacheBytes) : most_bytes_(most_bytes) {}

  // Returns the spectrum, or null if it is not in the cache. `key`: all inputs of the spectrum as
  // bytes.
  std::shared_ptr<const KernelSpectrum> find(const std::string& key);
  // Stores a spectrum. Removes the least recently requested ones until the rest fits; their holders
  // can still use them. A spectrum larger than the limit is not stored.
  void insert(const std::string& key, std::shared_ptr<const KernelSpectrum> spectrum);

  size_t bytes() const;  // device memory of the stored spectra
  size_t entries() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const KernelSpectrum> spectrum;
  };
  void forget(std::list<Entry>::iterator entry);

  const size_t most_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the most recently requested one first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  size_t bytes_ = 0;
};

}  // namespace weft::filters::bloom
