// SPDX-License-Identifier: Apache-2.0
#include "server/device/cpu/kernel.h"

#include <algorithm>

namespace weft::device::cpu {
namespace {

// Parts per thread. The number is large enough that the other threads hardly wait for the last
// part.
constexpr uint64_t kPartsPerThread = 8;
// A smaller part costs more to hand over to another thread than it saves.
constexpr uint64_t kLanesPerPart = 4096;

uint64_t divide_up(uint64_t value, uint64_t by) { return (value + by - 1) / by; }

}  // namespace

kernels::CpuIsa best_isa() {
#if defined(__x86_64__) && !defined(__clang__)  // Clang 16, of the fuzzer, does not know the names
  if (__builtin_cpu_supports("x86-64-v4")) return kernels::CpuIsa::kX86V4;
  if (__builtin_cpu_supports("x86-64-v3")) return kernels::CpuIsa::kX86V3;
#endif
  return kernels::CpuIsa::kBaseline;
}

StatusOr<std::unique_ptr<KernelBackend>> CpuKernel::make(const kernels::KernelImage& image,
                                                         kernels::CpuIsa isa, KernelForm form) {
  const kernels::CpuKernel* best = nullptr;
  for (int i = 0; i <= static_cast<int>(isa); i++)
    if (image.cpu[i] != nullptr) best = image.cpu[i];
  if (best == nullptr)
    return not_found("The kernel '{}' was not built for the CPU up to {}.", image.name,
                     kernels::to_string(isa));
  return std::unique_ptr<KernelBackend>(new CpuKernel(*best, form));
}

void CpuKernel::run(ThreadPool& pool, StreamPriority priority, Grid grid, const void* params,
                    std::atomic<uint64_t>& chunks) const {
  const uint64_t blocks_x = divide_up(grid.x, form_.block.x);
  const uint64_t blocks = blocks_x * divide_up(grid.y, form_.block.y) * grid.z;
  const uint64_t block_lanes = uint64_t{form_.block.x} * form_.block.y;
  uint64_t blocks_per_part =
      std::max(divide_up(blocks, kPartsPerThread * static_cast<uint64_t>(pool.threads())),
               divide_up(kLanesPerPart, block_lanes));
  if (blocks_per_part > blocks_x)
    blocks_per_part = divide_up(blocks_per_part, blocks_x) * blocks_x;  // in whole rows
  pool.run(priority, divide_up(blocks, blocks_per_part), [&](uint64_t part) {
    const uint64_t first = part * blocks_per_part;
    kernel_->run({.params = params,
                  .lanes = {static_cast<int>(grid.x), static_cast<int>(grid.y), static_cast<int>(grid.z)},
                  .sized_bytes = form_.sized_bytes,
                  .first_block = first,
                  .count = std::min(blocks_per_part, blocks - first),
                  .block = form_.block});
    chunks++;
  });
}

}  // namespace weft::device::cpu
