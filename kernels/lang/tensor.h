// SPDX-License-Identifier: Apache-2.0
// Defines words for tensor cores, for CUDA with compute capability 8.0 and higher: PTX's
// mma.m16n8k16 and ldmatrix.
#ifndef KERNELS_LANG_TENSOR_H
#define KERNELS_LANG_TENSOR_H

#include "kernels/lang/lang.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "mma.m16n8k16 needs compute capability 8.0"
#endif

WEFT_WORDS

FN uint two_halves(const uint16_t* address) { return *reinterpret_cast<const uint*>(address); }
FN uint halves_of(float first, float second) {
  uint halves;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(second), "f"(first));
  return halves;
}

// Stores 16 bytes. The address must be a multiple of 16.
FN void store_words(uint* address, const uint (&words)[4]) {
  *reinterpret_cast<uint4*>(address) = uint4{words[0], words[1], words[2], words[3]};
}

// Loads four matrices of 8x8 halves from shared memory. Lanes 0 to 7 give the addresses of the rows
// of the first matrix, lanes 8 to 15 those of the second, and so on.
FN void load_matrices(uint (&fragments)[4], const uint* row) {
  const uint address = uint(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragments[0]), "=r"(fragments[1]), "=r"(fragments[2]), "=r"(fragments[3])
               : "r"(address)
               : "memory");
}

// Loads four matrices and transposes them.
FN void load_matrices_turned(uint (&fragments)[4], const uint* row) {
  const uint address = uint(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragments[0]), "=r"(fragments[1]), "=r"(fragments[2]), "=r"(fragments[3])
               : "r"(address)
               : "memory");
}

// Copies 16 bytes to shared memory asynchronously. The bytes are visible to this lane after the
// wait for their group, to other lanes after a barrier. Both addresses must be multiples of 16.
FN void copy_16_bytes_to(uint address, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}
FN void copy_16_bytes(uint* to, const void* from) {
  copy_16_bytes_to(uint(__cvta_generic_to_shared(to)), from);
}
FN void end_group_of_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits for all groups of this lane except the newest `groups`.
template <int groups>
FN void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

FN void multiply_add(float (&sums)[4], const uint (&a)[4], const uint (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

WEFT_WORDS_END

#endif  // KERNELS_LANG_TENSOR_H
