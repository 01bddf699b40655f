// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <memory>
#include <string>
#include <utility>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include "base/printable.h"

namespace weft {
namespace {

// Names in it come from outside: a line of the log stays one.
class PrintableText final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
    const std::string text = printable({message.payload.data(), message.payload.size()});
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<PrintableText>(); }
};

}  // namespace

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
  auto lines = std::make_unique<spdlog::pattern_formatter>();
  lines->add_flag<PrintableText>('*');
  lines->set_pattern(format == LogFormat::kText ? "%Y-%m-%d %H:%M:%S.%e %^%l%$ %n: %*" : "%l %n: %*");
  logger->set_formatter(std::move(lines));
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
  return set_log_level(level);
}

}  // namespace weft
