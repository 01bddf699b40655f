// SPDX-License-Identifier: Apache-2.0
// What CUDA's libraries offer for the cases of server/benchmarks: CUB, Thrust and cuBLAS, on the same data. Their headers are for nvcc
// alone; this one is not.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace weft::bench {

// A library's way of a case, on one device and of one size. One thread at a time.
class LibraryWay {
 public:
  virtual ~LibraryWay() = default;
  // Enqueues a run on the stream (a CUstream of the device's primary context). `places` and `stride` are those of the case
  // (benchmarks::CasePlaces). Empty, or what went wrong.
  virtual std::string run(void* stream, std::span<const uint64_t> places, int64_t stride) = 0;
};

struct LibraryPeer {
  std::string_view name;       // "cub::DeviceSelect::If"
  std::string_view benchmark;  // "compaction"
  std::string_view lender;     // the variant whose data it works on
  bool waits = false;          // run() waits for the device
  // A way of size n, on CUDA's device of this number; what went wrong comes out of its runs.
  std::unique_ptr<LibraryWay> (*make)(int device, int64_t n) = nullptr;
};
std::span<const LibraryPeer> library_peers();

}  // namespace weft::bench
