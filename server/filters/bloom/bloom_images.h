// SPDX-License-Identifier: Apache-2.0
// Bloom as a filter of images in a ring (server/filters/image_ring.h).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/status.h"
#include "server/filters/bloom/bloom.h"
#include "server/filters/image_ring.h"

namespace weft::filters::bloom {

// What is told of each image: its report.
struct BloomReport {
  uint32_t not_finite = 0;  // pixels with a value that is no number or infinite
  uint32_t negative = 0;    // and with one below 0
};
static_assert(sizeof(BloomReport) == kBloomCountsBytes);

class BloomImages final : public ImageFilter {
 public:
  // As Bloom::make.
  static StatusOr<std::unique_ptr<BloomImages>> make(device::Device& device, const BloomShape& shape,
                                                     const v1::BloomOptions& options,
                                                     const BloomPictures& pictures, SpectrumCache& cache,
                                                     SpectrumIsMade spectrum = SpectrumIsMade::kAtOnce);

  size_t source_bytes() const override { return pixels() * pixel_bytes(shape_.source); }
  size_t target_bytes() const override { return pixels() * pixel_bytes(shape_.target); }
  size_t report_bytes() const override { return sizeof(BloomReport); }
  int max_frames() const override { return bloom_->max_frames(); }
  size_t scratch_bytes(int frames) const override { return bloom_->scratch_bytes(frames); }
  int portions() const override { return bloom_->portions(); }
  Batches* preparation() override { return bloom_->preparation(); }
  void prepared() override { bloom_->prepared(); }
  void enqueue(device::Stream& stream, const ImageBatch& batch, const Portion& portion) override;

 private:
  BloomImages(const BloomShape& shape, std::unique_ptr<Bloom> bloom)
      : shape_(shape), bloom_(std::move(bloom)) {}
  static size_t pixel_bytes(PixelType type) { return type == PixelType::kHalf ? 8 : 16; }
  size_t pixels() const { return size_t(shape_.width) * size_t(shape_.height); }

  const BloomShape shape_;
  const std::unique_ptr<Bloom> bloom_;
};

}  // namespace weft::filters::bloom
