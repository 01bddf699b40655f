// SPDX-License-Identifier: Apache-2.0
// What outlives the daemon: jobs, totals, drained devices, what was learnt of devices' speed, the last revision and the last id, in one SQLite file of the state
// folder (WAL, synchronous=FULL). A commit is durable when it returns; many changes share one.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "base/status.h"
#include "server/queue/records/record.h"
#include "server/queue/store/schema.h"
#include "server/queue/store/speed_table.h"
#include "server/queue/store/sqlite.h"
#include "server/queue/store/totals.h"

namespace weft::queue {

// How much a commit survives: a power cut, or only the end of the process (simulations).
enum class Durability { kPowerCut, kProcess };

// All that a store holds, as read at its opening.
struct StoreContent {
  std::string store_id;      // made with the store: tells its resume tokens from another's
  std::string store_secret;  // made with the store, and known to nobody else
  int64_t revision = 0;
  std::string last_id;          // the greatest ever given
  std::vector<JobRecord> jobs;  // by id
  std::set<std::string> drained_devices;
  std::vector<KeptSpeed> speeds;
};

// What one commit changes.
struct StoreChange {
  std::vector<RecordPtr> jobs;
  int64_t revision = 0;  // the newest given
  std::string last_id;
  const std::set<std::string>* drained_devices = nullptr;  // null: unchanged
  std::vector<std::string> removed = {};                   // jobs that are forgotten
  std::vector<Total> totals = {};                          // to be added
  std::vector<KeptSpeed> speeds = {};                      // learnt anew
};

// Not thread-safe. Tests derive from it to make commits fail.
class Store {
 public:
  virtual ~Store() = default;
  Store(Store&&) = default;
  // `folder` is there. See open_store for errors.
  static StatusOr<std::unique_ptr<Store>> open(const std::string& folder,
                                               Durability durability = Durability::kPowerCut,
                                               Migrations steps = migrations());

  StatusOr<StoreContent> load();
  // All or nothing; OK: durable. After an error the same change may be tried again. DATA_LOSS: the store's file was removed or
  // replaced under the daemon.
  virtual Status commit(const StoreChange& change);

 private:
  explicit Store(Database db) : db_(std::move(db)) {}
  Status prepare();
  Status check_is_there() const;
  Status write(const StoreChange& change);
  Status write_job(const JobRecord& record);

  Database db_;
  std::string path_;
  struct stat file_ {};
  Statement put_job_;
  Statement remove_job_;
  Statement put_meta_;
  Statement clear_drained_;
  Statement put_drained_;
  TotalsTable totals_;
  SpeedTable speeds_;
};

// One daemon a state folder: a lock on a file of it, held as long as this lives. Not inherited by programs that the
// daemon starts.
class StateLock {
 public:
  // Makes the folder if it is not there, and closes it to other users. ABORTED names the process that has it; FAILED_PRECONDITION: it
  // is another user's, or cannot be closed or written.
  static StatusOr<StateLock> take(const std::string& folder);
  StateLock(StateLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  StateLock& operator=(StateLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~StateLock();

 private:
  explicit StateLock(int file) : file_(file) {}
  int file_ = -1;
};

}  // namespace weft::queue
