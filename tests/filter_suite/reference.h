// SPDX-License-Identifier: Apache-2.0
// Every filter once more in plain C++, over a whole clip at once: what the kernels, the planner and the graph together
// must give. Written from the filters' definitions, sharing no code with them.
#pragma once

#include <vector>

#include "tests/filter_suite/clip.h"
#include "weft/v1/deinterlace.pb.h"

namespace weft::filters {

std::vector<Picture> reference(const v1::DeinterlaceOptions& options, const Clip& clip);

}  // namespace weft::filters
