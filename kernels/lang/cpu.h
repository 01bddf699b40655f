// SPDX-License-Identifier: Apache-2.0
// The C++ section of lang.h that is more than words: the loops that run a body over the lanes of a grid.
//
// A KERNEL's body is inlined into one loop along x, whose iterations are independent by definition of the
// language: it vectorises. A BLOCK_KERNEL's body is a coroutine that BARRIER suspends: the lanes of a block
// are resumed in turn, from barrier to barrier. Stackless frames are what sanitizers and debuggers follow
// without being told.
//
// Everything here has internal linkage or lives in the instruction set's namespace (see lang.h), and only
// builtins are called, so that no function compiled for one instruction set is ever linked into another's
// code.
#ifndef KERNELS_LANG_CPU_H
#define KERNELS_LANG_CPU_H

#define WEFT_INLINE inline __attribute__((always_inline))
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WEFT_INDEPENDENT _Pragma("GCC ivdep")
#else  // GCC loses the annotation among a sanitizer's checks, and warns
#define WEFT_INDEPENDENT
#endif

namespace weft::kernels {
inline namespace WEFT_CPU_ISA {

struct Lane {
  int x, y, z;  // in the grid
};

#if !defined(WEFT_CPU_KERNEL)  // the host includes kernel files for Params only

using LaneTask = void;

}  // namespace WEFT_CPU_ISA
}  // namespace weft::kernels

#define WEFT_BARRIER() static_cast<void>(0)
#define WEFT_ASSERT(condition) static_cast<void>(condition)
#define WEFT_CPU_ENTRY

#else

}  // namespace WEFT_CPU_ISA
}  // namespace weft::kernels

#include "kernels/lang/cpu_launch.h"

#endif
#endif  // KERNELS_LANG_CPU_H
