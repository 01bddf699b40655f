// SPDX-License-Identifier: Apache-2.0
// Stores the options of a job as a profile: under a name in one folder per user, or in a file
// anywhere. The file is JSON (client/json.h):
//
//   {"spec": {"video": {"output": "{dir}/{stem}.mkv", "filters": [{"bwdif": {"rate": "frame"}}]}},
//    "settings": {"job_class": "spare"}}
//
// The output of `weft show --json` is a profile too. An output may contain fields
// (output_template.h). The name of a profile is the name of its file without ".json".
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "weft/v1/profile.pb.h"

namespace weft::client {

inline constexpr size_t kMaxProfileBytes = 1 << 20;
inline constexpr size_t kMaxProfileName = 100;  // bytes

// Returns the options of a job that also apply to other jobs. Files, the part of the input, the
// owner and default values are omitted.
v1::Profile profile_of(const v1::Job& job);

// Returns the text of the profile's file, which does not contain the profile's name.
std::string profile_text(v1::Profile profile);
// Parses a profile or a job from JSON. Returns INVALID_ARGUMENT for invalid JSON or an unknown
// field; the message contains `name`.
StatusOr<v1::Profile> parse_profile(const std::string& text, const std::string& name);

// Returns $XDG_CONFIG_HOME/weft/profiles, or ~/.config/weft/profiles.
std::string profile_folder();
// Returns the names of the stored profiles, sorted, or an empty list if their folder does not
// exist.
std::vector<std::string> profile_names();

// Reads a profile. `profile` is its name, or its file if it contains a slash or ends in ".json". A
// name that is not stored may be that of a built-in profile (built_in_profiles.h). The message of
// NOT_FOUND names the existing profiles.
StatusOr<v1::Profile> read_profile(const std::string& profile);
// Writes or replaces a profile atomically. Returns INVALID_ARGUMENT for a name that no file can
// have.
Status write_profile(const std::string& profile, const v1::Profile& content);
// Rename and remove a profile. ALREADY_EXISTS: another profile has the name `to`.
// FAILED_PRECONDITION: the profile is a built-in one.
Status rename_profile(const std::string& from, const std::string& to);
Status remove_profile(const std::string& profile);

}  // namespace weft::client
