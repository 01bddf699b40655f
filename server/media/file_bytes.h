// SPDX-License-Identifier: Apache-2.0
// The whole of a file in memory, for formats that are read at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/media/file.h"

namespace weft::media {

// `kind` is what messages call the file: "image". INVALID_ARGUMENT: more than `most_bytes`. RESOURCE_EXHAUSTED: no memory. DATA_LOSS: it became
// shorter. Else what the system says.
StatusOr<std::shared_ptr<const std::string>> load_file(const InputFile& file, int64_t most_bytes,
                                                       std::string_view kind);

}  // namespace weft::media
