// SPDX-License-Identifier: Apache-2.0
// What a bloom takes of a device's memory, told before it is made for one: nothing is computed but sizes. As the CPU device has it, which
// keeps whole complex rows; GPUs take less.
#pragma once

#include <cstddef>

#include "server/filters/bloom/bloom.h"
#include "server/filters/engine.h"
#include "server/graph/network.h"

namespace weft::filters::bloom {

struct BloomMemory {
  size_t unit_bytes = 0;      // of scratch, for each unit at once
  size_t least_bytes = 0;     // of scratch, however few
  size_t spectrum_bytes = 0;  // of the kernel's; stays as long as the bloom
  size_t kernel_bytes = 0;    // the kernel's samples, while its spectrum is made
  size_t making_bytes = 0;    // of the host's, while the kernel is made
  int max_units = 65535;      // Bloom::max_units()
  bool has_portions =
      false;  // a unit takes the processors of this machine long enough to be done in portions

  size_t scratch_bytes(int units) const;
  // What is made before the first unit.
  ExpectedPreparation preparation() const;
};

// `options` with defaults filled in that passed check_bloom() with these pictures.
BloomMemory memory_of(const BloomShape& shape, const v1::BloomOptions& options,
                      const BloomPictures& pictures);

}  // namespace weft::filters::bloom
