// SPDX-License-Identifier: Apache-2.0
// Defines words for the tensor cores of compute capability 9.0: PTX's wgmma, which reads matrices
// from shared memory. They are available where WEFT_WARPGROUPS is defined: in machine code for
// sm_90a, for kernels with the line "// cuda: 90a". A warpgroup is four warps; all its lanes must
// reach each of these words.
#ifndef KERNELS_LANG_WARPGROUP_H
#define KERNELS_LANG_WARPGROUP_H

#include "kernels/lang/tensor.h"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define WEFT_WARPGROUPS

WEFT_WORDS

// Describes a matrix of halves in shared memory with rows of 128 bytes. The position of a 16-byte
// chunk in its row is xor-ed with the row number modulo 8. Eight rows are a group, aligned to 1024
// bytes; `group_bytes` is the stride of groups. A row of more than 64 halves continues at a
// distance of `row_bytes`.
FN uint64_t matrix_in_rows(uint address, uint row_bytes, uint group_bytes) {
  return uint64_t(address >> 4 & 0x3fff) | uint64_t(row_bytes >> 4) << 16 | uint64_t(group_bytes >> 4) << 32 |
         uint64_t(1) << 62;
}

// Makes this lane's writes to shared memory, including those of copy_16_bytes, visible to
// multiplications that begin after the next barrier.
FN void show_to_multiplications() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
// Call it before multiplications into sums that other instructions have written.
FN void begin_multiplications() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
FN void end_group_of_multiplications() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Waits for all groups except the newest `groups`. The sums must not be accessed before this wait.
template <int groups>
FN void wait_for_multiplications() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

// Multiplies 64 rows of 16 halves by 16 rows of 256 halves (b: row-major in memory). In the 16 rows
// of a warp, a lane has row lane / 4 and the row 8 below, with two adjacent sums of each 8 columns:
// sums[4 * i] is of column 8 * i + lane % 4 * 2.
// clang-format off
#define SUMS_8(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), \
                  "+f"(sums[i + 4]), "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define SUMS_64(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24), SUMS_8(i + 32), SUMS_8(i + 40), SUMS_8(i + 48), SUMS_8(i + 56)
#define SUM_NAMES_64 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
FN void multiply_add_256(float (&sums)[128], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      SUM_NAMES_64 ", "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, 1, 1, 1, 0, 1;"
      : SUMS_64(0), SUMS_64(64)
      : "l"(a), "l"(b));
}
// clang-format on

// Waits for the end of the previous kernel of the stream, in a body that does not begin with
// KERNEL's wait. begin_the_kernel_behind() allows the next kernel to be scheduled.
FN void wait_for_the_kernel_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
FN void begin_the_kernel_behind() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

// Adds to `sums` the products of 64 rows and 128 or 144 columns of 16 halves. `sums` has the layout
// of m64n128k16 and m64n144k16. Rows are fragments in registers: a warp has 16 of them, as for
// mma.m16n8k16. The halves of a column are adjacent; groups of eight columns are 128 bytes apart,
// and groups of eight halves kApart. Chunks of 16 bytes are permuted within 128 bytes (PTX's
// 128-byte swizzle) by the address alone: bits 4 to 6 of a chunk's address are xor bits 7 to 9. So
// `columns`, the address of the first column without the permutation, is a multiple of 128 bytes,
// or 32, 64 or 96 bytes more.
// clang-format off
template <int kApart>
FN void multiply_columns(float (&sums)[64], const uint (&rows)[4], uint columns) {
  asm volatile(
      "{.reg .b64 columns; mov.b64 columns, {%68, %69};"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
      SUM_NAMES_64 "}, "
      "{%64, %65, %66, %67}, columns, 1, 1, 1, 0;}"
      : SUMS_64(0)
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(columns >> 4), "n"(1 << 30 | kApart / 16));
}
template <int kApart>
FN void multiply_columns(float (&sums)[72], const uint (&rows)[4], uint columns) {
  asm volatile(
      "{.reg .b64 columns; mov.b64 columns, {%76, %77};"
      "wgmma.mma_async.sync.aligned.m64n144k16.f32.f16.f16 {"
      SUM_NAMES_64 ", "
      "%64, %65, %66, %67, %68, %69, %70, %71}, "
      "{%72, %73, %74, %75}, columns, 1, 1, 1, 0;}"
      : SUMS_64(0), SUMS_8(64)
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(columns >> 4), "n"(1 << 30 | kApart / 16));
}
// clang-format on

// Does the same for columns stored as chunks of 8x8 halves, 128 bytes each. The eight halves of a
// column are adjacent. The two chunks of a step's 16 halves come first, then those of the next
// eight columns. Each step of 16 is aligned to 16 bytes. `sums` has the layout of m64n128k16,
// m64n64k16, m64n40k16 or m64n8k16.
// clang-format off
#define CHUNKS_DESCRIPTOR "{.reg .b64 columns; mov.b64 columns, {"
FN uint chunk_offset(uint columns) { return columns >> 4 | (128 / 16) << 16; }
FN void multiply_chunks(float (&sums)[64], const uint (&rows)[4], uint columns) {
  asm volatile(
      CHUNKS_DESCRIPTOR "%68, %69};"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
      SUM_NAMES_64 "}, "
      "{%64, %65, %66, %67}, columns, 1, 1, 1, 0;}"
      : SUMS_64(0)
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(chunk_offset(columns)), "n"(256 / 16));
}
FN void multiply_chunks(float (&sums)[32], const uint (&rows)[4], uint columns) {
  asm volatile(
      CHUNKS_DESCRIPTOR "%36, %37};"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, columns, 1, 1, 1, 0;}"
      : SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24)
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(chunk_offset(columns)), "n"(256 / 16));
}
FN void multiply_chunks(float (&sums)[20], const uint (&rows)[4], uint columns) {
  asm volatile(
      CHUNKS_DESCRIPTOR "%24, %25};"
      "wgmma.mma_async.sync.aligned.m64n40k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19}, "
      "{%20, %21, %22, %23}, columns, 1, 1, 1, 0;}"
      : SUMS_8(0), SUMS_8(8), "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19])
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(chunk_offset(columns)), "n"(256 / 16));
}
FN void multiply_chunks(float (&sums)[4], const uint (&rows)[4], uint columns) {
  asm volatile(
      CHUNKS_DESCRIPTOR "%8, %9};"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, columns, 1, 1, 1, 0;}"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(chunk_offset(columns)), "n"(256 / 16));
}
// clang-format on

// Load and store four transposed matrices of 8x8 halves in shared memory, as load_matrices_turned()
// of tensor.h does.
FN void load_turned(uint (&fragments)[4], uint row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragments[0]), "=r"(fragments[1]), "=r"(fragments[2]), "=r"(fragments[3])
               : "r"(row)
               : "memory");
}
FN void store_turned(uint row, const uint (&fragments)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
               "r"(fragments[0]), "r"(fragments[1]), "r"(fragments[2]), "r"(fragments[3])
               : "memory");
}

FN void store_chunk(uint to, const uint (&words)[4]) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(words[0]), "r"(words[1]),
               "r"(words[2]), "r"(words[3])
               : "memory");
}
FN uint4 load_chunk(uint from) {
  uint4 chunk;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(chunk.x), "=r"(chunk.y), "=r"(chunk.z), "=r"(chunk.w)
               : "r"(from)
               : "memory");
  return chunk;
}

// Returns the larger of each pair of halves.
FN uint larger_halves(uint a, uint b) {
  uint larger;
  asm("max.f16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
  return larger;
}

WEFT_WORDS_END

#endif  // __CUDA_ARCH_FEAT_SM90_ALL
#endif  // KERNELS_LANG_WARPGROUP_H
