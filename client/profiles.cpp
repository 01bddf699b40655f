// SPDX-License-Identifier: Apache-2.0
#include "client/profiles.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "client/built_in_profiles.h"
#include "client/json.h"
#include "options/job_kinds.h"
#include "options/values.h"
#include "options/words.h"

namespace weft::client {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".json";

bool is_file_name(const std::string& profile) {
  return profile.find('/') != std::string::npos || profile.ends_with(kExtension);
}

StatusOr<std::string> path_of(const std::string& profile) {
  if (is_file_name(profile)) return profile;
  if (profile.empty() || profile.size() > kMaxProfileName || profile[0] == '.' ||
      profile.find('\0') != std::string::npos || !options::is_utf8(profile))
    return invalid_argument(
        "The name of a profile ({}) is not one: give 1 to {} bytes that do not begin with a dot.", profile,
        kMaxProfileName);
  return fmt::format("{}/{}{}", profile_folder(), profile, kExtension);
}

// Returns true for the files of a job and the part of its input, which do not apply to other jobs.
bool is_of_one_job(const options::JobKind& kind, const options::Option& option) {
  const auto input = kind.input_option();
  return option.path_kind() == v1::PATH_KIND_OUTPUT_FILE || (input && option.path() == input->path()) ||
         option.declaration().names_of_set() || option.declaration().form() != v1::TEXT_FORM_UNSPECIFIED;
}

const BuiltInProfile* built_in(const std::string& profile) {
  const auto found = std::ranges::find(built_in_profiles(), profile, &BuiltInProfile::name);
  return found == built_in_profiles().end() ? nullptr : &*found;
}

Status no_profile(const std::string& profile, const std::string& path, int why) {
  std::vector<std::string> names = profile_names();
  for (const BuiltInProfile& each : built_in_profiles()) names.emplace_back(each.name);
  if (is_file_name(profile) || why != ENOENT)
    return not_found("The profile ({}) cannot be read ({}); look at the file.", path, std::strerror(why));
  if (built_in(profile) != nullptr)
    return failed_precondition(
        "The profile '{}' comes with the program and is not stored; save another one under its name to "
        "replace "
        "it.",
        profile);
  const std::string hint = options::did_you_mean(profile, names);
  return not_found("There is no profile '{}'{} There are {}.", profile, hint.empty() ? "." : hint,
                   options::join_and(names));
}

}  // namespace

v1::Profile profile_of(const v1::Job& job) {
  v1::Profile profile;
  *profile.mutable_spec() = job.spec();
  *profile.mutable_settings() = job.settings();
  if (const auto kind = options::job_kind_of(job.spec())) {
    google::protobuf::Message& message = kind->choose(*profile.mutable_spec());
    for (const options::Option& option : options::options_of(kind->message()))
      if (is_of_one_job(*kind, option)) options::clear(message, option);
    options::clear_defaults(message);
  }
  v1::JobSettings& settings = *profile.mutable_settings();
  v1::JobSettings defaults;
  options::apply_defaults(job.spec(), defaults);
  options::clear_defaults(settings);
  settings.clear_owner();
  // The default class depends on the kind of job, so clear_defaults() does not clear it.
  settings.set_job_class(job.settings().job_class() == defaults.job_class() ? v1::JOB_CLASS_UNSPECIFIED
                                                                            : job.settings().job_class());
  return profile;
}

std::string profile_text(v1::Profile profile) {
  profile.clear_name();
  return to_json_file(profile);
}

StatusOr<v1::Profile> parse_profile(const std::string& text, const std::string& name) {
  v1::Profile profile;
  v1::Job job;
  const bool is_job = parse_json(text, job, UnknownFields::kIgnore).ok() && !job.id().empty();
  const Status parsed = is_job ? parse_json(text, job) : parse_json(text, profile);
  if (parsed.ok()) return is_job ? profile_of(job) : profile;
  return invalid_argument(
      "The profile ({}) is not understood. {} A profile is JSON with 'spec' and 'settings', as `weft "
      "profile save` and the dashboard write it, or a job from `weft show --json`.",
      name, message_of(parsed));
}

std::string profile_folder() {
  const char* configuration = std::getenv("XDG_CONFIG_HOME");
  if (configuration != nullptr && configuration[0] == '/')
    return fmt::format("{}/weft/profiles", configuration);
  const char* home = std::getenv("HOME");
  return fmt::format("{}/.config/weft/profiles", home == nullptr ? "" : home);
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator file(profile_folder(), error), end; !error && file != end;
       file.increment(error))
    if (file->path().extension() == kExtension && file->path().filename().string()[0] != '.')
      names.push_back(file->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

StatusOr<v1::Profile> read_profile(const std::string& profile) {
  ASSIGN_OR_RETURN(const std::string path, path_of(profile));
  std::ifstream file(path, std::ios::binary);
  if (const BuiltInProfile* found = built_in(profile); !file && errno == ENOENT && found != nullptr)
    return parse_profile(std::string(found->text), profile);
  if (!file) return no_profile(profile, path, errno);
  std::string text(kMaxProfileBytes + 1, '\0');
  file.read(text.data(), std::streamsize(text.size()));
  if (file.bad()) return data_loss("The profile ({}) cannot be read to its end; check the file.", path);
  text.resize(size_t(file.gcount()));
  if (text.size() > kMaxProfileBytes)
    return invalid_argument("The profile ({}) is too large (at most {} bytes); it is something else.", path,
                            kMaxProfileBytes);
  return parse_profile(text, path);
}

Status write_profile(const std::string& profile, const v1::Profile& content) {
  ASSIGN_OR_RETURN(const std::string path, path_of(profile));
  std::error_code error;
  if (!is_file_name(profile)) fs::create_directories(profile_folder(), error);
  const std::string unfinished = fmt::format("{}.{}~", path, ::getpid());
  std::ofstream file(unfinished, std::ios::binary);
  file << profile_text(content);
  file.close();
  if (file && ::rename(unfinished.c_str(), path.c_str()) == 0) return ok_status();
  const int why = errno;
  fs::remove(unfinished, error);
  return unavailable("The profile ({}) cannot be written ({}); look at its folder and the disk.", path,
                     std::strerror(why));
}

Status rename_profile(const std::string& from, const std::string& to) {
  ASSIGN_OR_RETURN(const std::string old_path, path_of(from));
  ASSIGN_OR_RETURN(const std::string new_path, path_of(to));
  std::error_code error;
  if (fs::exists(new_path, error))
    return already_exists("There is a profile '{}' already; choose another name, or delete it first.", to);
  if (::rename(old_path.c_str(), new_path.c_str()) == 0) return ok_status();
  return no_profile(from, old_path, errno);
}

Status remove_profile(const std::string& profile) {
  ASSIGN_OR_RETURN(const std::string path, path_of(profile));
  return ::unlink(path.c_str()) == 0 ? ok_status() : no_profile(profile, path, errno);
}

}  // namespace weft::client
