// SPDX-License-Identifier: Apache-2.0
// Model of line doubling, written from its definition. It shares no code with the kernel. Only
// tests include it.
#pragma once

#include "tests/filter_suite/models/reference_fields.h"

namespace weft::filters::plain {

inline int bob_sample(const Task& task, int x, int y) { return task.current(x, y > 0 ? y - 1 : 1); }

inline Clip bob(const v1::Bob& options, const Clip& clip) { return deinterlaced(options, clip, bob_sample); }

}  // namespace weft::filters::plain
