// SPDX-License-Identifier: Apache-2.0
// What can be said of a bloom before there is a device for it: at submit, and again where it is made.
//
//   const BloomFault fault = check_bloom(options, pictures, 1920, 1080);
//   if (!fault.ok()) complain(fault.option, fault.why);
#pragma once

#include <string>

#include "base/status.h"
#include "server/filters/bloom/bloom_kernel.h"
#include "weft/v1/bloom.pb.h"

namespace weft::filters::bloom {

struct BloomFault {
  std::string option{};  // "centre_x", the one to blame; empty: it is the picture to be bloomed
  Status why{};          // OK: there is nothing wrong

  bool ok() const { return why.ok(); }
};

// `options` with defaults filled in. INVALID_ARGUMENT: options out of range or against each other, pictures that are missing or no
// light, a frame outside of 1 to kMaxPictureSide in either direction. FAILED_PRECONDITION: the kernels were not built. What is left for the making of a kernel to find is one
// whose light all lies where the taper or the cut takes it away. Looks at every pixel of the pictures; any thread.
BloomFault check_bloom(const v1::BloomOptions& options, const BloomPictures& pictures, int frame_width,
                       int frame_height);

}  // namespace weft::filters::bloom
