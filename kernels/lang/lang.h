// SPDX-License-Identifier: Apache-2.0
// Defines the kernel language: the words that GLSL, CUDA C++ and C++ do not share. Each target has
// one section with the same words in the same order; kernels/README.md documents them. Names that
// begin with weft_ or WEFT_ are internal.
#ifndef KERNELS_LANG_LANG_H
#define KERNELS_LANG_LANG_H

// ---- glslc: GLSL 4.60 ----
#if defined(VULKAN)

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

#define KERNEL_FILE(name)
#define KERNEL_FILE_END
#define WEFT_WORDS
#define WEFT_WORDS_END

#define half float16_t

#define BUFFER(Name, T) WEFT_BUFFER(Name, T)
#define WEFT_BUFFER(Name, T) \
  layout(buffer_reference, scalar, buffer_reference_align = WEFT_SIZE_##T) buffer Name { T v[]; };
#define ADVANCE(Name, T, pointer, elements) WEFT_ADVANCE(Name, T, pointer, elements)
#define WEFT_ADVANCE(Name, T, pointer, elements) Name(uint64_t(pointer) + uint64_t(elements) * WEFT_SIZE_##T)
#define VIEW(Name, T, pointer) Name(uint64_t(pointer))
#define WEFT_SIZE_int8_t 1
#define WEFT_SIZE_uint8_t 1
#define WEFT_SIZE_int16_t 2
#define WEFT_SIZE_uint16_t 2
#define WEFT_SIZE_float16_t 2
#define WEFT_SIZE_int 4
#define WEFT_SIZE_uint 4
#define WEFT_SIZE_float 4
#define WEFT_SIZE_int64_t 8
#define WEFT_SIZE_uint64_t 8
#define WEFT_SIZE_vec2 8
#define WEFT_SIZE_ivec2 8
#define WEFT_SIZE_uvec2 8
#define WEFT_SIZE_vec4 16
#define WEFT_SIZE_ivec4 16
#define WEFT_SIZE_uvec4 16

#define FN
#define INOUT(T) inout T
#define TABLE(T, name, n) const T name[n]
#define UNROLL [[unroll]]
#define INDEPENDENT
#define PRECISE precise

#define SHARED(T, name, n) shared T name[n]
#define BARRIER() barrier()

#define GLOBAL_X int(gl_GlobalInvocationID.x)
#define GLOBAL_Y int(gl_GlobalInvocationID.y)
#define GLOBAL_Z int(gl_GlobalInvocationID.z)
#define LOCAL_X int(gl_LocalInvocationID.x)
#define LOCAL_Y int(gl_LocalInvocationID.y)
#define LOCAL_INDEX int(gl_LocalInvocationIndex)
#define GROUP_X int(gl_WorkGroupID.x)
#define GROUP_Y int(gl_WorkGroupID.y)
#define GROUP_Z int(gl_WorkGroupID.z)

#if defined(WEFT_TUNABLE)  // the shape is set when a pipeline is created
#define WEFT_BLOCK(x, y) \
  layout(local_size_x = x, local_size_y = y, local_size_x_id = 1, local_size_y_id = 2) in;
#else
#define WEFT_BLOCK(x, y) layout(local_size_x = x, local_size_y = y) in;
#endif
#define KERNEL(x, y)                                            \
  WEFT_BLOCK(x, y)                                              \
  layout(push_constant, scalar) uniform WeftPush { Params p; }; \
  void main()
#define DENSE_KERNEL(x, y, blocks) KERNEL(x, y)
#define BLOCK_KERNEL(x, y) KERNEL(x, y)
#define TEAM_KERNEL(lanes, blocks, T, name)                  \
  layout(constant_id = 0) const int weft_sized_elements = 1; \
  shared T name[weft_sized_elements];                        \
  KERNEL(lanes, 1)
#define EACH(i, count) for (int i = int(gl_LocalInvocationID.x); i < (count); i += int(gl_WorkGroupSize.x))
#define TEAM_BARRIER() barrier()
#define KEEP(value)
#define KEEP_POINTER(pointer)

#define ASSERT(condition)
#define GUARD(condition) \
  if (!(condition)) return

#define ATOMIC_ADD(pointer, value) atomicAdd(pointer, value)
#define ATOMIC_MIN(pointer, value) atomicMin(pointer, value)
#define ATOMIC_MAX(pointer, value) atomicMax(pointer, value)

#define SUBGROUP_LANES int(gl_SubgroupSize)
#define SUBGROUP_LANE int(gl_SubgroupInvocationID)
// clang-format off
int subgroup_sum(int value) { return subgroupAdd(value); }
uint subgroup_sum(uint value) { return subgroupAdd(value); }
float subgroup_sum(float value) { return subgroupAdd(value); }

// GLSL itself defines fma floor ceil sqrt exp exp2 log log2 pow sin cos min max clamp abs, vectors.
float mad(float a, float b, float c) { return a * b + c; }
float round_even(float value) { return roundEven(value); }
uint float_bits(float value) { return floatBitsToUint(value); }
float bits_float(uint value) { return uintBitsToFloat(value); }
int count_ones(uint value) { return bitCount(value); }
// clang-format on

// ---- nvcc -x cu: CUDA C++20 ----
#elif defined(__CUDACC__)

#include <cstdint>

#include "kernels/lang/cuda_limits.h"

#define KERNEL_FILE(name)   \
  namespace weft::kernels { \
  namespace name {
#define KERNEL_FILE_END \
  }                     \
  }
#define WEFT_WORDS namespace weft::kernels {
#define WEFT_WORDS_END }

WEFT_WORDS
using uint = unsigned int;
// A type for storage only, as in the other targets, defined here to need no CUDA header.
struct half {
  uint16_t bits;
  half() = default;
  __device__ explicit half(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
  __device__ explicit operator float() const {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
};
WEFT_WORDS_END

#define BUFFER(Name, T) \
  struct Name {         \
    T* v;               \
  };
#define ADVANCE(Name, T, pointer, elements) (Name{(pointer).v + (elements)})
#define VIEW(Name, T, pointer) (Name{reinterpret_cast<T*>((pointer).v)})

#define FN [[maybe_unused]] static __device__ __forceinline__
#define INOUT(T) T&
#define TABLE(T, name, n) static __device__ constexpr T name[n]
#define UNROLL _Pragma("unroll")
#define INDEPENDENT
#define PRECISE

#define SHARED(T, name, n) static __shared__ T name[n]
#define BARRIER() __syncthreads()

#define GLOBAL_X int(blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y int(blockIdx.y * blockDim.y + threadIdx.y)
#define GLOBAL_Z int(blockIdx.z)
#define LOCAL_X int(threadIdx.x)
#define LOCAL_Y int(threadIdx.y)
#define LOCAL_INDEX int(threadIdx.y * blockDim.x + threadIdx.x)
#define GROUP_X int(blockIdx.x)
#define GROUP_Y int(blockIdx.y)
#define GROUP_Z int(blockIdx.z)

// Waits for the end of the previous kernel of the stream. The next kernel's blocks may be scheduled
// while the last blocks of one still run (programmatic dependent launch), which hides its latency.
FN void weft_wait_for_the_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#define WEFT_CUDA_KERNEL(x, y, ...)                                                                        \
  static_assert(sizeof(Params) <= 128, "Params have at most 128 bytes");                                   \
  static_assert((x) * (y) % 32 == 0, "A block has a multiple of 32 lanes");                                \
  FN void weft_body(const Params& p);                                                                      \
  extern "C" __global__ void __launch_bounds__(__VA_ARGS__) weft_entry(const __grid_constant__ Params p) { \
    weft_wait_for_the_kernel_before();                                                                     \
    weft_body(p);                                                                                          \
  }                                                                                                        \
  FN void weft_body(const Params& p)
#define KERNEL(x, y) WEFT_CUDA_KERNEL(x, y, (x) * (y))
#define DENSE_KERNEL(x, y, blocks) WEFT_CUDA_KERNEL(x, y, (x) * (y), weft_resident((x) * (y), blocks))
#define BLOCK_KERNEL(x, y) KERNEL(x, y)
#define TEAM_KERNEL(lanes, blocks, T, name) \
  static constexpr int weft_lanes = lanes;  \
  extern __shared__ __align__(16) T name[]; \
  DENSE_KERNEL(lanes, 1, blocks)
#define EACH(i, count) for (int i = int(threadIdx.x); i < (count); i += weft_lanes)
#define TEAM_BARRIER() __syncthreads()
#define KEEP(value) asm volatile("" : "+r"(value))
#define KEEP_POINTER(pointer) asm volatile("" : "+l"((pointer).v))

#define ASSERT(condition)
#define GUARD(condition) \
  if (!(condition)) return

#define ATOMIC_ADD(pointer, value) atomicAdd(&(pointer), value)
#define ATOMIC_MIN(pointer, value) atomicMin(&(pointer), value)
#define ATOMIC_MAX(pointer, value) atomicMax(&(pointer), value)

#define SUBGROUP_LANES 32
#define SUBGROUP_LANE int((threadIdx.y * blockDim.x + threadIdx.x) & 31)
// clang-format off
WEFT_WORDS
FN uint subgroup_sum(uint value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, value);
#else
  for (int step = 16; step > 0; step >>= 1) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
#endif
}
FN int subgroup_sum(int value) { return int(subgroup_sum(uint(value))); }
FN float subgroup_sum(float value) {
  for (int step = 16; step > 0; step >>= 1) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

FN float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
FN float mad(float a, float b, float c) { return ::fmaf(a, b, c); }
FN float floor(float value) { return ::floorf(value); }
FN float ceil(float value) { return ::ceilf(value); }
FN float round_even(float value) { return ::rintf(value); }
FN float sqrt(float value) { return ::sqrtf(value); }
FN float exp(float value) { return ::expf(value); }
FN float exp2(float value) { return ::exp2f(value); }
FN float log(float value) { return ::logf(value); }
FN float log2(float value) { return ::log2f(value); }
FN float pow(float base, float power) { return ::powf(base, power); }
FN float sin(float value) { return ::sinf(value); }
FN float cos(float value) { return ::cosf(value); }
FN uint float_bits(float value) { return __float_as_uint(value); }
FN float bits_float(uint value) { return __uint_as_float(value); }
FN int count_ones(uint value) { return __popc(value); }
WEFT_WORDS_END
// clang-format on

// ---- g++: a kernel for the CPU, or the host's view of its Params ----
#else

// The words are in an inline namespace for each instruction set, so that the linker never uses a
// word built for AVX2 in place of the baseline. The host does not define WEFT_CPU_KERNEL.
#if !defined(WEFT_CPU_ISA)
#define WEFT_CPU_ISA host
#endif
// The definitions of a file are also in a namespace for each variant, because the linker merges
// members of structs of the same name.
#if !defined(WEFT_CPU_VARIANT)
#define WEFT_CPU_VARIANT
#endif
#define WEFT_VARIANT_NAMESPACE(suffix) WEFT_VARIANT_NAMESPACE_EXPANDED(suffix)
#define WEFT_VARIANT_NAMESPACE_EXPANDED(suffix) variant##suffix

#include <cstdint>

#include "kernels/lang/cpu.h"

#define KERNEL_FILE(name)         \
  namespace weft::kernels {       \
  inline namespace WEFT_CPU_ISA { \
  namespace name {                \
  inline namespace WEFT_VARIANT_NAMESPACE(WEFT_CPU_VARIANT) {
#define KERNEL_FILE_END \
  WEFT_CPU_ENTRY        \
  }                     \
  }                     \
  }                     \
  }
#define WEFT_WORDS          \
  namespace weft::kernels { \
  inline namespace WEFT_CPU_ISA {
#define WEFT_WORDS_END \
  }                    \
  }

WEFT_WORDS
using uint = unsigned int;
__extension__ typedef _Float16 half;  // NOLINT(modernize-use-using): __extension__ needs a declaration
WEFT_WORDS_END

#define BUFFER(Name, T) \
  struct Name {         \
    T* v;               \
  };
#define ADVANCE(Name, T, pointer, elements) (Name{(pointer).v + (elements)})
#define VIEW(Name, T, pointer) (Name{reinterpret_cast<T*>((pointer).v)})

#define FN [[maybe_unused]] static WEFT_INLINE
#define INOUT(T) T&
#define TABLE(T, name, n) [[maybe_unused]] static constexpr T name[n]
#define UNROLL _Pragma("GCC unroll 64")
#define INDEPENDENT WEFT_INDEPENDENT
#define PRECISE

#define SHARED(T, name, n) [[maybe_unused]] static thread_local T name[n]
#define BARRIER() WEFT_BARRIER()

#define GLOBAL_X (weft_lane.x)
#define GLOBAL_Y (weft_lane.y)
#define GLOBAL_Z (weft_lane.z)
#define LOCAL_X int(uint(weft_lane.x) % uint(kBlockX))
#define LOCAL_Y int(uint(weft_lane.y) % uint(kBlockY))
#define LOCAL_INDEX (LOCAL_Y * kBlockX + LOCAL_X)
#define GROUP_X int(uint(weft_lane.x) / uint(kBlockX))
#define GROUP_Y int(uint(weft_lane.y) / uint(kBlockY))
#define GROUP_Z (weft_lane.z)

#define KERNEL(x, y) WEFT_KERNEL(x, y, WEFT_INLINE void)
#define DENSE_KERNEL(x, y, blocks) KERNEL(x, y)
#define BLOCK_KERNEL(x, y) WEFT_KERNEL(x, y, LaneTask)
#define TEAM_KERNEL(lanes, blocks, T, name)                                    \
  static_assert((lanes) % 32 == 0, "A block has a multiple of 32 lanes");      \
  [[maybe_unused]] constexpr int kBlockX = lanes;                              \
  [[maybe_unused]] constexpr int kBlockY = 1;                                  \
  [[maybe_unused]] static void weft_body(                                      \
      [[maybe_unused]] const Params& p, [[maybe_unused]] const Lane weft_lane, \
      [[maybe_unused]] int& weft_failed_line, [[maybe_unused]] T* __restrict const name)
#define EACH(i, count) INDEPENDENT for (int i = 0; i < (count); i++)
#define TEAM_BARRIER() static_cast<void>(0)
#define KEEP(value) static_cast<void>(value)
#define KEEP_POINTER(pointer) static_cast<void>(pointer)
#define WEFT_KERNEL(x, y, result)                                                 \
  static_assert((x) * (y) % 32 == 0, "A block has a multiple of 32 lanes");       \
  [[maybe_unused]] constexpr int kBlockX = x;                                     \
  [[maybe_unused]] constexpr int kBlockY = y;                                     \
  [[maybe_unused]] static result weft_body([[maybe_unused]] const Params& p,      \
                                           [[maybe_unused]] const Lane weft_lane, \
                                           [[maybe_unused]] int& weft_failed_line)

#define ASSERT(condition) WEFT_ASSERT(condition)
#define GUARD(condition) WEFT_ASSERT(condition)  // the launcher runs exactly the lanes of the grid

#define ATOMIC_ADD(pointer, value) __atomic_fetch_add(&(pointer), value, __ATOMIC_RELAXED)
#define ATOMIC_MIN(pointer, value) weft_atomic_min(&(pointer), value)
#define ATOMIC_MAX(pointer, value) weft_atomic_max(&(pointer), value)

#define SUBGROUP_LANES 1
#define SUBGROUP_LANE 0
// clang-format off
WEFT_WORDS
FN int subgroup_sum(int value) { return value; }
FN uint subgroup_sum(uint value) { return value; }
FN float subgroup_sum(float value) { return value; }

FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#if defined(__FMA__)
FN float mad(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
FN float mad(float a, float b, float c) { return a * b + c; }
#endif
FN float floor(float value) { return __builtin_floorf(value); }
FN float ceil(float value) { return __builtin_ceilf(value); }
FN float round_even(float value) { return __builtin_rintf(value); }
FN float sqrt(float value) { return __builtin_sqrtf(value); }
FN float exp(float value) { return __builtin_expf(value); }
FN float exp2(float value) { return __builtin_exp2f(value); }
FN float log(float value) { return __builtin_logf(value); }
FN float log2(float value) { return __builtin_log2f(value); }
FN float pow(float base, float power) { return __builtin_powf(base, power); }
FN float sin(float value) { return __builtin_sinf(value); }
FN float cos(float value) { return __builtin_cosf(value); }
FN uint float_bits(float value) { return __builtin_bit_cast(uint, value); }
FN float bits_float(uint value) { return __builtin_bit_cast(float, value); }
FN int count_ones(uint value) { return __builtin_popcount(value); }
// clang-format on

template <class T>
static WEFT_INLINE void weft_atomic_min(T* pointer, T value) {
  T old = __atomic_load_n(pointer, __ATOMIC_RELAXED);
  while (value < old &&
         !__atomic_compare_exchange_n(pointer, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}
template <class T>
static WEFT_INLINE void weft_atomic_max(T* pointer, T value) {
  T old = __atomic_load_n(pointer, __ATOMIC_RELAXED);
  while (old < value &&
         !__atomic_compare_exchange_n(pointer, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}
WEFT_WORDS_END

#endif

#if !defined(VULKAN)
#include "kernels/lang/glsl_words.h"  // GLSL built-ins that C++ lacks, for CUDA and the CPU
#endif
#include "kernels/lang/words.h"  // words written in the language itself

#endif  // KERNELS_LANG_LANG_H
