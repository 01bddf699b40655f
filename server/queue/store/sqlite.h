// SPDX-License-Identifier: Apache-2.0
// SQLite with Status: a connection, and a prepared statement that is bound, stepped and read.
//
//   ASSIGN_OR_RETURN(Statement insert, db.prepare("INSERT INTO t VALUES (?, ?)"));
//   RETURN_IF_ERROR(insert.bind(1, id).bind(2, 7).run());
//
// Not thread-safe: a connection and its statements belong to one thread at a time.
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

  // Columns are counted from 1 here, as SQLite does. An error sticks and comes out of the next step or run.
  Statement& bind(int parameter, int64_t value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_blob(int parameter, std::string_view bytes);
  Statement& bind_null(int parameter);

  // The next row: false when there is none, after which the statement can be bound and run anew.
  StatusOr<bool> step();
  // For statements without rows.
  Status run();
  void reset();

  // Of the row at hand; columns are counted from 0.
  int64_t integer(int column) const;
  std::string text(int column) const;  // also blobs

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
  // Opens or makes the file. RESOURCE_EXHAUSTED, DATA_LOSS, PERMISSION_DENIED ... after SQLite's own code.
  static StatusOr<Database> open(const std::string& path);

  StatusOr<Statement> prepare(std::string_view sql);
  // One or several statements without rows.
  Status execute(const std::string& sql);
  // The first column of the first row; NOT_FOUND if there is no row.
  StatusOr<int64_t> query_integer(std::string_view sql);
  StatusOr<std::string> query_text(std::string_view sql);

  // Everything of `work` or nothing.
  template <class Work>
  Status transaction(Work work) {
    RETURN_IF_ERROR(execute("BEGIN IMMEDIATE"));
    Status status = work();
    if (status.ok()) status = execute("COMMIT");
    if (!status.ok())
      sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);  // SQLite may have done so
    return status;
  }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace weft::queue
