// SPDX-License-Identifier: Apache-2.0
// Opens files named by a client with the client's rights.
//
//   const FileRights rights{record.submitter, rules};
//   FoundFile input = open_file(rights, "/home/ann/in.ts");
//   if (!input.is_found()) return invalid_argument("The input {} ({}).", input.why, path);
//
// A path is followed component by component: each folder is opened relative to the one above, and
// symbolic links are resolved in this code. The checked file is the opened one: if a link or folder
// is exchanged meanwhile, the new one is checked. If the daemon runs as root, it assumes the
// client's ids on its thread, and the kernel decides. Other daemons check the modes of the file and
// of every folder on the path, and refuse files and folders with an access control list. Clients
// that are the daemon's own user, or root, have the daemon's rights. Files in the daemon's own
// folders or in /proc are never opened for a client.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "server/channel/credentials.h"
#include "server/channel/file_descriptor.h"

namespace weft::queue {

using channel::Credentials;

// Identity of a file or folder, independent of its name.
using FileId = std::pair<dev_t, ino_t>;
inline FileId id_of(const struct stat& info) { return {info.st_dev, info.st_ino}; }

// The folders permitted for clients' files. Immutable.
class FileRules {
 public:
  // `own` are folders of the daemon, including all below them. `roots` are the folders below which
  // other users' files must lie; empty: files may lie anywhere. Folders are read once, here: one
  // that is created later has no effect.
  FileRules(const std::vector<std::string>& own, const std::vector<std::string>& roots);

  bool is_own_folder(const FileId& folder) const { return own_.contains(folder); }
  bool has_roots() const { return has_roots_; }
  bool is_root(const FileId& folder) const { return roots_.contains(folder); }
  // Returns true for another name (hard link) of a file in one of the daemon's folders.
  bool is_own_file(const struct stat& info) const;

 private:
  std::vector<std::string> own_paths_;
  std::set<FileId> own_;
  std::set<FileId> roots_;
  bool has_roots_ = false;
};

// The rights for opening files. By default the daemon's own, for all folders.
struct FileRights {
  Credentials caller = {};
  std::shared_ptr<const FileRules> rules = nullptr;
};

// An opened file, or the reason for failure.
struct FoundFile {
  channel::FileDescriptor descriptor;  // the file or folder, according to the function
  struct stat info {};
  int error = 0;    // errno of the kernel, or EACCES if this code refused
  std::string why;  // end of a sentence: "does not exist"; empty if it was opened

  bool is_found() const { return why.empty(); }
};

// Opens a regular file for reading. For a file of another kind it returns `info` and a reason ("is
// a folder"), without a descriptor or an error. May wait for a slow file system, as all functions
// here.
FoundFile open_file(const FileRights& rights, const std::string& path);
// Opens a folder for listing it and for reading its files.
FoundFile open_folder(const FileRights& rights, const std::string& path);
// Opens (O_PATH) a folder where the caller may create files. Callers rename, link and remove with
// this descriptor and a name, so that a later change of the folder's path has no effect.
FoundFile open_target_folder(const FileRights& rights, const std::string& path);

// Returns true if the caller may replace or remove the file `name` in the folder. In a folder with
// the sticky bit these are only the caller's own files.
bool may_replace(const FileRights& rights, const FoundFile& folder, const std::string& name);

// User and group of a file that is created for the caller; nullopt: those of the daemon.
struct FileOwner {
  uid_t user = 0;
  gid_t group = 0;
};
std::optional<FileOwner> owner_of_new(const FileRights& rights, const struct stat& folder);

// Returns the end of a sentence, such as "does not exist" or "may not be used by the daemon (user
// id 998)".
std::string reason_of(int error, const Credentials& caller = {});
// Returns a phrase such as "a folder" or "a pipe".
std::string kind_of_file(mode_t mode);

}  // namespace weft::queue
