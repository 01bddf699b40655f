// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/bloom_images.h"

namespace weft::filters::bloom {

StatusOr<std::unique_ptr<BloomImages>> BloomImages::make(device::Device& device, const BloomShape& shape,
                                                         const v1::BloomOptions& options,
                                                         const BloomPictures& pictures, SpectrumCache& cache,
                                                         SpectrumIsMade spectrum) {
  ASSIGN_OR_RETURN(auto bloom, Bloom::make(device, shape, options, pictures, cache, spectrum));
  return std::unique_ptr<BloomImages>(new BloomImages(shape, std::move(bloom)));
}

void BloomImages::enqueue(device::Stream& stream, const ImageBatch& batch, const Portion& portion) {
  const int frame = shape_.width * shape_.height;
  if (has_begin(portion))
    stream.fill(*batch.reports, batch.reports_offset, size_t(batch.frames) * sizeof(BloomReport),
                std::byte{0});
  BloomWork work;
  work.source = {batch.source, batch.source_offset, shape_.source, shape_.width, frame};
  work.target = {batch.target, batch.target_offset, shape_.target, shape_.width, frame};
  work.scratch = batch.scratch;
  work.counts = batch.reports;
  work.counts_offset_bytes = batch.reports_offset;
  work.frames = batch.frames;
  bloom_->enqueue(stream, work, portion);
}

}  // namespace weft::filters::bloom
