// SPDX-License-Identifier: Apache-2.0
#include "server/worker/texture/exception_table.h"

#include <algorithm>

#include "options/job_files.h"
#include "server/media/file_bytes.h"

namespace weft::worker {
namespace {

constexpr std::string_view kSpaces = " \t";

std::string_view without_spaces(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

bool is_pattern(std::string_view name) {
  for (size_t i = 0; i < name.size(); i++) {
    if (name[i] == '\\')
      i++;
    else if (name[i] == '*' || name[i] == '?')
      return true;
  }
  return false;
}

std::string without_escapes(std::string_view name) {
  std::string plain;
  for (size_t i = 0; i < name.size(); i++) {
    if (name[i] == '\\' && i + 1 < name.size()) i++;
    plain += name[i];
  }
  return plain;
}

size_t letter_bytes(std::string_view text, size_t at) {
  size_t bytes = 1;
  // continuation bytes of UTF-8
  while (at + bytes < text.size() && (text[at + bytes] & 0xC0) == 0x80) bytes++;
  return bytes;
}

// Matches a name against a pattern. A * first matches nothing; when the rest does not match, the
// last * matches one character more.
bool fits(std::string_view pattern, std::string_view name) {
  size_t at = 0, from = 0, star = std::string_view::npos, taken = 0;
  while (from < name.size()) {
    const bool is_escaped = at + 1 < pattern.size() && pattern[at] == '\\';
    const char wanted = at < pattern.size() ? pattern[is_escaped ? at + 1 : at] : '\0';
    if (!is_escaped && wanted == '*') {
      star = ++at;
      taken = from;
    } else if (!is_escaped && wanted == '?') {
      at++;
      from += letter_bytes(name, from);
    } else if (at < pattern.size() && wanted == name[from]) {
      at += is_escaped ? 2 : 1;
      from++;
    } else if (star != std::string_view::npos) {
      at = star;
      from = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

bool has_control_letters(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](unsigned char c) { return c < ' ' && c != '\t'; });
}

struct TableLine {
  std::string_view name, reason;
};

StatusOr<TableLine> parse_line(std::string_view line, size_t number, std::string_view table) {
  if (has_control_letters(line))
    return invalid_argument(
        "Line {} of the table of exceptions ({}) is no text; save the table as plain text.", number, table);
  size_t end = line.find('\t');
  if (end == std::string_view::npos) end = line.find(' ');
  const TableLine read = {without_spaces(line.substr(0, end)),
                          end == std::string_view::npos ? "" : without_spaces(line.substr(end))};
  if (read.reason.empty())
    return invalid_argument(
        "Line {} of the table of exceptions ({}) has a name without a reason ('{}'). Write the reason behind "
        "it, or put a # before the "
        "line.",
        number, table, read.name);
  if (read.name.size() > options::kMaxFileNameBytes || read.reason.size() > ExceptionTable::kMaxReasonBytes)
    return invalid_argument(
        "Line {} of the table of exceptions ({}) is too long: a name has at most {} bytes, a reason {}.",
        number, table, options::kMaxFileNameBytes, ExceptionTable::kMaxReasonBytes);
  if (read.name.find('/') != std::string_view::npos)
    return invalid_argument(
        "Line {} of the table of exceptions ({}) names a folder ('{}'). Leave it out: textures are meant by "
        "the names that they have in "
        "their folder.",
        number, table, read.name);
  return read;
}

}  // namespace

StatusOr<ExceptionTable> ExceptionTable::parse(std::string_view text, std::string_view name) {
  // some editors write it at the beginning of a UTF-8 file
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  ExceptionTable table;
  size_t number = 0;
  while (!text.empty()) {
    number++;
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = without_spaces(line);
    if (line.empty() || line.starts_with('#')) continue;
    ASSIGN_OR_RETURN(const TableLine read, parse_line(line, number, name));
    if (is_pattern(read.name))
      table.patterns_.emplace_back(read.name, read.reason);
    else
      table.names_.emplace(without_escapes(read.name), read.reason);
    if (table.names_.size() + table.patterns_.size() > kMaxEntries)
      return invalid_argument(
          "The table of exceptions ({}) has more than {} entries; patterns such as *_ui.dds "
          "stand for many names.",
          name, kMaxEntries);
  }
  return table;
}

StatusOr<ExceptionTable> ExceptionTable::of(const std::vector<OpenJobFile>& inputs) {
  constexpr const char* kField = "spec.texture.exceptions";
  const OpenJobFile* input = find_input(inputs, "exceptions");
  if (input == nullptr) return ExceptionTable();
  const auto read = [&]() -> StatusOr<ExceptionTable> {
    ASSIGN_OR_RETURN(const media::InputFilePtr file, open_input_file(*input));
    ASSIGN_OR_RETURN(const auto text, media::load_file(*file, kMaxBytes, "table of exceptions"));
    return parse(*text, file->name());
  }();
  if (!read.ok()) return blame(kField, read.status());
  return read;
}

const std::string* ExceptionTable::reason_of(std::string_view file_name) const {
  if (const auto name = names_.find(file_name); name != names_.end()) return &name->second;
  const auto pattern = std::find_if(patterns_.begin(), patterns_.end(),
                                    [&](const auto& each) { return fits(each.first, file_name); });
  return pattern == patterns_.end() ? nullptr : &pattern->second;
}

}  // namespace weft::worker
