// SPDX-License-Identifier: Apache-2.0
// Checks addresses of the daemon, such as "unix:/run/weft/weft.sock", "127.0.0.1:7411" or
// "[::1]:0".
#pragma once

#include <string>

#include <sys/types.h>

#include "base/status.h"

namespace weft::rpc {

// Creates the folder of a Unix socket if missing (mode 0700, or 0755 if `socket_mode` permits other
// users), and checks that no server listens at the address, since listening would take the path
// from a running daemon. Returns OK for TCP addresses. ABORTED: another daemon listens there.
// INVALID_ARGUMENT: the path is too long. FAILED_PRECONDITION: the folder cannot be created, or the
// path is no socket.
Status prepare_address(const std::string& address, mode_t socket_mode);

// Sets the mode of an existing socket. Ignores TCP addresses.
Status set_socket_mode(const std::string& address, mode_t socket_mode);

}  // namespace weft::rpc
