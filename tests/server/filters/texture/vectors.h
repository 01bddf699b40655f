// SPDX-License-Identifier: Apache-2.0
// The files of vectors/, in the program, so that the test needs no folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace weft::filters::texture {

// vectors/vectors_<name>.bin. A name that there is no file of ends the test.
std::span<const std::byte> vectors_file(const std::string& name);

}  // namespace weft::filters::texture
