// SPDX-License-Identifier: Apache-2.0
// Reads a file or pipe by lines and by blocks, with reads that another thread can end, and writes
// completely.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace weft::cli {

// Reads from a descriptor. Only one thread at a time may read; wake() is thread-safe.
class DescriptorReader {
 public:
  explicit DescriptorReader(int descriptor);  // does not take ownership
  ~DescriptorReader();
  DescriptorReader(const DescriptorReader&) = delete;
  DescriptorReader& operator=(const DescriptorReader&) = delete;

  // Returns the next line without its newline. OUT_OF_RANGE: the input ended before the line.
  // INVALID_ARGUMENT: there is no newline within `longest` bytes. DATA_LOSS: the input ended within
  // the line. CANCELLED: wake() was called.
  StatusOr<std::string> read_line(size_t longest);
  // Fills `into` completely. DATA_LOSS: the input ended before. CANCELLED: wake() was called.
  Status read(std::span<std::byte> into);
  // Returns true at the end of the input. May block. CANCELLED: wake() was called.
  StatusOr<bool> at_end();
  // Ends the current read and all later reads.
  void wake();

 private:
  StatusOr<size_t> read_some(std::byte* into, size_t bytes);  // returns 0 at the end

  const int descriptor_;
  int wake_ = -1;
  std::string rest_;  // bytes read ahead; from rest_begin_ on they are not consumed yet
  size_t rest_begin_ = 0;
};

// Writes head and body completely. DATA_LOSS: the reader has closed the pipe, or the write failed.
Status write_whole(int descriptor, std::string_view head, std::span<const std::byte> body);

}  // namespace weft::cli
