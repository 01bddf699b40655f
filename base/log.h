// SPDX-License-Identifier: Apache-2.0
// Logging: spdlog, one line an event, with the job's id on every line that has one.
//
//   log_info("The store is open ({} jobs).", count);
//   log_job_warning(job_id, attempt, "The input changed: {}", change);
#pragma once

#include <string>
#include <string_view>

#include <spdlog/spdlog.h>

#include "base/status.h"

namespace weft {

enum class LogFormat { kText, kJournal };  // kJournal: no time stamps and no colours, the journal has its own

// Sets up the process's logger on standard error. `level`: trace, debug, info, warning, error or off. `name` stands on every line.
// Call once, before threads start; set_log_level may be called at any time by any thread.
Status start_log(std::string_view name, std::string_view level, LogFormat format = LogFormat::kText);
Status set_log_level(std::string_view level);

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  spdlog::debug(format, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  spdlog::info(format, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  spdlog::warn(format, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  spdlog::error(format, std::forward<Args>(args)...);
}

// `job`: the job's id; `attempt`: counted from 1.
template <class... Args>
void log_job_warning(std::string_view job, int attempt, fmt::format_string<Args...> format, Args&&... args) {
  spdlog::warn("[{} #{}] {}", job, attempt, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace weft
