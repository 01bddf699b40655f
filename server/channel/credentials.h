// SPDX-License-Identifier: Apache-2.0
// Checks access to a file that a client names, by the credentials of the client instead of the
// daemon's.
#pragma once

#include <string>

#include <sys/stat.h>
#include <sys/types.h>

#include "weft/internal/v1/credentials.pb.h"

namespace weft::channel {

using internal::v1::Credentials;

// Returns true if the credentials are those of this process's user or of root: the kernel's own
// checks then suffice.
bool is_own(const Credentials& credentials);

inline constexpr mode_t kMayRead = 4;
inline constexpr mode_t kMayWrite = 2;
inline constexpr mode_t kMaySearch = 1;
// Returns true if the mode of a file or folder grants all of `rights` to the user of `credentials`.
// Access control lists are ignored.
bool mode_allows(const Credentials& credentials, const struct stat& info, mode_t rights);

// Returns true if the open file or folder (also one opened with O_PATH) has an access control list,
// which may differ from its mode. Also returns true if the kernel does not report it.
bool has_access_list(int file);

// Checks by its mode whether the user may read a frame in a folder that was opened with the user's
// rights. Links and files with access control lists are refused. Returns the end of a sentence,
// "may not be read by ...", or an empty string if access is allowed. The first function checks the
// name before the file is opened, the second the open descriptor.
std::string what_forbids_frame(const Credentials& credentials, int folder, const std::string& name);
std::string what_forbids_frame(const Credentials& credentials, int file);

}  // namespace weft::channel
