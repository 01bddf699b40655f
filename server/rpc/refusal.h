// SPDX-License-Identifier: Apache-2.0
// Tells a client why it gets no connection. gRPC cannot: it takes a connection, for as long as the client likes, or closes it without
// a word. So this speaks as much HTTP/2 as one answer takes: RESOURCE_EXHAUSTED and a sentence to the first call.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"

namespace weft::rpc {

// What a server sends to a client that asks at `stream`, so that the call ends with that error: its only frame.
std::string refusal_frame(uint32_t stream, const Status& why);

class Refusal {
 public:
  // `connection`: non-blocking. `until`: it is given up then.
  Refusal(channel::FileDescriptor connection, Status why, TimePoint until);

  int descriptor() const { return connection_.get(); }
  TimePoint until() const { return until_; }
  // Takes what has come, and answers when a call has. False: it is over.
  bool go_on();

 private:
  bool read_frames();

  channel::FileDescriptor connection_;
  const Status why_;
  const TimePoint until_;
  std::string received_;
  bool is_greeted_ = false;  // the client's first bytes came
  bool is_told_ = false;
};

}  // namespace weft::rpc
