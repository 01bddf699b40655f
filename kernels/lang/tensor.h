// SPDX-License-Identifier: Apache-2.0
// Defines words for the tensor cores of CUDA: PTX's mma and ldmatrix. Code for compute capability
// 7.5 has the same fragments, with two instructions in place of one, and copies without overlap.
#ifndef KERNELS_LANG_TENSOR_H
#define KERNELS_LANG_TENSOR_H

#include "kernels/lang/lang.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define WEFT_TURING
#endif

WEFT_WORDS

// Returns the bytes of a TEAM_KERNEL's array, as the host sized it.
FN uint team_bytes() {
  uint bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}

FN uint two_halves(const uint16_t* address) { return *reinterpret_cast<const uint*>(address); }
FN uint halves_of(float first, float second) {
  uint halves;
#if defined(WEFT_TURING)
  asm("{.reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h};}"
      : "=r"(halves)
      : "f"(first), "f"(second));
#else
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(second), "f"(first));
#endif
  return halves;
}
// Returns halves of the two values, clamped to at least 0.
FN uint rectified_halves(float first, float second) {
#if defined(WEFT_TURING)
  return halves_of(max(first, 0.0f), max(second, 0.0f));
#else
  uint halves;
  asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(second), "f"(first));
  return halves;
#endif
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
#if defined(WEFT_TURING)
  const uint4 words = *static_cast<const uint4*>(from);
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(words.x), "r"(words.y),
               "r"(words.z), "r"(words.w)
               : "memory");
#else
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#endif
}
FN void copy_16_bytes(uint* to, const void* from) {
  copy_16_bytes_to(uint(__cvta_generic_to_shared(to)), from);
}
FN void end_group_of_copies() {
#if !defined(WEFT_TURING)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits for all groups of this lane except the newest `groups`.
template <int groups>
FN void wait_for_copies() {
#if !defined(WEFT_TURING)
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}
// Waits for all copies of this lane, in groups or not.
FN void wait_for_all_copies() {
#if !defined(WEFT_TURING)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#if defined(WEFT_TURING)
// Multiplies the eight columns of a that two of its words hold.
FN void multiply_add_8(float (&sums)[4], uint upper, uint lower, uint b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(upper), "r"(lower), "r"(b));
}
#endif

// Multiplies 16 rows of 16 halves by 8 columns: fragments of PTX's mma.m16n8k16.
FN void multiply_add(float (&sums)[4], const uint (&a)[4], const uint (&b)[2]) {
#if defined(WEFT_TURING)
  multiply_add_8(sums, a[0], a[1], b[0]);
  multiply_add_8(sums, a[2], a[3], b[1]);
#else
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

WEFT_WORDS_END

#endif  // KERNELS_LANG_TENSOR_H
