// SPDX-License-Identifier: Apache-2.0
// The inputs of a command: words of the command line, and lists in files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::cli {

// Every word, and for `@FILE` every line of the file ("@-": standard input), empty lines and lines that begin with
// '#' left out; "@@name" is a file whose name begins with '@'. Relative lines are relative to this process's folder,
// as words are. All absolute. NOT_FOUND and others: a list that cannot be read. INVALID_ARGUMENT: an empty list.
StatusOr<std::vector<std::string>> expand_inputs(const std::vector<std::string>& words);

}  // namespace weft::cli
