// SPDX-License-Identifier: Apache-2.0
#include "server/media/folder_calls.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/media/file.h"

namespace weft::media {
namespace {

FolderCalls* calls_of_others = nullptr;

// Returns null if the system's calls are to be used.
FolderCalls* calls_for(int folder) { return folder == AT_FDCWD ? nullptr : calls_of_others; }

}  // namespace

void use_folder_calls(FolderCalls* calls) { calls_of_others = calls; }

int open_in(int folder, const std::string& name, int flags, mode_t mode) {
  FolderCalls* const calls = calls_for(folder);
  return calls != nullptr ? calls->open(folder, name, flags, mode)
                          : ::openat(folder, name.c_str(), flags, mode);
}

int rename_in(int folder, const std::string& from, const std::string& to) {
  FolderCalls* const calls = calls_for(folder);
  return calls != nullptr ? calls->rename(folder, from, to)
                          : ::renameat(folder, from.c_str(), folder, to.c_str());
}

int remove_in(int folder, const std::string& name, int flags) {
  FolderCalls* const calls = calls_for(folder);
  return calls != nullptr ? calls->remove(folder, name, flags) : ::unlinkat(folder, name.c_str(), flags);
}

int make_folder_in(int folder, const std::string& name, mode_t mode) {
  FolderCalls* const calls = calls_for(folder);
  return calls != nullptr ? calls->make_folder(folder, name, mode) : ::mkdirat(folder, name.c_str(), mode);
}

bool is_in(int folder, const std::string& name) {
  FolderCalls* const calls = calls_for(folder);
  return (calls != nullptr ? calls->examine(folder, name) : ::faccessat(folder, name.c_str(), F_OK, 0)) == 0;
}

StatusOr<std::vector<std::string>> list_in(int folder, const std::string& name) {
  // Opens the folder again: the read position belongs to the descriptor, so a shared one cannot be
  // used.
  Descriptor own(open_in(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own) return system_error(errno, "opened", name);
  const auto close_folder = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close_folder)> entries(::fdopendir(own.get()), close_folder);
  if (entries == nullptr) return system_error(errno, "listed", name);
  own.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(entries.get()))
    if (const std::string_view found = entry->d_name; found != "." && found != "..")
      names.emplace_back(found);
  if (errno != 0) return system_error(errno, "listed", name);
  return names;
}

}  // namespace weft::media
