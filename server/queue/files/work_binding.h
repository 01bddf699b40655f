// SPDX-License-Identifier: Apache-2.0
// Proof that a work folder is the one that an attempt of a job was given.
//
// Whoever may write next to a work folder cannot look into it (mode 0700), but may move it, and put another one of the daemon's in its
// place: that of a job of his own, or an older one of the same job. So each attempt leaves a name in its folder, which is a keyed hash
// (HMAC-SHA256, the key is a secret of the store) of the job's id, its owner, the attempt and the folder's inode. The device is
// left out: its number changes when a machine starts, and what is renamed stays on its file system.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// Which store has the jobs.
struct StoreIdentity {
  std::string id{};      // public: part of resume tokens, and noted in work folders (orphans.h)
  std::string secret{};  // known to this store alone
};

// Binds the open work folder to the job's newest attempt and makes that durable. Returns the name in it.
StatusOr<std::string> bind_work_folder(int folder, const v1::Job& job, std::string_view secret);

// Whether the open work folder is bound to the job's newest attempt.
bool is_bound(int folder, const v1::Job& job, std::string_view secret);

// Whether it is bound to the newest attempt or an earlier one, so that a later one may go on in it.
bool was_bound(int folder, const v1::Job& job, std::string_view secret);

// Whether a name in a work folder is such a proof.
bool is_binding(std::string_view name);

}  // namespace weft::queue
