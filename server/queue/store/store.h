// SPDX-License-Identifier: Apache-2.0
// Stores the durable state of the daemon in one SQLite file of the state folder (WAL,
// synchronous=FULL): jobs, totals, drained devices, the pause of the queue, measured speeds of
// devices, the last revision and the last id. A commit is durable when it returns. Many changes
// share one commit.
#pragma once

#include <memory>
#include <optional>
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

// The event that a commit survives: a power cut, or only the end of the process (in simulations).
enum class Durability { kPowerCut, kProcess };

// The content of a store at its opening.
struct StoreContent {
  std::string store_id;      // created with the store; distinguishes its resume tokens
  std::string store_secret;  // created with the store, and secret
  int64_t revision = 0;
  std::string last_id;          // greatest id made so far
  std::vector<JobRecord> jobs;  // in order of ids
  std::set<std::string> drained_devices;
  bool is_paused = false;  // the queue is paused
  std::vector<KeptSpeed> speeds;
};

// The changes of one commit.
struct StoreChange {
  std::vector<RecordPtr> jobs;
  int64_t revision = 0;  // newest revision
  std::string last_id;
  const std::set<std::string>* drained_devices = nullptr;  // null if unchanged
  std::optional<bool> is_paused = {};                      // absent if unchanged
  std::vector<std::string> removed = {};                   // ids of forgotten jobs
  std::vector<Total> totals = {};                          // sums to be added
  std::vector<KeptSpeed> speeds = {};                      // new measurements
};

// Not thread-safe. Tests derive from it to make commits fail.
class Store {
 public:
  virtual ~Store() = default;
  Store(Store&&) = default;
  // `folder` exists. Errors are those of open_store().
  static StatusOr<std::unique_ptr<Store>> open(const std::string& folder,
                                               Durability durability = Durability::kPowerCut,
                                               Migrations steps = migrations());

  StatusOr<StoreContent> load();
  // Writes the whole change, durably, or nothing. After an error the caller may repeat it.
  // DATA_LOSS: the store's file was removed or replaced while the daemon runs.
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

// A lock that permits one daemon in a state folder, on a file of that folder. Programs that the
// daemon starts do not inherit it.
class StateLock {
 public:
  // Creates the folder if missing, and denies other users access to it. ABORTED: another process
  // has the lock (the error contains its pid). FAILED_PRECONDITION: the folder belongs to another
  // user, or its permissions cannot be set, or it is not writable.
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
