// SPDX-License-Identifier: Apache-2.0
// Writes the log. Each event is one line. The job, the stream and the device of the event are
// fields of the line.
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

// The form of the lines. kJournal writes text without time stamps and colours, for systemd's
// journal. kJson writes a JSON object per line with the members time (UTC, RFC 3339, ms), level,
// program and message, and with device, job, attempt and stream if they are known.
enum class LogFormat { kText, kJournal, kJson };
// Returns the format named "text", "journal" or "json", or nullopt for another name.
std::optional<LogFormat> log_format(std::string_view name);

// The subject of a line. A text line begins with it: "[cuda:0] [01J9ZK3V8Q2M4T6W8Y0A1B2C3D #2] ".
struct LogFields {
  std::string_view job{};      // job id; empty if the line concerns no job
  int attempt = 0;             // attempt number, from 1; 0 if there is no attempt
  uint64_t stream = 0;         // stream number; 0 if the line concerns no stream
  std::string_view device{};   // device id; empty if the line concerns no device
  std::string_view program{};  // program that wrote the line; empty for this program
};

struct LogOptions {
  std::string program;  // name of the program, such as "weftd"
  std::string level;    // "debug", "info", "warning", "error" or "off"
  LogFormat format = LogFormat::kText;
  std::string device{};  // device of all lines of the process, or empty
};

// Sets up the process's logger on standard error. Returns INVALID_ARGUMENT if the level is unknown.
// Call it once, before threads start. Any thread may call set_log_level() at any time.
Status start_log(const LogOptions& options);
Status set_log_level(std::string_view level);

// Writes a line without formatting it. `level` is debug, info, warning or error; any other text
// counts as info.
void log_line(std::string_view level, const LogFields& fields, std::string_view text);

namespace log_detail {
void write(spdlog::level::level_enum level, const LogFields& fields, std::string_view text);

template <class... Args>
void log(spdlog::level::level_enum level, const LogFields& fields, fmt::format_string<Args...> format,
         Args&&... args) {
  if (spdlog::should_log(level)) write(level, fields, fmt::format(format, std::forward<Args>(args)...));
}
}  // namespace log_detail

// Each function writes a line of its level. debug: single events, for debugging. info: changes of
// state. warning: a fault with a workaround. error: lost work or data, or a daemon that cannot do
// its work.
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
