// SPDX-License-Identifier: Apache-2.0
// Defines the store's tables in each version, and the migration from one version to the next.
#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "server/queue/store/sqlite.h"

namespace weft::queue {

// SQL of the migrations. The first entry creates the tables of the oldest supported version. Each
// later entry migrates to the next version. A released entry never changes; new entries are
// appended.
using Migrations = std::span<const char* const>;
Migrations migrations();

// Opens the file at `path` and migrates it to the last version of `migrations`. An older store is
// first copied to PATH.version-N. FAILED_PRECONDITION: the store has a newer version or one that is
// too old, or the file is no store of Weft. DATA_LOSS: the store is damaged. `synchronous` is
// SQLite's setting, FULL in production.
StatusOr<Database> open_store(const std::string& path, Migrations migrations, std::string_view synchronous);

}  // namespace weft::queue
