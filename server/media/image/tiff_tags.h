// SPDX-License-Identifier: Apache-2.0
// What FFmpeg leaves out of a TIFF file: whether its colours are multiplied with alpha (tag 338, ExtraSamples).
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace weft::media {

// Of the file's first picture. False, too, where it does not say.
bool is_alpha_associated(std::string_view tiff);

// The same file, which says so. INTERNAL: it says nothing of its alpha.
StatusOr<std::string> associate_alpha(std::string tiff);

}  // namespace weft::media
