// SPDX-License-Identifier: Apache-2.0
// Filters once more in plain C++, over a whole clip at once: what the kernels, the timelines and the pipeline together must give. Each
// model stands beside its filter (server/filters/<area>/<name>_reference.h) and is found by its name.
#pragma once

#include <google/protobuf/message.h>

#include "tests/filter_suite/clip.h"

namespace weft::filters {

bool has_reference(std::string_view filter);
// Frames that come out, and what is said of each: discontinuities. The filter must have one.
Clip reference(const google::protobuf::Message& options, const Clip& clip);

}  // namespace weft::filters
