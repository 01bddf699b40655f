// SPDX-License-Identifier: Apache-2.0
// Predicts the device memory of a bloom from sizes alone, before the bloom is made. The prediction
// is that of the CPU device, which stores whole complex rows; GPUs use less.
#pragma once

#include <cstddef>

#include "server/filters/bloom/bloom.h"
#include "server/filters/engine.h"
#include "server/graph/network.h"

namespace weft::filters::bloom {

struct BloomMemory {
  size_t unit_bytes = 0;      // scratch memory of each concurrent unit
  size_t least_bytes = 0;     // scratch memory needed for any number of units
  size_t spectrum_bytes = 0;  // spectrum of the kernel, as long as the bloom exists
  size_t kernel_bytes = 0;    // samples of the kernel, while its spectrum is computed
  size_t making_bytes = 0;    // host memory while the kernel is computed
  int max_units = 65535;      // Bloom::max_units()
  // true if a unit has several portions on the processors of this machine (Bloom::portions())
  bool has_portions = false;

  size_t scratch_bytes(int units) const;
  // Returns the memory of the work before the first unit.
  ExpectedPreparation preparation() const;
};

// Returns the prediction. `options` have their defaults filled in and passed check_bloom() with
// these pictures.
BloomMemory memory_of(const BloomShape& shape, const v1::BloomOptions& options,
                      const BloomPictures& pictures);

}  // namespace weft::filters::bloom
