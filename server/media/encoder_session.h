// SPDX-License-Identifier: Apache-2.0
// Counts the sessions of GPU encoders (NVENC) that this process has open, and marks the error of a
// refused session with their number.
#pragma once

#include <optional>

#include "base/status.h"

namespace weft::media {

// An open session. Thread-safe.
class EncoderSession {
 public:
  EncoderSession();
  ~EncoderSession();
  EncoderSession(const EncoderSession&) = delete;
  EncoderSession& operator=(const EncoderSession&) = delete;

  // Returns the number of open sessions of this process.
  static int open();
};

// Returns a RESOURCE_EXHAUSTED that is marked with the number of open sessions of this process.
Status refused_session(std::string_view message);
// Returns that number, and removes the mark from `status`. Returns nullopt for all other errors.
std::optional<int> take_refused_session(Status& status);
bool is_refused_session(const Status& status);

}  // namespace weft::media
