// SPDX-License-Identifier: Apache-2.0
#include "server/queue/store/sqlite.h"

namespace weft::queue {
namespace {

constexpr int kBusyTimeoutMilliseconds = 5000;

Status status_of(int code, sqlite3* handle) {
  const std::string what = handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle);
  const char* name = handle == nullptr ? "" : sqlite3_db_filename(handle, "main");
  const std::string file = name == nullptr ? "" : name;
  switch (code & 0xff) {
    case SQLITE_FULL:
      return resource_exhausted("The disk of the store ({}) is full ({}); free some space.", file, what);
    case SQLITE_IOERR:
      return unavailable("The store ({}) cannot be read or written ({}); look at its disk.", file, what);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return data_loss("The store ({}) is damaged ({}).", file, what);
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return permission_denied("The store ({}) may not be written ({}); look at its owner and mode.", file,
                               what);
    case SQLITE_CANTOPEN:
      return failed_precondition("The store ({}) cannot be opened ({}).", file, what);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return unavailable("The store ({}) is held by another program ({}); close that.", file, what);
    case SQLITE_NOMEM:
      return resource_exhausted("SQLite has no memory ({}).", what);
    default:
      return internal_error("SQLite refuses ({}, code {}) at the store ({}).", what, code, file);
  }
}

}  // namespace

void Statement::note(int code) {
  if (code != SQLITE_OK && bind_error_ == SQLITE_OK) bind_error_ = code;
}

Statement& Statement::bind(int parameter, int64_t value) {
  note(sqlite3_bind_int64(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  note(sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT,
                           SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
  note(sqlite3_bind_blob64(statement_.get(), parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  note(sqlite3_bind_null(statement_.get(), parameter));
  return *this;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  bind_error_ = SQLITE_OK;
}

StatusOr<bool> Statement::step() {
  const int code = bind_error_ != SQLITE_OK ? bind_error_ : sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  Status error = code == SQLITE_DONE ? ok_status() : status_of(code, sqlite3_db_handle(statement_.get()));
  reset();
  if (!error.ok()) return error;
  return false;
}

Status Statement::run() {
  ASSIGN_OR_RETURN(const bool row, step());
  if (row) reset();
  return ok_status();
}

int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  if (bytes == nullptr) return "";
  return std::string(bytes, size_t(sqlite3_column_bytes(statement_.get(), column)));
}

StatusOr<Database> Database::open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database;
  database.handle_.reset(handle);
  if (code != SQLITE_OK) return with_context(status_of(code, handle), fmt::format("While opening {}", path));
  sqlite3_busy_timeout(handle, kBusyTimeoutMilliseconds);
  return database;
}

StatusOr<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), int(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  Statement result;
  result.statement_.reset(statement);
  if (code != SQLITE_OK) return status_of(code, handle_.get());
  return result;
}

Status Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? ok_status() : status_of(code, handle_.get());
}

StatusOr<int64_t> Database::query_integer(std::string_view sql) {
  ASSIGN_OR_RETURN(Statement statement, prepare(sql));
  ASSIGN_OR_RETURN(const bool row, statement.step());
  if (!row) return not_found("The query ({}) has no row.", sql);
  return statement.integer(0);
}

StatusOr<std::string> Database::query_text(std::string_view sql) {
  ASSIGN_OR_RETURN(Statement statement, prepare(sql));
  ASSIGN_OR_RETURN(const bool row, statement.step());
  if (!row) return not_found("The query ({}) has no row.", sql);
  return statement.text(0);
}

}  // namespace weft::queue
