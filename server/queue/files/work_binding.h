// SPDX-License-Identifier: Apache-2.0
// Proves that a work folder is the one that was given to an attempt of a job.
//
// A user with write access to the folder above a work folder cannot read the work folder (mode
// 0700), but may move it and put another work folder of the daemon in its place, of another job or
// an older one of the same job. Therefore each attempt creates a name in its folder: a keyed hash
// (HMAC-SHA256, the key is a secret of the store) of the job's id, its owner, the attempt and the
// folder's inode. The device number is not hashed, since it changes when a machine starts, and a
// renamed folder stays on its file system.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// The identity of the job store.
struct StoreIdentity {
  std::string id{};      // public: part of resume tokens, and written into work folders (orphans.h)
  std::string secret{};  // never leaves the store
};

// Binds the open work folder to the job's newest attempt and makes this durable. Returns the name
// created in the folder.
StatusOr<std::string> bind_work_folder(int folder, const v1::Job& job, std::string_view secret);

// Returns true if the open work folder is bound to the job's newest attempt.
bool is_bound(int folder, const v1::Job& job, std::string_view secret);

// Returns true if the folder is bound to the newest attempt or an earlier one, so that a later
// attempt may resume in it.
bool was_bound(int folder, const v1::Job& job, std::string_view secret);

// Returns true if a name in a work folder is of such a binding.
bool is_binding(std::string_view name);

}  // namespace weft::queue
