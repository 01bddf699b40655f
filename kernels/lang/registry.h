// SPDX-License-Identifier: Apache-2.0
// Every kernel of the program, built for each target: what the devices load from. A family is a folder of kernels; it is
// embedded, or a module that is opened when a kernel of it is first asked for. The tables are written by cmake/Kernels.cmake.
//
//   const KernelImage* image = find_kernel("video/bwdif.uint8_t");
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::kernels {

// A member of a Params struct, in the order declared.
struct Field {
  uint32_t offset_bytes;
  uint32_t size_bytes;  // 8: a buffer; 4: int, uint or float
};

// Lanes of a block in x and y; z is 1.
struct BlockShape {
  uint32_t x = 0;
  uint32_t y = 0;
  bool operator==(const BlockShape&) const = default;
};

// Part of a launch on the CPU: `count` blocks from `first_block` on, counted along x, then y, then z.
struct CpuRange {
  const void* params;
  int lanes[3];
  size_t sized_bytes;  // of a TEAM_KERNEL's array
  uint64_t first_block;
  uint64_t count;
  BlockShape block{};  // of a tunable kernel; {}: as it declares, like that of any other
};

// A kernel compiled for the CPU.
struct CpuKernel {
  void (*run)(const CpuRange& range);  // any thread; ranges of a launch may run at the same time
  bool
      runs_whole_blocks;  // BLOCK_KERNEL, TEAM_KERNEL: the lanes of the last blocks that lie outside the grid run too
  uint32_t element_bytes;  // of a TEAM_KERNEL's array, 0 for other kernels
  uint32_t block_x;
  uint32_t block_y;
  uint32_t params_bytes;
  std::span<const Field> fields;
};

// Instruction sets that CPU kernels are built for, slowest first.
enum class CpuIsa { kBaseline, kX86V3, kX86V4 };
inline constexpr int kCpuIsas = 3;
constexpr std::string_view to_string(CpuIsa isa) {
  return isa == CpuIsa::kBaseline ? "baseline" : isa == CpuIsa::kX86V3 ? "x86-64-v3" : "x86-64-v4";
}

// A number that a tuned variant was compiled with.
struct TunedValue {
  std::string_view name;  // of the macro
  int value;
};

// One kernel file in one variant. A target that it was not built for has a null or an empty span.
struct KernelImage {
  std::string_view name;  // "video/bwdif.uint8_t"
  const CpuKernel&
      signature;  // its block and Params, the same on each target; `run` is null where no CPU has it
  const CpuKernel* cpu[kCpuIsas];
  std::span<const std::byte> spirv;   // entry point "main"
  std::span<const std::byte> fatbin;  // entry point "weft_entry"
  std::span<const TunedValue> tuned;  // of a variant out of tuning/gpu.json, in the order declared
  bool is_tunable = false;            // blocks of any shape give the same ("// tune: BLOCK")

  int tuned_value(std::string_view macro) const;  // aborts where it has none of that name
};

// Any thread. The tables live as long as the program.
std::span<const KernelImage> embedded_kernels();     // of all families that are no modules, sorted by name
std::span<const std::string_view> kernel_modules();  // the families that are modules
// A family's kernels, sorted by name; empty where it has none, or its module cannot be opened.
std::span<const KernelImage> kernels_of(std::string_view family);
const KernelImage* find_kernel(std::string_view name);  // null when there is none
// The hash of the sources of all kernels, which a module has to be built of as well.
std::string_view kernel_stamp();
// Why a kernel's family cannot be opened, as a sentence; empty where it can, or is none.
std::string why_not_opened(std::string_view name);

// The thread's memory for the array of a TEAM_KERNEL; what it holds is not specified.
void* team_memory(size_t bytes);

// Where ASSERT ends up on the CPU: prints the place and aborts.
[[noreturn]] void assert_failed(const char* file, int line, const char* condition);

}  // namespace weft::kernels
