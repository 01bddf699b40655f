// SPDX-License-Identifier: Apache-2.0
// Expands the inputs of a command: words of the command line, and lists of files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::cli {

// Returns the absolute paths of the inputs. A word `@FILE` stands for the lines of the file (`@-`:
// standard input), except empty lines and lines that begin with '#'. "@@name" is a file with a name
// that begins with '@'. Relative lines, as words, are relative to the working folder of this
// process. INVALID_ARGUMENT: a list is empty. NOT_FOUND and DATA_LOSS: a list cannot be read.
StatusOr<std::vector<std::string>> expand_inputs(const std::vector<std::string>& words);

}  // namespace weft::cli
