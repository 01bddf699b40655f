// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/chrono.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include "base/printable.h"

namespace weft {
namespace {

using spdlog::level::level_enum;

constexpr std::array<std::pair<std::string_view, level_enum>, 5> kLevels = {{
    {"debug", spdlog::level::debug},
    {"info", spdlog::level::info},
    {"warning", spdlog::level::warn},
    {"error", spdlog::level::err},
    {"off", spdlog::level::off},
}};

std::optional<level_enum> level_of(std::string_view name) {
  for (const auto& [known, level] : kLevels)
    if (name == known) return level;
  return std::nullopt;
}

std::string_view name_of(level_enum level) {
  for (const auto& [name, known] : kLevels)
    if (level == known) return name;
  return "info";
}

// Fields of the line that this thread writes. spdlog formats a line on the thread that logs it.
thread_local const LogFields* fields_of_line = nullptr;

const LogFields& fields() {
  static const LogFields kNone;
  return fields_of_line == nullptr ? kNone : *fields_of_line;
}

std::string text_of(const LogFields& fields) {
  std::string text;
  if (!fields.program.empty()) text += fmt::format("[{}] ", fields.program);
  if (!fields.device.empty()) text += fmt::format("[{}] ", fields.device);
  if (!fields.job.empty() && fields.attempt > 0) text += fmt::format("[{} #{}] ", fields.job, fields.attempt);
  if (!fields.job.empty() && fields.attempt == 0) text += fmt::format("[{}] ", fields.job);
  if (fields.stream > 0) text += fmt::format("[stream {}] ", fields.stream);
  return text;
}

// Escapes the text of a line, because names in it come from outside and may contain line breaks.
class PrintableText final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
    const std::string text = text_of(fields()) + printable({message.payload.data(), message.payload.size()});
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<PrintableText>(); }
};

class JsonFormatter final : public spdlog::formatter {
 public:
  explicit JsonFormatter(std::string device) : device_(std::move(device)) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    using std::chrono::milliseconds;
    const LogFields& of = fields();
    const auto since = std::chrono::duration_cast<milliseconds>(message.time.time_since_epoch());
    const std::string_view program =
        of.program.empty() ? std::string_view(message.logger_name.data(), message.logger_name.size())
                           : of.program;
    const std::string_view device = of.device.empty() ? std::string_view(device_) : of.device;
    std::string text = fmt::format(R"({{"time":"{:%Y-%m-%dT%H:%M:%S}.{:03}Z","level":"{}","program":{})",
                                   fmt::gmtime(std::time_t(since.count() / 1000)), since.count() % 1000,
                                   name_of(message.level), json_string(program));
    if (!device.empty()) text += fmt::format(R"(,"device":{})", json_string(device));
    if (!of.job.empty()) text += fmt::format(R"(,"job":{})", json_string(of.job));
    if (of.attempt > 0) text += fmt::format(R"(,"attempt":{})", of.attempt);
    if (of.stream > 0) text += fmt::format(R"(,"stream":{})", of.stream);
    text += fmt::format(R"(,"message":{}}})", json_string({message.payload.data(), message.payload.size()}));
    text += '\n';
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<formatter> clone() const override { return std::make_unique<JsonFormatter>(device_); }

 private:
  const std::string device_;
};

std::unique_ptr<spdlog::formatter> formatter_of(const LogOptions& options) {
  if (options.format == LogFormat::kJson) return std::make_unique<JsonFormatter>(options.device);
  auto lines = std::make_unique<spdlog::pattern_formatter>();
  lines->add_flag<PrintableText>('*');
  lines->set_pattern(options.format == LogFormat::kText ? "%Y-%m-%d %H:%M:%S.%e %^%l%$ %n: %*" : "%l %n: %*");
  return lines;
}

}  // namespace

std::optional<LogFormat> log_format(std::string_view name) {
  if (name == "text") return LogFormat::kText;
  if (name == "journal") return LogFormat::kJournal;
  if (name == "json") return LogFormat::kJson;
  return std::nullopt;
}

Status set_log_level(std::string_view level) {
  const std::optional<level_enum> parsed = level_of(level);
  if (!parsed)
    return invalid_argument("The log level ({}) is unknown; use debug, info, warning, error or off.", level);
  spdlog::set_level(*parsed);
  return ok_status();
}

Status start_log(const LogOptions& options) {
  auto logger = std::make_shared<spdlog::logger>(options.program,
                                                 std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_formatter(formatter_of(options));
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
  return set_log_level(options.level);
}

void log_line(std::string_view level, const LogFields& fields, std::string_view text) {
  const level_enum parsed = level_of(level).value_or(spdlog::level::info);
  if (parsed != spdlog::level::off && spdlog::should_log(parsed)) log_detail::write(parsed, fields, text);
}

void log_detail::write(level_enum level, const LogFields& fields, std::string_view text) {
  fields_of_line = &fields;
  spdlog::default_logger_raw()->log(level, spdlog::string_view_t(text.data(), text.size()));
  fields_of_line = nullptr;
}

}  // namespace weft
