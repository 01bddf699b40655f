// SPDX-License-Identifier: Apache-2.0
// Wraps SQLite with Status: a connection, and a prepared statement with its parameters and rows.
//
//   ASSIGN_OR_RETURN(Statement insert, db.prepare("INSERT INTO t VALUES (?, ?)"));
//   RETURN_IF_ERROR(insert.bind(1, id).bind(2, 7).run());
//
// Not thread-safe: only one thread at a time uses a connection and its statements.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "base/status.h"

namespace weft::queue {

class Statement {
 public:
  Statement() = default;

  // Binds a parameter. Parameters are counted from 1, as in SQLite. The next step() or run()
  // returns an error of a bind().
  Statement& bind(int parameter, int64_t value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_blob(int parameter, std::string_view bytes);
  Statement& bind_null(int parameter);

  // Moves to the next row. Returns false after the last one; the statement can then be bound and
  // run again.
  StatusOr<bool> step();
  // Executes a statement that returns no rows.
  Status run();
  void reset();

  // Returns a column of the current row; columns are counted from 0.
  int64_t integer(int column) const;
  std::string text(int column) const;  // also for blobs

 private:
  friend class Database;
  struct Finalise {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  void note(int code);

  std::unique_ptr<sqlite3_stmt, Finalise> statement_;
  int bind_error_ = SQLITE_OK;
};

class Database {
 public:
  // Opens or creates the file. The Status code follows from SQLite's code: RESOURCE_EXHAUSTED,
  // DATA_LOSS, PERMISSION_DENIED and others.
  static StatusOr<Database> open(const std::string& path);

  StatusOr<Statement> prepare(std::string_view sql);
  // Executes one or several statements that return no rows.
  Status execute(const std::string& sql);
  // Returns the first column of the first row; NOT_FOUND if there is no row.
  StatusOr<int64_t> query_integer(std::string_view sql);
  StatusOr<std::string> query_text(std::string_view sql);

  // Runs `work` in a transaction: all of its changes take effect, or none.
  template <class Work>
  Status transaction(Work work) {
    RETURN_IF_ERROR(execute("BEGIN IMMEDIATE"));
    Status status = work();
    if (status.ok()) status = execute("COMMIT");
    if (!status.ok())
      // SQLite may have rolled back already; the error of a second rollback is ignored.
      sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    return status;
  }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace weft::queue
