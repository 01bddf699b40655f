// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/finished_files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "options/job_files.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/files/file_error.h"
#include "server/queue/files/job_files.h"
#include "server/queue/files/sync_file.h"

namespace weft::queue {
namespace {

using channel::FileDescriptor;
using Files = std::vector<FinishedFile>;

int64_t ns_of(const timespec& time) { return int64_t(time.tv_sec) * 1'000'000'000 + int64_t(time.tv_nsec); }

std::string path_in(const WorkFolder& folder, const std::string& name) { return folder.path + "/" + name; }

// Returns the target path of a finished file with this name, or an empty string if the output has
// no such file.
std::string target_in(const options::JobFile& output, std::string_view name) {
  if (!name.starts_with(output.finished_name)) return "";
  const std::string_view rest = name.substr(output.finished_name.size());
  if (output.is_sequence) {
    const std::string_view frame = rest.substr(std::min<size_t>(rest.size(), 1));
    const bool is_name = !frame.empty() && frame != "." && frame != ".." && frame.find('/') == frame.npos;
    return rest.starts_with('/') && is_name ? fmt::format("{}/{}", output.folder(), frame) : "";
  }
  if (rest.empty()) return output.path;
  int number = 0;
  std::from_chars(rest.data() + 1, rest.data() + rest.size(), number);
  const options::JobFile part = options::output_part(output, number);
  return number > 1 && part.finished_name == name ? part.path : "";
}

std::string target_of(const std::vector<options::JobFile>& outputs, std::string_view name) {
  for (const options::JobFile& output : outputs)
    if (std::string target = target_in(output, name); !target.empty()) return target;
  return "";
}

Status add_file(const WorkFolder& folder, const std::string& name, const std::string& target, Files& files) {
  struct stat info {};
  if (::fstatat(folder.descriptor, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT)
      return file_error(errno, "The finished file cannot be looked at", path_in(folder, name));
    return data_loss("The finished file is gone from its work folder ({}).", path_in(folder, name));
  }
  if (!S_ISREG(info.st_mode)) return data_loss("The finished file is no file ({}).", path_in(folder, name));
  files.push_back(described(name, target, info));
  return ok_status();
}

// Adds the last part first.
Status add_output_parts(const WorkFolder& folder, const options::JobFile& output, Files& files) {
  const auto is_there = [&](int number) {
    return ::faccessat(folder.descriptor, options::output_part(output, number).finished_name.c_str(), F_OK,
                       AT_SYMLINK_NOFOLLOW) == 0;
  };
  int last_number = 1;
  while (is_there(last_number + 1)) last_number++;
  for (int number = last_number; number > 0; number--) {
    const options::JobFile part = options::output_part(output, number);
    RETURN_IF_ERROR(add_file(folder, part.finished_name, part.path, files));
  }
  return ok_status();
}

StatusOr<std::vector<std::string>> list_frames(const WorkFolder& folder, const std::string& name) {
  const FileDescriptor frames(
      ::openat(folder.descriptor, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!frames.is_open() && errno == ENOENT)
    return data_loss("The finished frames are gone from their work folder ({}).", folder.path);
  if (!frames.is_open())
    return file_error(errno, "The finished frames cannot be listed", path_in(folder, name));
  return list_names(frames.get());
}

Status add_frames(const WorkFolder& folder, const options::JobFile& output, Files& files) {
  ASSIGN_OR_RETURN(const std::vector<std::string> frames, list_frames(folder, output.finished_name));
  for (const std::string& frame : frames)
    RETURN_IF_ERROR(add_file(folder, fmt::format("{}/{}", output.finished_name, frame),
                             fmt::format("{}/{}", output.folder(), frame), files));
  return ok_status();
}

StatusOr<std::string> read_text(int file, const std::string& path) {
  std::string text;
  char part[16 * 1024];
  while (true) {
    const ssize_t count = ::read(file, part, sizeof(part));
    if (count == 0) return text;
    if (count < 0 && errno != EINTR)
      return file_error(errno, "The note of what is finished cannot be read", path);
    if (count > 0) text.append(part, size_t(count));
  }
}

// Reads a number and the space after it.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return false;
  text.remove_prefix(size_t(end - text.data()) + 1);
  return true;
}

}  // namespace

bool FinishedFile::is(const struct stat& info) const {
  return S_ISREG(info.st_mode) && info.st_size == bytes &&
         (info.st_ino == inode || changed_ns == ns_of(info.st_mtim));
}

FinishedFile described(std::string name, std::string target, const struct stat& info) {
  return {std::move(name), std::move(target), info.st_size, info.st_ino, ns_of(info.st_mtim)};
}

StatusOr<Files> find_finished(const WorkFolder& folder, const v1::JobSpec& spec) {
  Files files;
  const options::JobFiles named = options::files_of_job(spec);
  for (size_t i = named.outputs.size(); i-- > 0;) {
    const options::JobFile& output = named.outputs[i];
    RETURN_IF_ERROR(output.is_sequence ? add_frames(folder, output, files)
                                       : add_output_parts(folder, output, files));
  }
  return files;
}

// Writes one line for each file: size, inode, time, length of the name, and the name, which may
// contain any bytes.
Status write_note(const WorkFolder& folder, const std::string& name, const Files& files) {
  std::string text;
  for (const FinishedFile& file : files)
    text +=
        fmt::format("{} {} {} {} {}\n", file.bytes, file.inode, file.changed_ns, file.name.size(), file.name);
  const std::string unfinished = name + ".unfinished";
  FileDescriptor note(::openat(folder.descriptor, unfinished.c_str(),
                               O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!note.is_open())
    return file_error(errno, "The note of what is finished cannot be made", path_in(folder, unfinished));
  for (size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(note.get(), text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return file_error(errno, "The note of what is finished cannot be written", path_in(folder, unfinished));
    at += size_t(count);
  }
  RETURN_IF_ERROR(sync_file(note.get(), path_in(folder, unfinished)));
  if (::renameat(folder.descriptor, unfinished.c_str(), folder.descriptor, name.c_str()) != 0)
    return file_error(errno, "The note of what is finished cannot be put in its place",
                      path_in(folder, name));
  return sync_folder(folder.descriptor, folder.path);
}

StatusOr<std::optional<Files>> read_note(const WorkFolder& folder, const std::string& name,
                                         const v1::JobSpec& spec) {
  const std::string path = path_in(folder, name);
  FileDescriptor note(::openat(folder.descriptor, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!note.is_open() && errno == ENOENT) return std::nullopt;
  if (!note.is_open()) return file_error(errno, "The note of what is finished cannot be read", path);
  ASSIGN_OR_RETURN(const std::string text, read_text(note.get(), path));
  const std::vector<options::JobFile> outputs = options::files_of_job(spec).outputs;
  Files files;
  for (std::string_view rest = text; !rest.empty();) {
    FinishedFile file;
    size_t length = 0;
    const bool is_whole = take_number(rest, file.bytes) && take_number(rest, file.inode) &&
                          take_number(rest, file.changed_ns) && take_number(rest, length) &&
                          length < rest.size() && rest[length] == '\n';
    if (!is_whole) return data_loss("The note of what is finished is damaged ({}).", path);
    file.name = rest.substr(0, length);
    rest.remove_prefix(length + 1);
    file.target = target_of(outputs, file.name);
    if (file.target.empty())
      return data_loss("The note of what is finished names a file that the job does not write ({}: {}).",
                       path, file.name);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace weft::queue
