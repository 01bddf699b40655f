// SPDX-License-Identifier: Apache-2.0
// Computes SHA-256 as the program sha256sum prints it. The worker computes the hashes of a job's
// outputs, and the daemon verifies copies of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace weft::channel {

// One hash. Used once.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // Returns the hash of all added bytes, as 64 hexadecimal digits. Called once, at the end.
  std::string digits();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

// Returns the SHA-256 of the bytes, as 64 hexadecimal digits.
std::string sha256_of(std::string_view bytes);

// Returns the line that sha256sum prints for a file. A name with a backslash or a line break is
// escaped.
std::string sha256_line(std::string_view hash, std::string_view name);

}  // namespace weft::channel
