// SPDX-License-Identifier: Apache-2.0
// What kernels for the CPU call; each module has its own.
#include <cstdio>
#include <cstdlib>

#include "kernels/lang/registry.h"

namespace weft::kernels {

void* team_memory(size_t bytes) {
  constexpr size_t kAlignment = 64;
  struct Memory {
    void* place = nullptr;
    size_t bytes = 0;
    ~Memory() { std::free(place); }
  };
  static thread_local Memory memory;
  if (memory.bytes < bytes) {
    std::free(memory.place);
    memory.bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    memory.place = std::aligned_alloc(kAlignment, memory.bytes);
    if (memory.place == nullptr) std::abort();  // less than a thread's stack takes
  }
  return memory.place;
}

void assert_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: a kernel's assertion does not hold: %s\n", file, line, condition);
  std::abort();
}

}  // namespace weft::kernels
