// SPDX-License-Identifier: Apache-2.0
// Addresses where the daemon listens: "unix:/run/weft/weft.sock", "127.0.0.1:7411", "[::1]:0".
#pragma once

#include <string>

#include <sys/types.h>

#include "base/status.h"

namespace weft::rpc {

// Makes a Unix socket's folder if it is not there (0700, or 0755 where the mode lets others in) and makes sure that nobody listens at the address: gRPC would take
// the path away from a living daemon without a word. ABORTED: another daemon does. INVALID_ARGUMENT: too long a path.
// Addresses of TCP pass.
Status prepare_address(const std::string& address, mode_t socket_mode);

// Sets who may use the socket, once it is there. Addresses of TCP pass.
Status set_socket_mode(const std::string& address, mode_t socket_mode);

}  // namespace weft::rpc
