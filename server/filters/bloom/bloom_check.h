// SPDX-License-Identifier: Apache-2.0
// Checks the options of a bloom without a device: at submission, and again when the bloom is made.
#pragma once

#include <string>

#include "base/status.h"
#include "server/filters/bloom/bloom_kernel.h"
#include "weft/v1/bloom.pb.h"

namespace weft::filters::bloom {

struct BloomFault {
  // option that caused the fault, such as "centre_x"; empty: the picture to be bloomed
  std::string option{};
  Status why{};  // OK: no fault

  bool ok() const { return why.ok(); }
};

// Returns the first fault. `options` have their defaults filled in. INVALID_ARGUMENT: options out
// of range or in conflict, pictures that are missing or without light, or a frame outside 1 to
// kMaxPictureSide in either direction. FAILED_PRECONDITION: the kernels were not built. A kernel
// without light inside taper and cut is found only by make_bloom_kernel(). Reads every pixel of the
// pictures. Any thread may call this function.
BloomFault check_bloom(const v1::BloomOptions& options, const BloomPictures& pictures, int frame_width,
                       int frame_height);

}  // namespace weft::filters::bloom
