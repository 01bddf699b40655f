// SPDX-License-Identifier: Apache-2.0
// Serialises numbers and texts as bytes (little-endian), for the files of this folder.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::media {

class ByteWriter {
 public:
  void integer(int64_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof bytes);
  }
  void text(std::string_view value) {
    integer(int64_t(value.size()));
    bytes_.append(value);
  }
  const std::string& bytes() const { return bytes_; }
  std::span<const uint8_t> span() const {
    return {reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::string bytes_;
};

// Reads the bytes that ByteWriter writes. A read past the end returns zero or an empty text and
// makes ok() false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  int64_t integer() {
    int64_t value = 0;
    if (!take(sizeof value)) return 0;
    std::memcpy(&value, bytes_.data() + at_ - sizeof value, sizeof value);
    return value;
  }
  std::string text() {
    const auto size = uint64_t(integer());
    if (!take(size)) return "";
    return std::string(bytes_.substr(at_ - size, size));
  }
  // Reads the number of items that follow; an item occupies at least `least_bytes`. Returns 0 and
  // makes ok() false if the remaining bytes cannot hold that number of items.
  size_t count(size_t least_bytes) {
    const auto number = uint64_t(integer());
    if (number > (bytes_.size() - at_) / least_bytes) ok_ = false;
    return ok_ ? size_t(number) : 0;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && at_ == bytes_.size(); }

 private:
  bool take(uint64_t size) {
    ok_ = ok_ && size <= bytes_.size() - at_;
    if (ok_) at_ += size;
    return ok_;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace weft::media
