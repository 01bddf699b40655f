// SPDX-License-Identifier: Apache-2.0
// Converts a Status to and from google.rpc.Status, with its payloads as details.
#pragma once

#include "base/status.h"
#include "google/rpc/status.pb.h"

namespace weft::channel {

// Converts a status to a message. Bytes of its text that are not UTF-8 (file names, texts of
// libraries) become '?', since Protobuf accepts only UTF-8.
google::rpc::Status to_message(const Status& status);
// Converts a message to a status. A code that gRPC does not define becomes UNKNOWN.
Status to_status(const google::rpc::Status& message);

// Returns `text` with '?' in place of each byte that is not part of valid UTF-8.
std::string as_utf8(std::string_view text);

}  // namespace weft::channel
