// SPDX-License-Identifier: Apache-2.0
// Loads a whole file into memory, for formats that are decoded from memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/media/file.h"

namespace weft::media {

// Returns the file's bytes. `kind` names the file in messages: "image". INVALID_ARGUMENT if the
// file has more than `most_bytes`; RESOURCE_EXHAUSTED without memory; DATA_LOSS if the file became
// shorter. Other codes come from the system's error.
StatusOr<std::shared_ptr<const std::string>> load_file(const InputFile& file, int64_t most_bytes,
                                                       std::string_view kind);

}  // namespace weft::media
