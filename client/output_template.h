// SPDX-License-Identifier: Apache-2.0
// Output names made from input names: "{dir}/{stem}.{filter}.mkv".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::client {

using TemplateFields = std::map<std::string, std::string>;

// {dir} {name} {stem} {ext} of an absolute path, and {index}, the number of the input from 1.
// /a/b.c.ts: dir "/a", name "b.c.ts", stem "b.c", ext "ts".
TemplateFields path_fields(const std::string& path, size_t index);

// One sentence a field, for help and manual: {"stem", "The input's name without folder and extension."}.
const std::vector<std::pair<std::string, std::string>>& documented_fields();

// Replaces {field} by its value, {{ and }} by braces. INVALID_ARGUMENT: a brace that is left open, or a field that
// there is not.
StatusOr<std::string> expand_template(std::string_view text, const TemplateFields& fields);

// The output of each input, all absolute. A `text` that is a folder (it exists, or ends in '/') means
// "<folder>/{stem}.{ext}". `fields[i]`: what stands in braces for input i. INVALID_ARGUMENT: two inputs with the
// same output, or an output that is its input.
StatusOr<std::vector<std::string>> expand_outputs(const std::string& text,
                                                  const std::vector<std::string>& inputs,
                                                  const std::vector<TemplateFields>& fields);

}  // namespace weft::client
