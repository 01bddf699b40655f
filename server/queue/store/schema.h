// SPDX-License-Identifier: Apache-2.0
// The store's tables, version by version, and the way from one version to the next.
#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "server/queue/store/sqlite.h"

namespace weft::queue {

// The first makes the tables of the oldest version that is understood; each of the others leads to the next version. Entries are
// never changed once a release had them; new ones are added at the end.
using Migrations = std::span<const char* const>;
Migrations migrations();

// Opens the file at `path` and brings it to the last version of `migrations`. Before an older store is changed, a
// copy is left beside it (PATH.version-N). FAILED_PRECONDITION: it was written by a newer version or one too old, or is no
// store of ours; DATA_LOSS: it is damaged. `synchronous`: SQLite's word, FULL for the real thing.
StatusOr<Database> open_store(const std::string& path, Migrations migrations, std::string_view synchronous);

}  // namespace weft::queue
