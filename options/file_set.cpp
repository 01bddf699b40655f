// SPDX-License-Identifier: Apache-2.0
#include "options/file_set.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "options/job_kinds.h"
#include "options/option.h"
#include "options/values.h"
#include "options/words.h"

namespace weft::options {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Returns the literal texts between the stars of a pattern, with escapes removed: {"a", "b"} for
// "a*b".
std::vector<std::string> literals_of(std::string_view pattern) {
  std::vector<std::string> literals(1);
  for (size_t i = 0; i < pattern.size(); i++) {
    if (pattern[i] == '\\' && i + 1 < pattern.size() && pattern[i + 1] == '*')
      literals.back() += pattern[++i];
    else if (pattern[i] == '*')
      literals.emplace_back();
    else
      literals.back() += pattern[i];
  }
  return literals;
}

bool matches(const std::vector<std::string>& literals, std::string_view name) {
  if (literals.size() == 1) return name == literals[0];
  if (!name.starts_with(literals.front())) return false;
  name.remove_prefix(literals.front().size());
  for (size_t i = 1; i + 1 < literals.size(); i++) {
    const size_t at = name.find(literals[i]);
    if (at == std::string_view::npos) return false;
    name.remove_prefix(at + literals[i].size());
  }
  return name.ends_with(literals.back());
}

std::string ending_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  std::string extension(dot == std::string_view::npos || dot == 0 ? "" : name.substr(dot + 1));
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return extension;
}

std::string stem_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  return std::string(dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot));
}

bool is_one_of(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<Option> names_option(const google::protobuf::Message& job) {
  for (Option& option : options_of(job.GetDescriptor()))
    if (option.declaration().names_of_set()) return std::move(option);
  return std::nullopt;
}

}  // namespace

bool is_file_set(std::string_view path) { return literals_of(last_part(path)).size() > 1; }

std::string name_without_signs(std::string_view path) {
  std::string name(path.substr(0, path.rfind('/') + 1));
  return name + literals_of(last_part(path))[0];
}

std::string with_signs(std::string_view path) {
  std::string name(path.substr(0, path.rfind('/') + 1));
  for (const char c : last_part(path)) {
    if (c == '*') name += '\\';
    name += c;
  }
  return name;
}

StatusOr<std::vector<SetFile>> FileSet::list(std::span<const std::string> names) const {
  const std::vector<std::string> before_and_after = literals_of(last_part(output));
  if (before_and_after.size() != 2)
    return invalid_argument(
        "The output of several files ({}) has {} stars in its name; one of them stands for the input's name, "
        "as in 2x/*.dds.",
        output, before_and_after.size() - 1);
  const std::vector<std::string> wanted = literals_of(last_part(input));
  std::set<std::string> meant(chosen.begin(), chosen.end());
  std::set<std::string> found;
  for (const std::string& name : names) {
    const bool is_meant = chosen.empty() ? !name.starts_with('.') && matches(wanted, name) &&
                                               is_one_of(extensions, ending_of(name))
                                         : meant.contains(name);
    if (is_meant) found.insert(name);
  }
  for (const std::string& name : meant)
    if (!found.contains(name)) return not_found("A file of the input is not there ({}).", name);
  if (found.empty())
    return not_found("There is no file that is meant ({}); such files end in {}.", input,
                     join_or({extensions.begin(), extensions.end()}));
  if (found.size() > kMaxSetFiles)
    return invalid_argument("The input has {} files, at most {} are one job; take fewer ({}).", found.size(),
                            kMaxSetFiles, input);
  std::vector<SetFile> files;
  std::map<std::string, std::string> owners;
  for (const std::string& name : found) {
    std::string made = before_and_after[0] + stem_of(name) + before_and_after[1];
    if (const std::string own = ending_of(name); !is_one_of(output_extensions, ending_of(made)))
      made += "." + (is_one_of(output_extensions, own) ? own : output_extensions[0]);
    const auto [owner, is_new] = owners.emplace(made, name);
    if (!is_new)
      return invalid_argument("Two files ({} and {}) have the same output ({}); make two jobs of them.",
                              owner->second, name, made);
    files.push_back({name, std::move(made)});
  }
  return files;
}

StatusOr<std::vector<SetFile>> FileSet::list(int folder) const {
  // Opens the folder again, because duplicates of a descriptor share one read position.
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = own < 0 ? nullptr : ::fdopendir(own);
  if (entries == nullptr) {
    const int error = errno;
    if (own >= 0) ::close(own);
    return unavailable("The folder of the files cannot be read ({}).", std::strerror(error));
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(entries))
    if (entry->d_type != DT_DIR) names.emplace_back(entry->d_name);
  const int error = errno;
  ::closedir(entries);
  if (error != 0) return unavailable("The folder of the files cannot be read ({}).", std::strerror(error));
  return list(names);
}

StatusOr<FileSet> file_set_of(const v1::JobSpec& spec) {
  const auto kind = job_kind_of(spec);
  if (!kind || !kind->input_option() || !kind->output_option())
    return internal_error("A job without files is taken for one of several.");
  const google::protobuf::Message& job = job_message(spec);
  FileSet set;
  const Option input = *kind->input_option();
  set.input = format_value(job, input);
  set.output = format_value(job, *kind->output_option());
  const auto& extensions = input.declaration().set_extensions();
  set.extensions.assign(extensions.begin(), extensions.end());
  const auto& made = kind->declaration().output_extensions();
  set.output_extensions.assign(made.begin(), made.end());
  if (const auto names = names_option(job)) set.chosen = format_values(job, *names);
  return set;
}

void choose_names(v1::JobSpec& spec, std::span<const std::string> names) {
  const auto kind = job_kind_of(spec);
  if (!kind) return;
  google::protobuf::Message& job = kind->choose(spec);
  const auto option = names_option(job);
  if (!option) return;
  clear(job, *option);
  for (const std::string& name : names) job.GetReflection()->AddString(&job, &option->field(), name);
}

}  // namespace weft::options
