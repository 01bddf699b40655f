// SPDX-License-Identifier: Apache-2.0
#include "server/worker/folder_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "server/channel/worker_exit.h"
#include "server/worker/confine.h"

namespace weft::worker {
namespace {

using channel::FileDescriptor;

constexpr size_t kMaxNameBytes = 1024;  // limit for a name relative to an open folder

enum class What : int32_t { kOpen, kRename, kRemove, kMakeFolder, kExamine };

// The format on the wire, sent with the folder's descriptor; both ends are the same program.
struct Request {
  What what;
  int32_t flags;
  uint32_t mode;
  char name[kMaxNameBytes];
  char to[kMaxNameBytes];  // new name of a rename
};
struct Reply {
  int32_t error;  // value of errno, or 0 on success
};

// Receives a message and stores the descriptor that came with it, if any. Returns the bytes of the
// message, 0 at the end of the connection, or -1 with the error in errno.
ssize_t receive(int socket, void* bytes, size_t size, FileDescriptor& descriptor) {
  iovec part{bytes, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* rights = got > 0 ? CMSG_FIRSTHDR(&header) : nullptr;
  if (rights == nullptr || rights->cmsg_type != SCM_RIGHTS) return got;
  int number = -1;
  std::memcpy(&number, CMSG_DATA(rights), sizeof(number));
  descriptor.reset(number);
  return got;
}

// --- In the process -----------------------------------------------------------------------------

int open_beneath(int folder, const char* name, uint64_t flags, uint64_t mode, uint64_t resolve) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.mode = mode;
  how.resolve = resolve;
  return int(::syscall(SYS_openat2, folder, name, &how, sizeof(how)));
}

// The folder that contains a file, and the file's name in it. file_of() returns nullopt, with the
// error in errno, if the path leads out of `folder` or through a link.
struct NamedFile {
  FileDescriptor folder;
  std::string name;
};
std::optional<NamedFile> file_of(int folder, std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  const std::string above(slash == std::string_view::npos ? "." : path.substr(0, slash));
  if (name.empty() || name == ".." || (name == "." && above != ".") || above.empty()) {
    errno = EXDEV;
    return std::nullopt;
  }
  FileDescriptor opened(open_beneath(folder, above.c_str(), O_PATH | O_DIRECTORY, 0,
                                     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS));
  if (!opened.is_open()) return std::nullopt;
  return NamedFile{std::move(opened), name};
}

// Opens a file. A frame that is read may be a link to the real file.
int open_file(const NamedFile& file, int flags, mode_t mode) {
  const bool reads = (flags & O_ACCMODE) == O_RDONLY && (flags & (O_CREAT | O_TRUNC)) == 0;
  const bool follows = reads && (flags & (O_NOFOLLOW | O_DIRECTORY)) == 0;
  return ::openat(file.folder.get(), file.name.c_str(), flags | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW), mode);
}

// Executes a request. Returns the opened descriptor, 0 if the request opens none, or -1 with the
// error in errno.
int carry_out(const Request& request, int folder) {
  const std::optional<NamedFile> file = file_of(folder, request.name);
  if (!file) return -1;
  const int at = file->folder.get();
  const char* const name = file->name.c_str();
  switch (request.what) {
    case What::kOpen:
      return open_file(*file, request.flags, mode_t(request.mode));
    case What::kRename: {
      const std::optional<NamedFile> to = file_of(folder, request.to);
      return to ? ::renameat(at, name, to->folder.get(), to->name.c_str()) : -1;
    }
    case What::kRemove:
      return ::unlinkat(at, name, request.flags & AT_REMOVEDIR);
    case What::kMakeFolder:
      return ::mkdirat(at, name, mode_t(request.mode));
    case What::kExamine: {
      struct stat info {};
      return ::fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW);
    }
  }
  errno = EINVAL;
  return -1;
}

// Serves requests until the worker closes the connection.
void serve(int socket) {
  while (true) {
    Request request{};
    FileDescriptor folder;
    if (receive(socket, &request, sizeof(request), folder) != ssize_t(sizeof(request))) return;
    request.name[kMaxNameBytes - 1] = request.to[kMaxNameBytes - 1] = 0;
    const int result = carry_out(request, folder.get());
    const Reply reply{result < 0 ? errno : 0};
    const FileDescriptor opened(request.what == What::kOpen ? result : -1);
    const int descriptor = opened.get();
    const std::span<const int> descriptors(&descriptor, opened.is_open() ? 1 : 0);
    const std::span<const char> bytes(reinterpret_cast<const char*>(&reply), sizeof(reply));
    if (channel::send_with_descriptors(socket, bytes, descriptors) < 0) return;
  }
}

// Closes the descriptors that the process inherited from the worker, such as its channel to the
// daemon and its device lock.
void close_all_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned next = STDERR_FILENO + 1;
  for (const int each : kept) {
    if (unsigned(each) > next) ::close_range(next, unsigned(each) - 1, 0);
    next = unsigned(each) + 1;
  }
  ::close_range(next, ~0U, 0);
}

[[noreturn]] void run(const std::vector<FileDescriptor>& sockets, pid_t worker) {
  std::vector<int> kept;
  for (const FileDescriptor& socket : sockets) kept.push_back(socket.get());
  close_all_but(kept);
  ::prctl(PR_SET_NAME, "weft-folders");
  for (const std::string& lacking : confine_folder_process())
    log_warning("The process that opens files is less confined than it should be. {}", lacking);
  if (::getppid() != worker) ::_exit(0);  // the worker ended before PR_SET_PDEATHSIG was set
  std::vector<std::thread> threads;
  for (const int socket : kept) threads.emplace_back(serve, socket);
  for (std::thread& thread : threads) thread.join();
  ::_exit(0);
}

}  // namespace

// --- In the worker ------------------------------------------------------------------------------

struct FolderProcess::Call {
  What what;
  const std::string& name;
  int flags = 0;
  mode_t mode = 0;
  std::string to{};
};

StatusOr<std::unique_ptr<FolderProcess>> FolderProcess::start(int calls_at_once) {
  std::vector<FileDescriptor> ours, theirs;
  for (int i = 0; i < calls_at_once; i++) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      return unavailable("A socket pair cannot be made: {}.", std::strerror(errno));
    ours.emplace_back(ends[0]);
    theirs.emplace_back(ends[1]);
  }
  const pid_t worker = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
    return unavailable("A process that opens files cannot be started: {}.", std::strerror(errno));
  if (child == 0) {
    ours.clear();
    run(theirs, worker);
  }
  return std::unique_ptr<FolderProcess>(new FolderProcess(child, std::move(ours)));
}

FolderProcess::~FolderProcess() = default;

int FolderProcess::call(int folder, const Call& call) {
  Request request{call.what, call.flags, uint32_t(call.mode), {}, {}};
  if (call.name.size() >= kMaxNameBytes || call.to.size() >= kMaxNameBytes) {
    errno = ENAMETOOLONG;
    return -1;
  }
  call.name.copy(request.name, call.name.size());
  call.to.copy(request.to, call.to.size());
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return !sockets_.empty(); });
  FileDescriptor socket = std::move(sockets_.back());
  sockets_.pop_back();
  lock.unlock();
  Reply reply{};
  FileDescriptor opened;
  const std::span<const char> bytes(reinterpret_cast<const char*>(&request), sizeof(request));
  if (channel::send_with_descriptors(socket.get(), bytes, std::span(&folder, 1)) !=
          ssize_t(sizeof(request)) ||
      receive(socket.get(), &reply, sizeof(reply), opened) != ssize_t(sizeof(reply))) {
    log_error("The process that opens files for the worker is gone; the worker ends.");
    ::_exit(channel::kExitFoldersGone);
  }
  lock.lock();
  sockets_.push_back(std::move(socket));
  lock.unlock();
  freed_.notify_one();
  if (reply.error == 0) return call.what == What::kOpen ? opened.release() : 0;
  errno = reply.error;
  return -1;
}

int FolderProcess::open(int folder, const std::string& name, int flags, mode_t mode) {
  return call(folder, {What::kOpen, name, flags, mode});
}
int FolderProcess::rename(int folder, const std::string& from, const std::string& to) {
  return call(folder, {What::kRename, from, 0, 0, to});
}
int FolderProcess::remove(int folder, const std::string& name, int flags) {
  return call(folder, {What::kRemove, name, flags});
}
int FolderProcess::make_folder(int folder, const std::string& name, mode_t mode) {
  return call(folder, {What::kMakeFolder, name, 0, mode});
}
int FolderProcess::examine(int folder, const std::string& name) {
  return call(folder, {What::kExamine, name});
}

}  // namespace weft::worker
