// SPDX-License-Identifier: Apache-2.0
// Lists the files of models/ that the program was built with.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace weft::filters::networks {

struct BuiltInFile {
  std::string_view name;  // without extension: "edi_fast"
  std::span<const std::byte> bytes;
};
// Returns all files; server/filters/networks/CMakeLists.txt writes the definition.
std::span<const BuiltInFile> built_in_files();

}  // namespace weft::filters::networks
