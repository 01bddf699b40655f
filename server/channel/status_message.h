// SPDX-License-Identifier: Apache-2.0
// Status on the wire: google.rpc.Status, with its payloads as details.
#pragma once

#include "base/status.h"
#include "google/rpc/status.pb.h"

namespace weft::channel {

// Bytes of the message that are not UTF-8 (file names, texts of libraries) become '?': protobuf takes no others.
google::rpc::Status to_message(const Status& status);
// A code that gRPC does not know becomes UNKNOWN.
Status to_status(const google::rpc::Status& message);

// `text` with every byte that is not part of UTF-8 replaced by '?'.
std::string as_utf8(std::string_view text);

}  // namespace weft::channel
