// SPDX-License-Identifier: Apache-2.0
// Implements the runtime functions of CPU kernels. Each module has its own copy.
#include <cstdio>
#include <cstdlib>

#include "kernels/lang/registry.h"

namespace weft::kernels {

void* team_memory(size_t bytes) {
  constexpr size_t kAlignment = 64;
  struct Memory {
    void* begin = nullptr;
    size_t bytes = 0;
    ~Memory() { std::free(begin); }
  };
  static thread_local Memory memory;
  if (memory.bytes < bytes) {
    std::free(memory.begin);
    memory.bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    memory.begin = std::aligned_alloc(kAlignment, memory.bytes);
    if (memory.begin == nullptr) std::abort();  // the array is smaller than a thread's stack
  }
  return memory.begin;
}

void assert_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: a kernel's assertion does not hold: %s\n", file, line, condition);
  std::abort();
}

}  // namespace weft::kernels
