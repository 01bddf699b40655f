// SPDX-License-Identifier: Apache-2.0
// Sets properties of the daemon's process: parent, limits, log messages of libraries and exit
// codes.
#pragma once

#include "base/status.h"

namespace weft {

// Requests SIGTERM for this process when its parent ends. Returns false if the parent has already
// ended.
bool tie_to_parent();

// Raises the limit of open files to the maximum and returns the new limit. Child processes inherit
// the limit.
int raise_descriptor_limit();

// Redirects Protobuf's messages from standard error to the log.
void log_words_of_protobuf();

// Returns the exit code (sysexits.h) of an error.
int exit_code(const Status& status);

}  // namespace weft
