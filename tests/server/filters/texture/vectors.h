// SPDX-License-Identifier: Apache-2.0
// The files of vectors/, linked into the program, so that the test does not read the folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace weft::filters::texture {

// Returns the content of vectors/vectors_<name>.bin. A name without a file ends the test.
std::span<const std::byte> vectors_file(const std::string& name);

}  // namespace weft::filters::texture
