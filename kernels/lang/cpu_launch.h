// SPDX-License-Identifier: Apache-2.0
// Defines ASSERT, BARRIER, the loops over lanes and the entry point for the registry. cpu.h
// includes this file in CPU kernels.
#ifndef KERNELS_LANG_CPU_LAUNCH_H
#define KERNELS_LANG_CPU_LAUNCH_H

#include <coroutine>
#include <cstdlib>
#include <cstring>

#include "kernels/lang/params.h"
#include "kernels/lang/registry.h"

namespace weft::kernels {
inline namespace WEFT_CPU_ISA {

// An ASSERT that left the loop would prevent vectorisation. An optimised body therefore records the
// line in a local variable of the loop, as a reduction, and the launcher aborts at the end of the
// row. Builds with checks abort in place. An ASSERT in a helper function finds this thread-local
// variable of the same name instead, and does prevent vectorisation.
[[maybe_unused]] static thread_local int weft_failed_line = 0;
#if defined(WEFT_KERNEL_CHECKS)
#define WEFT_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::weft::kernels::assert_failed(__FILE__, __LINE__, #condition))
#else
#define WEFT_ASSERT(condition) static_cast<void>(weft_failed_line |= (condition) ? 0 : __LINE__)
#endif

// One lane of a block as a coroutine. BARRIER suspends it.
struct LaneTask {
  struct promise_type {
    int barrier_line = 0;

    LaneTask get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    void return_void() const {}
    void unhandled_exception() const { std::abort(); }
    static void* operator new(size_t bytes) { return std::malloc(bytes); }
    static void operator delete(void* frame) { std::free(frame); }
  };
  using Handle = std::coroutine_handle<promise_type>;

  Handle handle;
};

struct Barrier {
  int line;
  bool await_ready() const noexcept { return false; }
  void await_suspend(LaneTask::Handle lane) const noexcept { lane.promise().barrier_line = line; }
  void await_resume() const noexcept {}
};
#define WEFT_BARRIER() \
  co_await ::weft::kernels::Barrier { __LINE__ }

template <class Kernel>
static WEFT_INLINE void check_line(int failed_line) {
  const int line = failed_line != 0 ? failed_line : weft_failed_line;
  if (__builtin_expect(line != 0, 0))
    assert_failed(Kernel::kFile, line, "the condition of this ASSERT or GUARD");
}

template <class Kernel>
static void run_row(const typename Kernel::Params& params, Lane lane, int end_x) {
  const typename Kernel::Params p = params;  // copy, so that no store of the body can change it
  int failed_line = 0;
#pragma GCC ivdep
  for (int x = lane.x; x < end_x; x++) Kernel::body(p, Lane{x, lane.y, lane.z}, failed_line);
  check_line<Kernel>(failed_line);
}

template <class Kernel>
static void run_block(const typename Kernel::Params& p, Lane first) {
  constexpr int kLanes = Kernel::kX * Kernel::kY;
  LaneTask::Handle lanes[kLanes];
  int failed_line = 0;
  for (int i = 0; i < kLanes; i++)
    lanes[i] = Kernel::body(p, Lane{first.x + i % Kernel::kX, first.y + i / Kernel::kX, first.z}, failed_line)
                   .handle;
  while (!lanes[0].done()) {
    const int line = lanes[0].promise().barrier_line;
    for (int i = 1; i < kLanes; i++)
      if (lanes[i].done() || lanes[i].promise().barrier_line != line)
        assert_failed(Kernel::kFile, line, "every lane of the block reaches this BARRIER");
    for (int i = 0; i < kLanes; i++) lanes[i].resume();
  }
  for (int i = 0; i < kLanes; i++) {
    if (!lanes[i].done())
      assert_failed(Kernel::kFile, lanes[i].promise().barrier_line,
                    "every lane of the block reaches this BARRIER");
    lanes[i].destroy();
  }
  check_line<Kernel>(failed_line);
}

// Runs adjacent blocks along x as one row of lanes, for long loops.
template <class Kernel>
static void run_range(const CpuRange& range) {
  typename Kernel::Params p;
  std::memcpy(&p, range.params, sizeof(p));
  const int lanes_x = range.lanes[0], lanes_y = range.lanes[1];
  const bool is_shaped = !Kernel::kWholeBlocks && range.block.x != 0;
  const int size_x = is_shaped ? int(range.block.x) : Kernel::kX;
  const int size_y = is_shaped ? int(range.block.y) : Kernel::kY;
  const uint64_t blocks_x = (uint64_t(lanes_x) + uint64_t(size_x) - 1) / uint64_t(size_x);
  const uint64_t blocks_y = (uint64_t(lanes_y) + uint64_t(size_y) - 1) / uint64_t(size_y);
  for (uint64_t block = range.first_block, end = block + range.count; block < end;) {
    const uint64_t block_x = block % blocks_x;
    const uint64_t run = blocks_x - block_x < end - block ? blocks_x - block_x : end - block;
    const int y = int(block / blocks_x % blocks_y) * size_y;
    const int z = int(block / blocks_x / blocks_y);
    if constexpr (Kernel::kElementBytes != 0) {
      auto* const memory = static_cast<typename Kernel::Element*>(team_memory(range.sized_bytes));
      int failed_line = 0;
      for (uint64_t i = 0; i < run; i++)
        Kernel::body(p, Lane{int(block_x + i) * Kernel::kX, y, z}, failed_line, memory);
      check_line<Kernel>(failed_line);
    } else if constexpr (Kernel::kWholeBlocks) {
      for (uint64_t i = 0; i < run; i++) run_block<Kernel>(p, Lane{int(block_x + i) * Kernel::kX, y, z});
    } else {
      const uint64_t past = (block_x + run) * uint64_t(size_x);
      const int end_x = past < uint64_t(lanes_x) ? int(past) : lanes_x;
      const int end_y = y + size_y < lanes_y ? y + size_y : lanes_y;
      for (int row = y; row < end_y; row++) run_row<Kernel>(p, Lane{int(block_x) * size_x, row, z}, end_x);
    }
    block += run;
  }
}

template <class Params>
using WeftLoopBody = void(const Params&, Lane, int&);

// The shared array of a TEAM_KERNEL, found from the type of its body.
template <class Body>
struct Team {
  using Element = void;
  static constexpr uint32_t kElementBytes = 0;
};
template <class Params, class T>
struct Team<void(const Params&, Lane, int&, T*)> {
  using Element = T;
  static constexpr uint32_t kElementBytes = sizeof(T);
};

template <class Kernel>
constexpr CpuKernel make_cpu_kernel() {
  static_assert(sizeof(typename Kernel::Params) <= 128, "Params have at most 128 bytes");
#if defined(WEFT_SIGNATURE_ONLY)
  constexpr auto run = nullptr;
#else
  constexpr auto run = &run_range<Kernel>;
#endif
  return {run,
          Kernel::kWholeBlocks,
          Kernel::kElementBytes,
          Kernel::kX,
          Kernel::kY,
          sizeof(typename Kernel::Params),
          FieldsOf<Kernel>::fields()};
}

}  // namespace WEFT_CPU_ISA
}  // namespace weft::kernels

// The name for the registry. The build defines the parts for file, variant and instruction set.
#define WEFT_JOIN(file, variant, isa) weft_cpu_##file##variant##_##isa
#define WEFT_JOIN_EXPANDED(file, variant, isa) WEFT_JOIN(file, variant, isa)
#define WEFT_CPU_ENTRY_NAME WEFT_JOIN_EXPANDED(WEFT_CPU_FILE, WEFT_CPU_VARIANT, WEFT_CPU_ISA)

#define WEFT_CPU_ENTRY                                                                           \
  namespace {                                                                                    \
  using WeftParams = Params;                                                                     \
  struct WeftKernel {                                                                            \
    using Params = WeftParams;                                                                   \
    static constexpr const char* kFile = WEFT_CPU_PATH;                                          \
    static constexpr int kX = kBlockX, kY = kBlockY;                                             \
    template <class... Rest>                                                                     \
    static WEFT_INLINE auto body(const Params& p, Lane lane, int& failed_line, Rest... memory) { \
      return weft_body(p, lane, failed_line, memory...);                                         \
    }                                                                                            \
    static constexpr bool kWholeBlocks = !__is_same(decltype(weft_body), WeftLoopBody<Params>);  \
    using Element = typename Team<decltype(weft_body)>::Element;                                 \
    static constexpr uint32_t kElementBytes = Team<decltype(weft_body)>::kElementBytes;          \
  };                                                                                             \
  }                                                                                              \
  extern "C" const CpuKernel WEFT_CPU_ENTRY_NAME;                                                \
  constinit const CpuKernel WEFT_CPU_ENTRY_NAME = make_cpu_kernel<WeftKernel>();

#endif  // KERNELS_LANG_CPU_LAUNCH_H
