// SPDX-License-Identifier: Apache-2.0
#include "server/tuning/tuning_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include "base/log.h"
#include "server/device/shapes.h"

namespace weft::tuning {
namespace {

bool is_same_site(const v1::TunedKernel& a, const v1::TunedKernel& b) {
  return a.kernel() == b.kernel() && a.size_class() == b.size_class();
}
bool goes_before(const v1::TunedKernel& a, const v1::TunedKernel& b) {
  return std::pair(std::string_view(a.kernel()), a.size_class()) <
         std::pair(std::string_view(b.kernel()), b.size_class());
}

bool makes_sense(const v1::TunedKernel& entry) {
  return !entry.kernel().empty() && entry.size_class() >= 0 && entry.size_class() < 96 &&
         device::read_shape(entry.shape()).has_value() &&
         device::read_shape(entry.default_shape()).has_value();
}

// Reads a table. Returns nullopt if the file does not exist or is damaged; damage is logged.
std::optional<TuningTable> parse_table(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  TuningTable read;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  if (google::protobuf::util::JsonStringToMessage(text.str(), &read, options).ok()) return read;
  log_warning("The table of tuned kernels '{}' is damaged and is not used; tune the device again.", path);
  return std::nullopt;
}

void put_sensible(const TuningTable& read, const std::string& path, TuningTable& table) {
  for (const v1::TunedKernel& entry : read.kernels())
    if (makes_sense(entry)) put_tuned(table, entry);
  if (table.kernels_size() != read.kernels_size())
    log_warning("The table of tuned kernels '{}' has entries that are none or double; they are left out.",
                path);
}

Status write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return internal_error("{}", std::strerror(errno));
    text.remove_prefix(size_t(written));
  }
  return ::fsync(file) == 0 ? ok_status() : internal_error("{}", std::strerror(errno));
}

}  // namespace

std::string path_in(std::string_view folder, const device::DeviceInfo& info) {
  if (folder.empty()) return "";
  return (std::filesystem::path(folder) / fmt::format("tuning-{}.json", info.uuid)).string();
}

std::string shipped_name(const device::DeviceInfo& info) {
  std::string name;
  for (const char letter : fmt::format("{} {}", info.id.substr(0, info.id.find(':')), info.name)) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    const bool is_kept = is_upper || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (is_kept)
      name += is_upper ? char(letter - 'A' + 'a') : letter;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  if (name.ends_with('-')) name.pop_back();
  return name + ".json";
}

TuningTable read_table(const std::string& path, const device::DeviceInfo& info) {
  TuningTable none;
  none.set_driver(info.driver);
  const std::optional<TuningTable> read = parse_table(path);
  if (!read.has_value()) return none;
  if (read->driver() != info.driver) {
    log_info("The table of tuned kernels '{}' was found with another driver ({}, now {}) and is not used.",
             path, read->driver(), info.driver);
    return none;
  }
  put_sensible(*read, path, none);
  return none;
}

TuningTable read_shipped_table(std::string_view folder, const device::DeviceInfo& info) {
  TuningTable table;
  table.set_driver(info.driver);
  if (folder.empty()) return table;
  const std::string path = (std::filesystem::path(folder) / shipped_name(info)).string();
  if (const std::optional<TuningTable> read = parse_table(path)) put_sensible(*read, path, table);
  for (v1::TunedKernel& entry : *table.mutable_kernels())
    if (!entry.reason().starts_with(kShipped))
      entry.set_reason(fmt::format("{}{}", kShipped, entry.reason()));
  return table;
}

Status write_table(const std::string& path, const TuningTable& table) {
  if (path.empty()) return ok_status();
  std::string text;
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  if (const auto printed = google::protobuf::util::MessageToJsonString(table, &text, options); !printed.ok())
    return internal_error("The table of tuned kernels cannot be written as JSON.");
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const std::string temporary = fmt::format("{}.{}", path, ::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  Status status = file < 0 ? internal_error("{}", std::strerror(errno)) : write_all(file, text);
  if (file >= 0) ::close(file);
  if (status.ok()) std::filesystem::rename(temporary, path, error);
  if (status.ok() && error) status = internal_error("{}", error.message());
  if (status.ok()) return status;
  std::filesystem::remove(temporary, error);
  return with_context(status, fmt::format("The table of tuned kernels '{}' cannot be written", path));
}

const v1::TunedKernel* find_tuned(const TuningTable& table, std::string_view kernel, int size_class) {
  for (const v1::TunedKernel& entry : table.kernels())
    if (entry.size_class() == size_class && entry.kernel() == kernel) return &entry;
  return nullptr;
}

void put_tuned(TuningTable& table, v1::TunedKernel entry) {
  auto& entries = *table.mutable_kernels();
  const auto insert_at = std::lower_bound(entries.begin(), entries.end(), entry, goes_before);
  if (insert_at != entries.end() && is_same_site(*insert_at, entry)) {
    *insert_at = std::move(entry);
    return;
  }
  const int at = int(insert_at - entries.begin());
  *entries.Add() = std::move(entry);
  for (int i = entries.size() - 1; i > at; i--) entries.SwapElements(i, i - 1);
}

TuningTable merged(const TuningTable& shipped, const TuningTable& learnt) {
  TuningTable both = shipped;
  both.set_driver(learnt.driver());
  for (const v1::TunedKernel& entry : learnt.kernels()) put_tuned(both, entry);
  return both;
}

device::ShapeTable shapes_in(const TuningTable& table) {
  device::ShapeTable shapes;
  for (const v1::TunedKernel& entry : table.kernels()) {
    const auto shape = device::read_shape(entry.shape());
    if (shape.has_value()) shapes[entry.kernel()].push_back({entry.size_class(), *shape});
  }
  return shapes;
}

}  // namespace weft::tuning
