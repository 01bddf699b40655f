// SPDX-License-Identifier: Apache-2.0
// A file or pipe that is read by lines and by blocks, and whose reader can be woken; and writing whole.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace weft::cli {

// Reading: one thread at a time. wake(): any thread.
class DescriptorReader {
 public:
  explicit DescriptorReader(int descriptor);  // stays the caller's
  ~DescriptorReader();
  DescriptorReader(const DescriptorReader&) = delete;
  DescriptorReader& operator=(const DescriptorReader&) = delete;

  // Up to the newline, which is left out. OUT_OF_RANGE: the end was there before anything; INVALID_ARGUMENT: no newline
  // within `longest` bytes; DATA_LOSS: the end came first; CANCELLED: woken.
  StatusOr<std::string> read_line(size_t longest);
  // Fills all of it. DATA_LOSS: the end came first; CANCELLED: woken.
  Status read(std::span<std::byte> into);
  // Whether nothing follows. CANCELLED: woken.
  StatusOr<bool> at_end();
  // Ends every reading, now and later.
  void wake();

 private:
  StatusOr<size_t> read_some(std::byte* into, size_t bytes);  // 0: the end

  const int descriptor_;
  int wake_ = -1;
  std::string rest_;  // read and not given yet, from rest_begin_ on
  size_t rest_begin_ = 0;
};

// OUT_OF_RANGE: nobody reads the pipe any more.
Status write_whole(int descriptor, std::string_view head, std::span<const std::byte> body);

}  // namespace weft::cli
