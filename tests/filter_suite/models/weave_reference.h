// SPDX-License-Identifier: Apache-2.0
// Model of weaving, written from its definition. It shares no code with the kernel. Only tests
// include it.
#pragma once

#include "tests/filter_suite/models/reference_fields.h"

namespace weft::filters::plain {

inline int weave_sample(const Task& task, int x, int y) {
  return task.is_second ? task.next(x, y) : task.current(x, y);
}

inline Clip weave(const v1::Weave& options, const Clip& clip) {
  return deinterlaced(options, clip, weave_sample);
}

}  // namespace weft::filters::plain
