// SPDX-License-Identifier: Apache-2.0
// Defines the profiles that come with the program, for common sources of video. A stored profile of
// the same name takes precedence (profiles.h).
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"
#include "weft/v1/profile.pb.h"

namespace weft::client {

struct BuiltInProfile {
  std::string_view name;
  std::string_view description;
  std::string_view filters;  // text of the chain
  std::string_view encoder;  // name of v1::Encoder
  double crf;
};

// Returns all of them, sorted by name.
std::span<const BuiltInProfile> built_in_profiles();
// Returns the options of one. INTERNAL: its chain has an error.
StatusOr<v1::Profile> make_profile(const BuiltInProfile& profile);

}  // namespace weft::client
