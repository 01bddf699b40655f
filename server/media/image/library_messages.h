// SPDX-License-Identifier: Apache-2.0
// What a library says of one file: kept for an error's words and for notes, never printed. Not for other folders.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace weft::media {

class LibraryMessages {
 public:
  static constexpr size_t kMost = 8;  // warnings that are kept; a damaged file may give thousands

  // Called from C, so nothing is thrown.
  void warn(std::string_view text) noexcept {
    try {
      std::string clean = printable(text);
      if (warnings_.size() < kMost && std::ranges::find(warnings_, clean) == warnings_.end())
        warnings_.push_back(std::move(clean));
    } catch (...) {
    }
  }
  // The first one counts: what follows comes of it.
  void fail(std::string_view text) noexcept {
    try {
      if (error_.empty()) error_ = printable(text);
    } catch (...) {
    }
  }
  const std::vector<std::string>& warnings() const { return warnings_; }
  // ": the words", or nothing.
  std::string remark() const { return error_.empty() ? "" : ": " + error_; }

 private:
  // A damaged file's names may come along.
  static std::string printable(std::string_view text) {
    std::string clean(text.substr(0, 200));
    std::erase_if(clean, [](unsigned char c) { return c < ' ' || c > '~'; });
    return clean;
  }

  std::vector<std::string> warnings_{};
  std::string error_{};
};

}  // namespace weft::media
