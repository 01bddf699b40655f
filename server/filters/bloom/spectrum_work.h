// SPDX-License-Identifier: Apache-2.0
// The making of a kernel's spectrum, in portions that are enqueued when the device's schedule says so, as frames are.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "server/filters/batches.h"
#include "server/filters/bloom/bloom_kernel.h"
#include "server/filters/bloom/convolution.h"
#include "server/filters/spans.h"

namespace weft::filters::bloom {

// Its units are the portions. Nothing is pushed to it and nothing popped: when it is empty the spectrum is there.
class SpectrumWork final : public Batches {
 public:
  // Takes the device memory that it needs; `spectrum` is written to. Both it and the convolution outlive the work. INVALID_ARGUMENT: a
  // kernel that does not fit the convolution's shape; RESOURCE_EXHAUSTED: memory is short.
  static StatusOr<std::unique_ptr<SpectrumWork>> make(device::Device& device, const Convolution& convolution,
                                                      const BloomKernel& kernel,
                                                      const device::Buffer& spectrum, int portions);
  ~SpectrumWork() override;  // waits for what is on the device

  bool has_room() const override { return false; }
  void finish() override {}
  int ready() const override;
  int submit(int max_units, const SubmittedBatch& after) override;
  SubmittedBatch last_batch() const override;
  StatusOr<Duration> wait_for(const SubmittedBatch& batch) override;
  bool is_complete() const override { return true; }
  bool is_submitted() const override { return ready() == 0; }
  bool is_empty() const override;
  std::vector<BatchCost> take_costs() override;  // of no frames, once all has ended

 private:
  SpectrumWork(const Convolution& convolution, const device::Buffer& spectrum, int portions)
      : convolution_(convolution), spectrum_(spectrum), portions_(portions) {}

  const Convolution& convolution_;
  const device::Buffer& spectrum_;
  const int portions_;
  size_t image_bytes_ = 0;
  KernelImage image_;
  std::unique_ptr<device::Buffer> staging_, kernel_, scratch_;
  std::unique_ptr<device::Stream> stream_;

  mutable std::mutex mutex_;
  int submitted_ = 0;
  SubmittedBatch last_;
  struct Batch {
    Spans spans;
  };
  std::array<Batch, 1> batch_;  // all of it
  bool ended_ = false, costs_taken_ = false;
};

}  // namespace weft::filters::bloom
