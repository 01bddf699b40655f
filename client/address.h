// SPDX-License-Identifier: Apache-2.0
// Checks the addresses of daemons ("unix:/run/weft/weft.sock", "localhost:7411") and determines the
// default address.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::client {

// Checks an address and returns its displayed form. A relative path of a Unix
// socket becomes absolute. The message of INVALID_ARGUMENT states the error and the two valid
// forms.
StatusOr<std::string> parse_address(std::string_view text);

// Returns the path of the socket in a checked address, or nothing for an address of the form
// HOST:PORT.
std::optional<std::string> socket_path_of(std::string_view address);

// Returns the address in $WEFT_SERVER if it is set. Otherwise returns the first existing socket of
// $XDG_RUNTIME_DIR/weft/weft.sock, /tmp/weft-<uid>/weft.sock (if the user owns the folder or
// $XDG_RUNTIME_DIR is not set) and /run/weft/weft.sock, or the first of these paths if no socket
// exists. The address is not checked.
std::string default_address();

// Returns the default sockets other than `chosen`, for a message: {"unix:/a", "unix:/b"}. Returns
// an empty list if $WEFT_SERVER is set.
std::vector<std::string> other_addresses(std::string_view chosen);

}  // namespace weft::client
