// SPDX-License-Identifier: Apache-2.0
// Models of the filters in plain C++, which process a whole clip at once. Their output is the
// expected result of kernels, timelines and pipeline together. The model of a filter is
// models/<name>_reference.h, found by its name.
#pragma once

#include <google/protobuf/message.h>

#include "tests/filter_suite/clip.h"

namespace weft::filters {

bool has_reference(std::string_view filter);
// Returns the output frames of the model with their properties (discontinuities). The filter must
// have a model.
Clip reference(const google::protobuf::Message& options, const Clip& clip);

}  // namespace weft::filters
