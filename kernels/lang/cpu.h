// SPDX-License-Identifier: Apache-2.0
// Defines the C++ section of lang.h beyond plain words: the loops that run a body over the lanes of
// a grid.
//
// The body of a KERNEL is inlined into one loop along x. The compiler vectorises this loop, because
// the iterations are independent by the definition of the language. The body of a BLOCK_KERNEL is a
// coroutine that BARRIER suspends; the lanes of a block are resumed in order, from barrier to
// barrier. Sanitizers and debuggers support such stackless frames without adaptation.
//
// All definitions have internal linkage or are in the namespace of the instruction set (lang.h),
// and call only builtins. So the linker never uses a function compiled for one instruction set in
// code for another.
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
  int x, y, z;  // position in the grid
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
