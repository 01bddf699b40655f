// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <memory>

#include <spdlog/sinks/stdout_color_sinks.h>

namespace weft {

Status set_log_level(std::string_view level) {
  const spdlog::level::level_enum parsed = spdlog::level::from_str(std::string(level));
  if (parsed == spdlog::level::off && level != "off")
    return invalid_argument("The log level ({}) is unknown; use trace, debug, info, warning, error or off.",
                            level);
  spdlog::set_level(parsed);
  return ok_status();
}

Status start_log(std::string_view name, std::string_view level, LogFormat format) {
  auto logger = std::make_shared<spdlog::logger>(std::string(name),
                                                 std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern(format == LogFormat::kText ? "%Y-%m-%d %H:%M:%S.%e %^%l%$ %n: %v" : "%l %n: %v");
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
  return set_log_level(level);
}

}  // namespace weft
