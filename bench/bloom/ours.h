// SPDX-License-Identifier: Apache-2.0
// Runs Weft's convolution on a device as a method of bloom_bench: sets of sources and targets,
// spectrum, scratch memory.
#pragma once

#include "bench/bloom/way.h"
#include "server/filters/bloom/convolution.h"

namespace weft::bench {

// Returns Weft's convolution for the problem. It chooses the lengths, unless the image is repeated.
StatusOr<std::unique_ptr<filters::bloom::Convolution>> make_convolution(
    device::Device& device, const Problem& problem,
    filters::bloom::Intermediates intermediates = filters::bloom::Intermediates::kFp32);

class Ours final : public Way {
 public:
  static StatusOr<std::unique_ptr<Ours>> make(
      device::Device& device, const Problem& problem,
      filters::bloom::Intermediates intermediates = filters::bloom::Intermediates::kFp32);

  std::string convolve(std::vector<uint16_t>& pixels) override;
  std::string measure(int iterations, double& us) override;
  // Measures only one of the three passes; -1 measures all.
  StatusOr<double> measure_pass(int iterations, int pass);

  const filters::bloom::Convolution& convolution() const { return *convolution_; }

 private:
  Ours(device::Device& device, const Problem& problem) : device_(device), problem_(problem) {}
  Status make_frames();
  Status make_spectrum();
  filters::bloom::ConvolutionWork work(size_t i) const;

  device::Device& device_;
  const Problem problem_;
  std::unique_ptr<filters::bloom::Convolution> convolution_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Buffer> scratch_, blocker_, spectrum_, staging_;
  int fills_ = 1;  // fills of the blocker, which take longer than enqueueing the work
  std::vector<std::unique_ptr<device::Buffer>> sources_, targets_;
};

}  // namespace weft::bench
