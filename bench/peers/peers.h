// SPDX-License-Identifier: Apache-2.0
// Declares CUDA libraries as peers of the cases of server/benchmarks: CUB, Thrust and cuBLAS, on
// the same data. Only nvcc compiles the headers of these libraries; any compiler can include this
// file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace weft::bench {

// A library's method for a case, on one device and of one size. One thread at a time may use it.
class LibraryWay {
 public:
  virtual ~LibraryWay() = default;
  // Enqueues a run on `stream` (a CUstream of the device's primary context). `addresses` and
  // `stride` are those of the case (benchmarks::CaseAddresses). Returns an empty text, or the
  // error.
  virtual std::string run(void* stream, std::span<const uint64_t> addresses, int64_t stride) = 0;
};

struct LibraryPeer {
  std::string_view name;       // name such as "cub::DeviceSelect::If"
  std::string_view benchmark;  // name of the benchmark, such as "compaction"
  std::string_view lender;     // variant that provides the data
  bool waits = false;          // true if run() waits for the device
  // Creates a method for size `n` on the CUDA device with this number. Its runs report errors.
  std::unique_ptr<LibraryWay> (*make)(int device, int64_t n) = nullptr;
};
std::span<const LibraryPeer> library_peers();

}  // namespace weft::bench
