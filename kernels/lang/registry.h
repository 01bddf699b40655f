// SPDX-License-Identifier: Apache-2.0
// Finds the kernels of the program, built for the CPU and for Vulkan. CUDA code is in files
// (server/device/cuda/code.h). A family is a folder of kernels. It is
// either embedded in the program, or a module that is opened at the first request for one of its
// kernels. cmake/Kernels.cmake generates the tables.
//
//   const KernelImage* image = find_kernel("video/bwdif.uint8_t");
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace weft::kernels {

// A member of a Params struct. Fields are in the order of declaration.
struct Field {
  uint32_t offset_bytes;
  uint32_t size_bytes;  // 8 for a buffer; 4 for int, uint or float
};

// The lanes of a block in x and y. The size in z is 1.
struct BlockShape {
  uint32_t x = 0;
  uint32_t y = 0;
  bool operator==(const BlockShape&) const = default;
};

// Part of a launch on the CPU: `count` blocks from `first_block`, numbered along x, then y, then z.
struct CpuRange {
  const void* params;
  int lanes[3];
  size_t sized_bytes;  // size of a TEAM_KERNEL's array in bytes
  uint64_t first_block;
  uint64_t count;
  // shape for a tunable kernel; {} for the declared shape, which other kernels require
  BlockShape block{};
};

// A kernel compiled for the CPU.
struct CpuKernel {
  void (*run)(const CpuRange& range);  // thread-safe; ranges of a launch may run concurrently
  bool
      // True for BLOCK_KERNEL and TEAM_KERNEL: all lanes of the last blocks run, also those outside
      // the grid.
      runs_whole_blocks;
  uint32_t element_bytes;  // bytes of an element of a TEAM_KERNEL's array; 0 for other kernels
  uint32_t block_x;
  uint32_t block_y;
  uint32_t params_bytes;
  std::span<const Field> fields;
};

// Instruction sets of CPU kernels, the slowest first.
enum class CpuIsa { kBaseline, kX86V3, kX86V4 };
inline constexpr int kCpuIsas = 3;
constexpr std::string_view to_string(CpuIsa isa) {
  return isa == CpuIsa::kBaseline ? "baseline" : isa == CpuIsa::kX86V3 ? "x86-64-v3" : "x86-64-v4";
}

// A number that a tuned variant was compiled with, as the value of a macro.
struct TunedValue {
  std::string_view name;  // name of the macro
  int value;
};

// One kernel file in one variant. A target without a build has a null pointer or an empty span.
struct KernelImage {
  std::string_view name;  // "video/bwdif.uint8_t"
  const CpuKernel&
      // The block and the Params, which are the same on each target. `run` is null if the kernel
      // has no build for a CPU.
      signature;
  const CpuKernel* cpu[kCpuIsas];
  std::span<const std::byte> spirv;  // SPIR-V code with the entry point "main"
  // Values of the variant from tuning/gpu.json, in the order of declaration.
  std::span<const TunedValue> tuned;
  // true if the result does not depend on the block shape ("// tune: BLOCK")
  bool is_tunable = false;

  int tuned_value(std::string_view macro) const;  // aborts if the variant has no such macro
};

// Returns the kernels of all embedded families, sorted by name. This function and those below are
// thread-safe. The tables live as long as the program.
std::span<const KernelImage> embedded_kernels();
std::span<const std::string_view> kernel_modules();  // names of the families that are modules
// Returns a family's kernels, sorted by name. Returns an empty span if the family has no kernels or
// its module cannot be opened.
std::span<const KernelImage> kernels_of(std::string_view family);
const KernelImage* find_kernel(std::string_view name);  // null if no kernel has this name
// Returns the folder of modules and CUDA code, relative to the program's: build/release/lib/weft
// for build/release/bin, /usr/lib/weft for /usr/bin.
std::filesystem::path modules_folder();
// Returns the hash of the sources of all kernels. A module must have been built from the same
// sources.
std::string_view kernel_stamp();
// Returns a sentence with the reason why a kernel's family cannot be opened, or an empty string if
// it can be opened or does not exist.
std::string why_not_opened(std::string_view name);

// Returns the calling thread's memory for the array of a TEAM_KERNEL, with unspecified contents.
void* team_memory(size_t bytes);

// Prints the location and aborts. ASSERT calls it on the CPU.
[[noreturn]] void assert_failed(const char* file, int line, const char* condition);

}  // namespace weft::kernels
