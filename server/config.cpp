// SPDX-License-Identifier: Apache-2.0
#include "server/config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include <CLI/CLI.hpp>
#include <toml++/toml.h>
#include <unistd.h>

#include "options/quantity.h"
#include "options/words.h"
#include "server/config_flags.h"

extern char** environ;

namespace weft {
namespace {

std::string replaced(std::string_view name, char with, bool upper) {
  std::string text(name);
  for (char& c : text) c = c == '-' ? with : upper ? char(std::toupper(static_cast<unsigned char>(c))) : c;
  return text;
}
std::string file_name(const ConfigKey& key) { return replaced(key.name, '_', false); }
std::string variable_name(const ConfigKey& key) { return "WEFT_" + replaced(key.name, '_', true); }

bool is_list(const ConfigKey& key) {
  return std::holds_alternative<std::vector<std::string> Config::*>(key.field);
}
bool is_table(const ConfigKey& key) {
  return std::holds_alternative<std::map<std::string, double> Config::*>(key.field);
}
bool is_number(const ConfigKey& key) { return key.maximum > key.minimum; }

// Assigns a weight from a text such as "anna=2.5".
Status assign_weight(std::map<std::string, double>& weights, const std::string& text) {
  const size_t equals = text.rfind('=');
  double weight = 0;
  const char* const end = text.data() + text.size();
  const bool understood = equals != std::string::npos && equals > 0 &&
                          std::from_chars(text.data() + equals + 1, end, weight).ptr == end &&
                          equals + 1 < text.size();
  if (!understood)
    return invalid_argument("The weight of an owner is not understood ('{}'); write it as NAME=2.5.", text);
  const std::string name = text.substr(0, equals);
  if (!(weight >= kLeastOwnerWeight && weight <= kMostOwnerWeight))
    return invalid_argument("The weight of the owner '{}' is out of range ({}, allowed {} to {}).", name,
                            weight, kLeastOwnerWeight, kMostOwnerWeight);
  if (!weights.emplace(name, weight).second)
    return invalid_argument("The owner '{}' has more than one weight; give one.", name);
  return ok_status();
}

// Returns the unit of a number. A suffix of the value, as in "5m" or "1GiB", replaces it.
std::string_view unit_of(const ConfigKey& key) {
  return key.value_name == "SECONDS" ? "s" : key.value_name == "BYTES" ? "bytes" : "";
}
std::string_view unit_hint(const ConfigKey& key) {
  const std::string_view unit = unit_of(key);
  return unit == "s"       ? "; write seconds, or a time such as 90s, 5m or 1h30m"
         : unit == "bytes" ? "; write bytes, or a size such as 512MiB or 2GiB"
                           : "";
}

StatusOr<int64_t> parse_number(const ConfigKey& key, const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto quantity = options::quantity_in(unit_of(key), text);
  if (quantity && std::abs(*quantity) < 0x1p62)
    value = std::llround(*quantity);
  else if (error != std::errc() || end != text.data() + text.size())
    return invalid_argument("The value is not a whole number ('{}'){}.", text, unit_hint(key));
  if (value < key.minimum || value > key.maximum)
    return invalid_argument("The value is out of range ({}, allowed {} to {}).", value, key.minimum,
                            key.maximum);
  return value;
}

Status assign_values(Config& config, const ConfigKey& key, const std::vector<std::string>& values) {
  if (auto field = std::get_if<std::vector<std::string> Config::*>(&key.field)) {
    for (const std::string& value : values)
      if (key.check) RETURN_IF_ERROR(key.check(value));
    config.*(*field) = values;
    return ok_status();
  }
  if (auto field = std::get_if<std::map<std::string, double> Config::*>(&key.field)) {
    (config.*(*field)).clear();
    for (const std::string& value : values) RETURN_IF_ERROR(assign_weight(config.*(*field), value));
    return ok_status();
  }
  if (values.size() != 1) return invalid_argument("There is more than one value ({}).", values.size());
  if (auto text_field = std::get_if<std::string Config::*>(&key.field)) {
    if (key.check) RETURN_IF_ERROR(key.check(values[0]));
    config.*(*text_field) = values[0];
    return ok_status();
  }
  ASSIGN_OR_RETURN(const int64_t number, parse_number(key, values[0]));
  if (auto number_field = std::get_if<int64_t Config::*>(&key.field)) config.*(*number_field) = number;
  if (auto seconds_field = std::get_if<std::chrono::seconds Config::*>(&key.field))
    config.*(*seconds_field) = std::chrono::seconds(number);
  return ok_status();
}

// --- Sources of values --------------------------------------------------------------------------

std::string value_of(const Environment& environment, const std::string& name) {
  auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

bool is_service(const Environment& environment) {
  return geteuid() == 0 || !value_of(environment, "STATE_DIRECTORY").empty();
}

// Returns the first of the folders in `variable`, which systemd separates by ':'.
std::string service_folder(const Environment& environment, const std::string& variable,
                           const std::string& otherwise) {
  const std::string value = value_of(environment, variable);
  return value.empty() ? otherwise : value.substr(0, value.find(':'));
}

std::string user_folder(const Environment& environment, const std::string& variable,
                        const std::string& below_home) {
  const std::string value = value_of(environment, variable);
  return (value.empty() ? value_of(environment, "HOME") + below_home : value) + "/weft";
}

Config default_config(const Environment& environment) {
  Config config;
  if (is_service(environment)) {
    config.state_dir = service_folder(environment, "STATE_DIRECTORY", "/var/lib/weft");
    config.cache_dir = service_folder(environment, "CACHE_DIRECTORY", "/var/cache/weft");
    config.listen = {"unix:" + service_folder(environment, "RUNTIME_DIRECTORY", "/run/weft") + "/weft.sock"};
    config.socket_mode = "0660";
  } else {
    const std::string runtime = value_of(environment, "XDG_RUNTIME_DIR");
    config.state_dir = user_folder(environment, "XDG_STATE_HOME", "/.local/state");
    config.cache_dir = user_folder(environment, "XDG_CACHE_HOME", "/.cache");
    config.listen = {
        "unix:" + (runtime.empty() ? fmt::format("/tmp/weft-{}", geteuid()) : runtime + "/weft") +
        "/weft.sock"};
  }
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  config.worker = (program.parent_path() / "weft-worker").string();
  config.lock_dir =
      std::filesystem::is_directory("/run/lock", error) ? "/run/lock/weft" : "/tmp/weft-devices";
  return config;
}

// Returns a manual page, with the defaults of the service.
std::string manual_of_service(const CLI::App& app, std::string_view page) {
  Config defaults = default_config({{"STATE_DIRECTORY", "/var/lib/weft"}});
  defaults.worker = "/usr/bin/weft-worker";
  return page == "weftd" ? program_manual(app) : file_manual(defaults);
}

std::string default_file(const Environment& environment) {
  if (is_service(environment)) return "/etc/weft/weft.toml";
  return user_folder(environment, "XDG_CONFIG_HOME", "/.config") + "/weft.toml";
}

// Returns a text such as "anna=2.5" for each line of a table.
StatusOr<std::vector<std::string>> entries_of(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return invalid_argument("The value is not a table of names and numbers.");
  std::vector<std::string> values;
  for (auto&& [name, entry] : *table) {
    const auto number = entry.value<double>();
    if (!entry.is_number() || !number)
      return invalid_argument("The weight of the owner '{}' is not a number.", std::string(name.str()));
    values.push_back(fmt::format("{}={}", std::string(name.str()), *number));
  }
  return values;
}

StatusOr<std::vector<std::string>> values_of(const toml::node& node) {
  if (auto text = node.value_exact<std::string>()) return std::vector<std::string>{*text};
  if (auto number = node.value_exact<int64_t>()) return std::vector<std::string>{std::to_string(*number)};
  const toml::array* array = node.as_array();
  if (array == nullptr)
    return invalid_argument("The value is neither a text, a whole number nor a list of texts.");
  std::vector<std::string> values;
  for (const toml::node& entry : *array) {
    auto text = entry.value_exact<std::string>();
    if (!text) return invalid_argument("An entry of the list is not a text.");
    values.push_back(*text);
  }
  return values;
}

// Returns a hint such as "; did you mean 'low_disk_bytes'?", or ";".
std::string hint_for(const std::string& key) {
  std::vector<std::string> names;
  for (const ConfigKey& known : config_keys()) names.push_back(file_name(known));
  const std::string hint = options::did_you_mean(key, names);
  return !hint.empty() ? hint : remedy_for_old(key) + ";";
}

Status from_file(Config& config, const std::string& path) {
  toml::table table;
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return failed_precondition("The configuration file is a folder ({}).", path);
  try {
    table = toml::parse_file(path);
  } catch (const toml::parse_error& wrong) {
    return failed_precondition("{}:{}: The configuration cannot be read: {}.", path,
                               wrong.source().begin.line, wrong.description());
  }
  for (auto&& [name, node] : table) {
    const std::string given(name.str());
    const auto line = node.source().begin.line;
    auto key = std::find_if(std::begin(config_keys()), std::end(config_keys()),
                            [&](const ConfigKey& k) { return file_name(k) == given; });
    if (key == std::end(config_keys()))
      return failed_precondition("{}:{}: The key '{}' is not known{} weftd --help lists the keys.", path,
                                 line, given, hint_for(given));
    StatusOr<std::vector<std::string>> values = is_table(*key) ? entries_of(node) : values_of(node);
    const bool may_be_text = !is_number(*key) || !unit_of(*key).empty();
    const bool text_for_number = values.ok() && (node.is_integer() ? !is_number(*key) : !may_be_text);
    Status status =
        !values.ok() ? values.status()
        : text_for_number
            ? invalid_argument("The value is {}.", is_number(*key) ? "not a number" : "a number, not a text")
            : assign_values(config, *key, *values);
    if (!status.ok()) return failed_precondition("{}:{}: {}: {}", path, line, given, message_of(status));
  }
  return ok_status();
}

Status from_environment(Config& config, const Environment& environment) {
  for (const ConfigKey& key : config_keys()) {
    const std::string value = value_of(environment, variable_name(key));
    if (value.empty()) continue;
    std::vector<std::string> values{value};
    if (is_list(key) || is_table(key)) values = CLI::detail::split(value, ',');
    Status status = assign_values(config, key, values);
    if (!status.ok())
      return failed_precondition("{} in the environment: {}", variable_name(key), message_of(status));
  }
  return ok_status();
}

void make_absolute(Config& config) {
  for (auto folder : {&Config::state_dir, &Config::cache_dir, &Config::lock_dir, &Config::worker}) {
    std::error_code error;
    const auto path = std::filesystem::absolute(config.*folder, error);
    if (!error) config.*folder = path.lexically_normal().string();
  }
}

std::string config_listing(const Config& config, const std::string& file) {
  std::string text = fmt::format("# {}\n", file.empty() ? "no configuration file" : file);
  for (const ConfigKey& key : config_keys())
    text += fmt::format("{} = {}\n", file_name(key), config_text(config, key));
  return text;
}

Status check_loopback(const Invocation& invocation) {
  for (const std::string& address : invocation.config.listen)
    if (!address.starts_with("unix:") && !invocation.allows_unauthenticated_loopback)
      return invalid_argument(
          "At {} callers are not authenticated: every user and program of this machine could cancel all "
          "jobs, "
          "read their logs and "
          "have files read and written with the daemon's rights (with nobody's, where it runs as root). "
          "Listen on a Unix socket, or "
          "accept that with --allow-unauthenticated-loopback.",
          address);
  return ok_status();
}

}  // namespace

Environment process_environment() {
  Environment result;
  for (char** entry = environ; *entry != nullptr; entry++) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

StatusOr<Invocation> load_config(std::span<const std::string> arguments, const Environment& environment) {
  Invocation result;
  result.config = default_config(environment);
  ConfigFlags flags;
  CLI::App app("Weft GPU processing daemon: owns the devices of a machine and runs queued jobs on them.",
               "weftd");
  declare_flags(app, flags, result.config);
  Status parsed = parse_flags(app, arguments);
  if (parsed.code() == StatusCode::kCancelled || flags.version) {
    result.action = Invocation::Action::kPrintText;
    result.text = flags.version ? "weftd " WEFT_VERSION "\n" : message_of(parsed);
    return result;
  }
  RETURN_IF_ERROR(parsed);
  if (!flags.manual.empty()) {
    result.action = Invocation::Action::kPrintText;
    result.text = manual_of_service(app, flags.manual);
    return result;
  }

  std::error_code error;
  result.file = flags.file.value_or(default_file(environment));
  if (!flags.file && !std::filesystem::exists(result.file, error)) result.file.clear();
  if (!result.file.empty()) RETURN_IF_ERROR(from_file(result.config, result.file));
  RETURN_IF_ERROR(from_environment(result.config, environment));
  result.exit_with_parent = flags.exit_with_parent;
  for (size_t i = 0; i < std::size(config_keys()); i++) {
    if (flags.values[i].empty()) continue;
    if (!is_list(config_keys()[i]) && !is_table(config_keys()[i]))
      flags.values[i] = {flags.values[i].back()};  // the last value applies
    Status status = assign_values(result.config, config_keys()[i], flags.values[i]);
    if (!status.ok()) return invalid_argument("--{}: {}", config_keys()[i].name, message_of(status));
  }
  result.allows_unauthenticated_loopback = flags.allows_unauthenticated_loopback;
  RETURN_IF_ERROR(check_loopback(result));
  make_absolute(result.config);
  if (flags.check_config) {
    result.action = Invocation::Action::kCheckConfig;
    result.text = config_listing(result.config, result.file);
  }
  return result;
}

std::vector<const ConfigKey*> changed_keys(const Config& before, const Config& after) {
  std::vector<const ConfigKey*> changed;
  for (const ConfigKey& key : config_keys())
    if (config_text(before, key) != config_text(after, key)) changed.push_back(&key);
  return changed;
}

Config reloaded(const Config& before, const Config& after) {
  Config result = before;
  for (const ConfigKey& key : config_keys())
    if (key.reloadable) std::visit([&](auto field) { result.*field = after.*field; }, key.field);
  return result;
}

}  // namespace weft
