// SPDX-License-Identifier: Apache-2.0
// Refuses a connection with an error for the client. gRPC cannot do this: it accepts a connection,
// or closes it without an error. This code therefore implements the part of HTTP/2 that answers the
// first call with RESOURCE_EXHAUSTED and a sentence.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"

namespace weft::rpc {

// Returns the HTTP/2 frame that ends the client's call at `stream` with the error.
std::string refusal_frame(uint32_t stream, const Status& why);

class Refusal {
 public:
  // `connection` is non-blocking. `until` is the time at which the caller closes it.
  Refusal(channel::FileDescriptor connection, Status why, TimePoint until);

  int descriptor() const { return connection_.get(); }
  TimePoint until() const { return until_; }
  // Processes received bytes, and sends the answer once a call has arrived. Returns false when the
  // connection is over.
  bool go_on();

 private:
  bool read_frames();

  channel::FileDescriptor connection_;
  const Status why_;
  const TimePoint until_;
  std::string received_;
  bool is_greeted_ = false;  // true after the client's HTTP/2 preface
  bool is_sent_ = false;
};

}  // namespace weft::rpc
