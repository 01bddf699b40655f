// SPDX-License-Identifier: Apache-2.0
// Ours on a device, as a way to solve a problem of bloom_bench: sets of sources and targets, spectrum, scratch.
#pragma once

#include "bench/bloom/way.h"
#include "server/filters/bloom/convolution.h"

namespace weft::bench {

// Ours for the problem. It chooses the lengths, where the image does not repeat itself.
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
  // One pass of the three alone; -1: all.
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
  int fills_ = 1;  // of the blocker, that take longer than enqueueing does
  std::vector<std::unique_ptr<device::Buffer>> sources_, targets_;
};

}  // namespace weft::bench
