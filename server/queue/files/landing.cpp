// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/landing.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_point.h"
#include "options/job_files.h"
#include "server/channel/sha256.h"
#include "server/queue/files/file_error.h"
#include "server/queue/files/sync_file.h"
#include "server/queue/files/verified_copy.h"

namespace weft::queue {
namespace {

std::string target_folder_of(const FinishedFile& file) {
  return std::filesystem::path(file.target).parent_path().string();
}

// Reads the properties of a file, without following a link. Returns false if there is none.
bool inspect(int folder, const std::string& name, struct stat& info) {
  return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

Landing::Landing(const v1::Job& job, const StoreIdentity& store, WorkFolder work_folder, std::string note,
                 const CopyReport& report)
    : job_(job),
      store_(store),
      work_folder_(std::move(work_folder)),
      note_(std::move(note)),
      report_(report) {}

Status Landing::read_copies() {
  ASSIGN_OR_RETURN(auto noted, read_note(work_folder_, note_, job_.spec()));
  for (FinishedFile& copy : noted.value_or(std::vector<FinishedFile>())) copies_[copy.name] = copy;
  return ok_status();
}

bool Landing::add_folder(const std::string& path, int descriptor) {
  for (const options::JobFile& output : options::files_of_job(job_.spec()).outputs) {
    if (output.folder() != path) continue;
    Folder folder{.target = descriptor, .path = options::work_folder_of(output, job_.id())};
    return folder.path != work_folder_.path && folders_.try_emplace(path, std::move(folder)).second;
  }
  return false;
}

const Landing::Folder* Landing::folder_of(const FinishedFile& file) const {
  const auto folder = folders_.find(target_folder_of(file));
  return folder == folders_.end() ? nullptr : &folder->second;
}

// Returns a name that differs from the marks of a work folder and has a fixed length.
std::string Landing::name_of(const FinishedFile& file) {
  constexpr size_t kDigits = 32;
  return "copy-" + channel::sha256_of(file.name).substr(0, kDigits);
}

MovableFile Landing::movable(const FinishedFile& file) const {
  const Folder* folder = folder_of(file);
  if (folder == nullptr) return {work_folder_.descriptor, file.name};
  return {folder->open.work_folder.get(), name_of(file)};
}

// The number of an inode says nothing about a target on another file system. Therefore a finished
// file that is still in the work folder is compared by its device, too.
bool Landing::is_of(const FinishedFile& file, const struct stat& target) const {
  const auto copy = copies_.find(file.name);
  if (copy != copies_.end() && copy->second.is(target)) return true;
  struct stat info {};
  return inspect(work_folder_.descriptor, file.name, info) ? id_of(info) == id_of(target) : file.is(target);
}

// Returns true unless the file or its copy is at the target, or the copy is in the landing folder.
bool Landing::is_needed(const FinishedFile& file) const {
  const Folder* folder = folder_of(file);
  struct stat info {};
  if (folder == nullptr) return false;
  const std::string name = std::filesystem::path(file.target).filename().string();
  if (inspect(folder->target, name, info) && is_of(file, info)) return false;
  const auto copy = copies_.find(file.name);
  return copy == copies_.end() || !inspect(folder->open.work_folder.get(), name_of(file), info) ||
         !copy->second.is(info);
}

Status Landing::open(Folder& folder) {
  if (folder.open.work_folder.is_open()) return ok_status();
  const Status status = open_bound_folder(folder.target, folder.path, job_, store_, folder.open);
  // The holder of the lock is another publishing, which ends.
  return status.code() == StatusCode::kAborted ? unavailable("{}", message_of(status)) : status;
}

Status Landing::copy(const std::vector<FinishedFile>& files) {
  for (auto& [path, folder] : folders_) RETURN_IF_ERROR(open(folder));
  std::vector<FinishedFile> needed;
  std::copy_if(files.begin(), files.end(), std::back_inserter(needed),
               [this](const FinishedFile& file) { return is_needed(file); });
  if (needed.empty()) return ok_status();
  done_bytes_ = total_bytes_ = 0;
  for (const FinishedFile& file : needed) total_bytes_ += 2 * file.bytes;
  for (const FinishedFile& file : needed) RETURN_IF_ERROR(copy_file(file));
  RETURN_IF_ERROR(check_results(files));
  for (const auto& [path, folder] : folders_)
    RETURN_IF_ERROR(sync_folder(folder.open.work_folder.get(), folder.path));
  FAULT_POINT("publish.before_note_of_copies");
  std::vector<FinishedFile> copies;
  for (const auto& [name, copy] : copies_) copies.push_back(copy);
  return write_note(work_folder_, note_, copies);
}

Status Landing::copy_file(const FinishedFile& file) {
  const Folder& folder = *folder_of(file);
  const int landing = folder.open.work_folder.get();
  const std::string name = name_of(file), path = work_folder_.path + "/" + file.name;
  FAULT_POINT("publish.before_copy");
  const channel::FileDescriptor from(
      ::openat(work_folder_.descriptor, file.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!from.is_open() || ::fstat(from.get(), &info) != 0)
    return errno == ENOENT ? data_loss("The finished file is gone from its work folder ({}).", path)
                           : file_error(errno, "The finished file cannot be opened", path);
  if (!file.is(info)) return data_loss("The finished file was replaced in its work folder ({}).", path);
  channel::FileDescriptor to(
      ::openat(landing, name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  const std::string copy_path = folder.path + "/" + name;
  if (!to.is_open() || ::fchmod(to.get(), info.st_mode & 07777) != 0)
    return file_error(errno, "The copy of the finished file cannot be created", copy_path);
  ASSIGN_OR_RETURN(hashes_[file.name],
                   copy_verified({from.get(), path}, {to.get(), copy_path}, [this](int64_t bytes) {
                     done_bytes_ += bytes;
                     return report_ ? report_(done_bytes_, total_bytes_) : ok_status();
                   }));
  to.reset();  // a network file system may set the time of the change when the file is closed
  if (!inspect(landing, name, info))
    return file_error(errno, "The copy of the finished file cannot be examined", copy_path);
  copies_[file.name] = described(file.name, file.target, info);
  return ok_status();
}

// Compares the hashes of the copied files with those in the job's result, as far as both are known.
Status Landing::check_results(const std::vector<FinishedFile>& files) const {
  std::map<std::string, std::string> by_path;  // hash by path of an output
  for (const FinishedFile& file : files)
    if (const auto hash = hashes_.find(file.name); hash != hashes_.end()) by_path[file.target] = hash->second;
  for (const options::JobFile& output : options::files_of_job(job_.spec()).outputs) {
    if (!output.is_sequence) continue;
    std::map<std::string, std::string> lines;  // by name
    bool is_complete = true;
    for (const FinishedFile& file : files) {
      if (!file.name.starts_with(output.finished_name + "/")) continue;
      const std::string name = file.name.substr(output.finished_name.size() + 1);
      const auto hash = hashes_.find(file.name);
      is_complete = is_complete && hash != hashes_.end();
      if (is_complete) lines[name] = channel::sha256_line(hash->second, name);
    }
    channel::Sha256 list;
    for (const auto& [name, line] : lines) list.add(line);
    if (is_complete) by_path[output.path] = list.digits();
  }
  for (const v1::OutputHash& wanted : job_.result().output_hashes()) {
    const auto found = by_path.find(wanted.path());
    if (found == by_path.end() || found->second == wanted.sha256()) continue;
    return data_loss(
        "The finished output ({}) was changed in its work folder (SHA-256 {} instead of {}). Check the file "
        "system of {}, and retry the job to make it again.",
        wanted.path(), found->second, wanted.sha256(), work_folder_.path);
  }
  return ok_status();
}

void Landing::remove() {
  for (auto& [path, folder] : folders_) {
    if (!folder.open.work_folder.is_open()) continue;
    folder.open.work_folder.reset();
    // An error is reported and repeated when the job's work folder is removed.
    static_cast<void>(remove_job_folder(folder.path, job_, store_.secret).ok());
  }
}

}  // namespace weft::queue
