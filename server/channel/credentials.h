// SPDX-License-Identifier: Apache-2.0
// Whose rights count where a file is opened that a client named: the client's, whatever the daemon itself may.
#pragma once

#include <string>

#include <sys/stat.h>
#include <sys/types.h>

#include "weft/internal/v1/credentials.pb.h"

namespace weft::channel {

using internal::v1::Credentials;

// Whether they are of this process's own user, or of root, who may do everything anyway: then the kernel's checks suffice.
bool is_own(const Credentials& credentials);

inline constexpr mode_t kMayRead = 4;
inline constexpr mode_t kMayWrite = 2;
inline constexpr mode_t kMaySearch = 1;
// Whether the mode of a file or folder allows all of `rights` to that user. An access control list is not looked at.
bool mode_allows(const Credentials& credentials, const struct stat& facts, mode_t rights);

// Whether the open file or folder (O_PATH too) has an access control list, so that its mode is not all there is. True where the
// kernel does not say.
bool has_access_list(int file);

// A frame in a folder that was opened with that user's rights: by its mode, links and access control lists refused. Behind a
// subject, "may not be read by ..."; empty: he may. First by its name, then of the one that was opened.
std::string what_forbids_frame(const Credentials& credentials, int folder, const std::string& name);
std::string what_forbids_frame(const Credentials& credentials, int file);

}  // namespace weft::channel
