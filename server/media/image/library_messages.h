// SPDX-License-Identifier: Apache-2.0
// Collects the messages of a library about one file, for errors and notes, instead of printing
// them. Other folders must not include this file.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace weft::media {

class LibraryMessages {
 public:
  // largest number of kept warnings; a damaged file may cause thousands
  static constexpr size_t kMost = 8;

  // Keeps a warning. C code calls this function, so it must not throw.
  void warn(std::string_view text) noexcept {
    try {
      std::string clean = printable(text);
      if (warnings_.size() < kMost && std::ranges::find(warnings_, clean) == warnings_.end())
        warnings_.push_back(std::move(clean));
    } catch (...) {
    }
  }
  // Keeps the first error only: later ones are its consequences.
  void fail(std::string_view text) noexcept {
    try {
      if (error_.empty()) error_ = printable(text);
    } catch (...) {
    }
  }
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Returns ": " and the error, or an empty string.
  std::string remark() const { return error_.empty() ? "" : ": " + error_; }

 private:
  // Removes unprintable characters: messages may contain names from a damaged file.
  static std::string printable(std::string_view text) {
    std::string clean(text.substr(0, 200));
    std::erase_if(clean, [](unsigned char c) { return c < ' ' || c > '~'; });
    return clean;
  }

  std::vector<std::string> warnings_{};
  std::string error_{};
};

}  // namespace weft::media
