// SPDX-License-Identifier: Apache-2.0
// Logging: one line an event, with the job, stream and device that it concerns as fields of the line.
//
//   log_info("The store is open ({} jobs).", count);
//   log_warning({.job = id, .attempt = 2}, "The input changed: {}", change);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <spdlog/spdlog.h>

#include "base/status.h"

namespace weft {

// kJournal: text without time stamps and colours, for systemd's journal. kJson: a JSON object a line, with the members time (UTC, RFC 3339,
// ms), level, program and message, and those of device, job, attempt and stream that are known.
enum class LogFormat { kText, kJournal, kJson };
// "text", "journal", "json"; nothing: another word.
std::optional<LogFormat> log_format(std::string_view name);

// The subject of a line. Text lines begin with it: "[cuda:0] [01J9ZK3V8Q2M4T6W8Y0A1B2C3D #2] ".
struct LogFields {
  std::string_view job{};      // its id; empty: no job
  int attempt = 0;             // of the job, from 1; 0: none
  uint64_t stream = 0;         // its number; 0: no stream
  std::string_view device{};   // its id; empty: no device
  std::string_view program{};  // that wrote the line; empty: this one
};

struct LogOptions {
  std::string program;  // "weftd"
  std::string level;    // debug, info, warning, error or off
  LogFormat format = LogFormat::kText;
  std::string device{};  // of every line of the process; empty: none
};

// Sets up the process's logger on standard error. INVALID_ARGUMENT: the level is unknown. Call once, before threads start;
// set_log_level may be called at any time by any thread.
Status start_log(const LogOptions& options);
Status set_log_level(std::string_view level);

// Writes a line as it is. `level`: debug, info, warning or error; any other counts as info.
void log_line(std::string_view level, const LogFields& fields, std::string_view text);

namespace log_detail {
void write(spdlog::level::level_enum level, const LogFields& fields, std::string_view text);

template <class... Args>
void log(spdlog::level::level_enum level, const LogFields& fields, fmt::format_string<Args...> format,
         Args&&... args) {
  if (spdlog::should_log(level)) write(level, fields, fmt::format(format, std::forward<Args>(args)...));
}
}  // namespace log_detail

// debug: single events, for a search for a fault. info: changes of state. warning: a fault that the program works around.
// error: work or data that is lost, or a daemon that cannot do its work.
template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log_detail::log(spdlog::level::debug, {}, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_debug(const LogFields& fields, fmt::format_string<Args...> format, Args&&... args) {
  log_detail::log(spdlog::level::debug, fields, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_detail::log(spdlog::level::info, {}, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(const LogFields& fields, fmt::format_string<Args...> format, Args&&... args) {
  log_detail::log(spdlog::level::info, fields, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_detail::log(spdlog::level::warn, {}, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(const LogFields& fields, fmt::format_string<Args...> format, Args&&... args) {
  log_detail::log(spdlog::level::warn, fields, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_detail::log(spdlog::level::err, {}, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(const LogFields& fields, fmt::format_string<Args...> format, Args&&... args) {
  log_detail::log(spdlog::level::err, fields, format, std::forward<Args>(args)...);
}

}  // namespace weft
