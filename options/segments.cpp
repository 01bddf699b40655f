// SPDX-License-Identifier: Apache-2.0
#include "options/segments.h"

namespace weft::options {

bool works_in_segments(const v1::JobSpec& spec) { return spec.has_video(); }

}  // namespace weft::options
