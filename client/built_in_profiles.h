// SPDX-License-Identifier: Apache-2.0
// The profiles that come with the program, for common sources of video: the files of
// client/profiles/, which the build embeds. A stored profile of the same name takes precedence
// (profiles.h).
#pragma once

#include <span>
#include <string_view>

namespace weft::client {

struct BuiltInProfile {
  std::string_view name;
  std::string_view text;  // JSON, as of a stored profile
};

// Returns all of them, sorted by name.
std::span<const BuiltInProfile> built_in_profiles();

}  // namespace weft::client
