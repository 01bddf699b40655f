// SPDX-License-Identifier: Apache-2.0
// Where a daemon is: "unix:/run/weft/weft.sock" or "localhost:7411".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::client {

// Checks an address and gives it in the form that is shown and connected to. A Unix path may be relative; it
// becomes absolute. INVALID_ARGUMENT names what is wrong and the two forms there are.
StatusOr<std::string> parse_address(std::string_view text);

// The path of the socket that a checked address names; nothing: it is HOST:PORT.
std::optional<std::string> socket_path_of(std::string_view address);

// Where the daemon is when nobody says: $WEFT_SERVER; else the first socket that is there of
// $XDG_RUNTIME_DIR/weft/weft.sock, /tmp/weft-<uid>/weft.sock (if it is ours) and /run/weft/weft.sock; else the
// first of these. Not checked: parse_address() does that.
std::string default_address();

// The rest of those sockets, for a message: "unix:/a or unix:/b"; empty: $WEFT_SERVER named one.
std::string other_addresses(std::string_view chosen);

}  // namespace weft::client
