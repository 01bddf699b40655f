// SPDX-License-Identifier: Apache-2.0
// Makes names of outputs from names of inputs: "{dir}/{stem}.{filter}.mkv".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::client {

using TemplateFields = std::map<std::string, std::string>;

// Returns the fields {dir}, {name}, {stem} and {ext} of an absolute path, and {index}, the number
// of the input from 1. For /a/b.c.ts, dir is "/a", name "b.c.ts", stem "b.c" and ext "ts".
TemplateFields path_fields(const std::string& path, size_t index);

// Returns the fields with one sentence each, for help and manual: {"stem", "The input's name
// without folder and extension."}.
const std::vector<std::pair<std::string, std::string>>& documented_fields();

// Replaces {field} by its value, and {{ and }} by single braces. Returns INVALID_ARGUMENT for an
// unclosed brace or an unknown field.
StatusOr<std::string> expand_template(std::string_view text, const TemplateFields& fields);

// Returns the absolute path of each input's output. `text` is a template, or a folder (an existing
// one, or a text that ends in '/'), which means "<folder>/{stem}.{ext}". `fields[i]` are the values
// for input i. Returns INVALID_ARGUMENT for two inputs with the same output, or for an output equal
// to its input.
StatusOr<std::vector<std::string>> expand_outputs(const std::string& text,
                                                  const std::vector<std::string>& inputs,
                                                  const std::vector<TemplateFields>& fields);

}  // namespace weft::client
