// SPDX-License-Identifier: Apache-2.0
// Profiles: options of a job that are kept under a name and shared as files. A file holds the JSON of a SubmitJobRequest as
// protobuf writes it, of which "spec" and "settings" count; choices may have their short names ("spare"), as in what
// `weft show --json` prints:
//
//   {"spec": {"video": {"output": "{dir}/{stem}.mkv", "filters": [{"bwdif": {"rate": "OUTPUT_RATE_FRAME"}}]}},
//    "settings": {"job_class": "JOB_CLASS_SPARE"}}
//
// An output in it may have fields (output_template.h). Names are those of files without ".json", in one folder a user.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "weft/v1/job_service.pb.h"

namespace weft::client {

inline constexpr size_t kMaxProfileBytes = 1 << 20;
inline constexpr size_t kMaxProfileName = 100;  // bytes

// With all that is set, under the API's names, a field a line.
std::string profile_text(const v1::SubmitJobRequest& profile);
// INVALID_ARGUMENT: not such JSON, or fields that are not known; `name` is for the message.
StatusOr<v1::SubmitJobRequest> parse_profile(const std::string& text, const std::string& name);

// $XDG_CONFIG_HOME/weft/profiles, or ~/.config/weft/profiles.
std::string profile_folder();
// Sorted; none where there is no folder.
std::vector<std::string> profile_names();

// `profile`: a name, or a file (it has a slash, or ends in ".json"). NOT_FOUND: there is none, and which there are.
StatusOr<v1::SubmitJobRequest> read_profile(const std::string& profile);
// Whole or not at all; replaces one of that name. INVALID_ARGUMENT: a name that no file can have.
Status write_profile(const std::string& profile, const v1::SubmitJobRequest& content);
// ALREADY_EXISTS: there is one called `to`.
Status rename_profile(const std::string& from, const std::string& to);
Status remove_profile(const std::string& profile);

}  // namespace weft::client
