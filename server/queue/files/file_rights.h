// SPDX-License-Identifier: Apache-2.0
// Opens what a client named, with the client's rights: the daemon is nobody's deputy.
//
//   const FileRights rights{record.submitter, rules};
//   FoundFile input = open_file(rights, "/home/ann/in.ts");
//   if (!input.is_found()) return invalid_argument("The input {} ({}).", input.why, path);
//
// A path is followed part by part, each folder opened below the one before, and links by hand. What was checked is what was opened:
// a link or a folder that is exchanged meanwhile leads to another check, not past it. A daemon of root takes the client's ids on its
// thread, and the kernel decides. Another daemon cannot; there the modes of the file and of every folder on the way decide, and a
// file or folder with an access control list is refused. Clients who are the daemon's own user, or root, may what the daemon may.
// Whoever asks, what lies in the daemon's own folders or in /proc is never opened.
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

// Which file or folder it is, whatever its name.
using FileId = std::pair<dev_t, ino_t>;
inline FileId id_of(const struct stat& facts) { return {facts.st_dev, facts.st_ino}; }

// Where clients' files may lie. Does not change.
class FileRules {
 public:
  // `own`: folders of the daemon, with all below them. `roots`: folders below which other users' files lie; none: anywhere. The
  // folders are looked at here, once: one that is made later does not count.
  FileRules(const std::vector<std::string>& own, const std::vector<std::string>& roots);

  bool is_own_folder(const FileId& folder) const { return own_.contains(folder); }
  bool has_roots() const { return has_roots_; }
  bool is_root(const FileId& folder) const { return roots_.contains(folder); }
  // Whether it is a file of one of the daemon's folders under another name (a hard link).
  bool is_own_file(const struct stat& facts) const;

 private:
  std::vector<std::string> own_paths_;
  std::set<FileId> own_;
  std::set<FileId> roots_;
  bool has_roots_ = false;
};

// Without content: what the daemon itself may, anywhere.
struct FileRights {
  Credentials caller = {};
  std::shared_ptr<const FileRules> rules = nullptr;
};

// What was opened, or why not.
struct FoundFile {
  channel::FileDescriptor descriptor;  // of a file or folder, as the function says
  struct stat facts {};
  int error = 0;    // errno where the kernel refused; EACCES where we do
  std::string why;  // behind a subject: "does not exist"; empty: it was opened

  bool is_found() const { return why.empty(); }
};

// A regular file for reading. One of another kind: its facts, no descriptor, no error, and a reason ("is a folder"). May wait for a slow
// file system, as all here.
FoundFile open_file(const FileRights& rights, const std::string& path);
// A folder whose files are to be listed and read.
FoundFile open_folder(const FileRights& rights, const std::string& path);
// A folder in which the caller may make files, opened with O_PATH. Rename, link and remove with it and a name: where its path
// leads by then does not matter.
FoundFile open_target_folder(const FileRights& rights, const std::string& path);

// Whether the caller may replace or remove the file of that name there: in a folder with the sticky bit only what is his.
bool may_replace(const FileRights& rights, const FoundFile& folder, const std::string& name);

// As whom a file is made that the caller will own; nullopt: as the daemon.
struct FileOwner {
  uid_t user = 0;
  gid_t group = 0;
};
std::optional<FileOwner> owner_of_new(const FileRights& rights, const struct stat& folder);

// Behind a subject: "does not exist", "may not be used by the daemon (user id 998)".
std::string reason_of(int error, const Credentials& caller = {});
// "a folder", "a pipe".
std::string kind_of_file(mode_t mode);

}  // namespace weft::queue
