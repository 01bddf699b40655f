// SPDX-License-Identifier: Apache-2.0
// A file system that hangs on order. usage: hanging_fs FOLDER MOUNTPOINT. It shows FOLDER at
// MOUNTPOINT and reads orders from its standard input, one per line:
//   hang               every operation waits from here on
//   hang-at-write N    the same from the N-th write on
//   go                 waiting operations continue
//   fail               waiting and later operations give EIO
//   rename-replaces    every later rename replaces, as on most FUSE file systems; there are
//                      never hard links
// It writes "mounted", and "hangs" when the first operation waits. At the end of its input it
// unmounts and ends.
#define FUSE_USE_VERSION 312

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fuse.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace {

constexpr unsigned kThreads = 64;  // number of operations that can wait at the same time

class Gate {
 public:
  // Waits while the file system hangs. Returns 0, or the error of the operation.
  int pass(bool is_write = false) {
    std::unique_lock lock(mutex_);
    if (is_write && writes_left_ > 0 && --writes_left_ == 0) hanging_ = true;
    if (hanging_ && !std::exchange(said_, true)) {
      std::puts("hangs");
      std::fflush(stdout);
    }
    changed_.wait(lock, [this] { return !hanging_; });
    return failing_ ? -EIO : 0;
  }
  void order(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    const std::lock_guard lock(mutex_);
    if (word == "hang-at-write") words >> writes_left_;
    if (word == "hang" || word == "hang-at-write") said_ = false;
    if (word == "hang") hanging_ = true;
    if (word == "go" || word == "fail") hanging_ = false;
    if (word == "fail" || word == "go") failing_ = word == "fail";
    if (word == "rename-replaces") rename_replaces_ = true;
    changed_.notify_all();
  }
  bool rename_replaces() {
    const std::lock_guard lock(mutex_);
    return rename_replaces_;
  }

 private:
  std::mutex mutex_;
  bool rename_replaces_ = false;
  std::condition_variable changed_;
  int writes_left_ = 0;  // number of writes before it hangs; 0: no limit
  bool hanging_ = false;
  bool failing_ = false;
  bool said_ = false;
};

Gate gate;
std::string folder;

std::string at(const char* path) { return folder + path; }
int result_of(int returned) { return returned < 0 ? -errno : returned; }

// Waits for the gate and does `work`. Returns its result, or -errno.
template <class Work>
int guarded(Work work, bool is_write = false) {
  if (const int error = gate.pass(is_write); error != 0) return error;
  return result_of(int(work()));
}

// The kernel caches nothing, so that every operation reaches this process.
void* init(fuse_conn_info*, fuse_config* config) {
  config->entry_timeout = 0;
  config->attr_timeout = 0;
  config->negative_timeout = 0;
  config->use_ino = 1;
  config->direct_io = 1;
  return nullptr;
}

int get_attributes(const char* path, struct stat* info, fuse_file_info* file) {
  return guarded(
      [&] { return file != nullptr ? ::fstat(int(file->fh), info) : ::lstat(at(path).c_str(), info); });
}
int read_folder(const char* path, void* buffer, fuse_fill_dir_t fill, off_t, fuse_file_info*,
                fuse_readdir_flags) {
  return guarded([&] {
    DIR* entries = ::opendir(at(path).c_str());
    if (entries == nullptr) return -1;
    while (const dirent* entry = ::readdir(entries))
      fill(buffer, entry->d_name, nullptr, 0, fuse_fill_dir_flags(0));
    return ::closedir(entries);
  });
}
int open_file(const char* path, fuse_file_info* file) {
  return guarded([&] {
    const int fd = ::open(at(path).c_str(), (file->flags & ~O_NOFOLLOW) | O_CLOEXEC);
    file->fh = uint64_t(fd);
    return fd < 0 ? -1 : 0;
  });
}
int create_file(const char* path, mode_t mode, fuse_file_info* file) {
  return guarded([&] {
    const int fd = ::open(at(path).c_str(), file->flags | O_CLOEXEC, mode);
    file->fh = uint64_t(fd);
    return fd < 0 ? -1 : 0;
  });
}
int read_file(const char*, char* bytes, size_t count, off_t offset, fuse_file_info* file) {
  return guarded([&] { return ::pread(int(file->fh), bytes, count, offset); });
}
int write_file(const char*, const char* bytes, size_t count, off_t offset, fuse_file_info* file) {
  return guarded([&] { return ::pwrite(int(file->fh), bytes, count, offset); }, true);
}
int flush_file(const char*, fuse_file_info*) {
  return guarded([] { return 0; });
}
int release_file(const char*, fuse_file_info* file) {
  return guarded([&] { return ::close(int(file->fh)); });
}
int sync_file(const char*, int, fuse_file_info* file) {
  return guarded([&] { return ::fsync(int(file->fh)); });
}
int sync_folder(const char*, int, fuse_file_info*) {
  return guarded([] { return 0; });
}
int open_folder(const char*, fuse_file_info*) {
  return guarded([] { return 0; });
}
int check_access(const char* path, int mode) {
  return guarded([&] { return ::access(at(path).c_str(), mode); });
}
int read_link(const char* path, char* target, size_t size) {
  return guarded([&] {
    const ssize_t count = ::readlink(at(path).c_str(), target, size - 1);
    if (count >= 0) target[count] = '\0';
    return count < 0 ? -1 : 0;
  });
}
int make_folder(const char* path, mode_t mode) {
  return guarded([&] { return ::mkdir(at(path).c_str(), mode); });
}
int remove_file(const char* path) {
  return guarded([&] { return ::unlink(at(path).c_str()); });
}
int remove_folder(const char* path) {
  return guarded([&] { return ::rmdir(at(path).c_str()); });
}
int rename_file(const char* from, const char* to, unsigned flags) {
  if (flags != 0 && gate.rename_replaces()) return -EINVAL;
  return guarded([&] { return ::renameat2(AT_FDCWD, at(from).c_str(), AT_FDCWD, at(to).c_str(), flags); });
}
int change_mode(const char* path, mode_t mode, fuse_file_info*) {
  return guarded([&] { return ::chmod(at(path).c_str(), mode); });
}
int change_size(const char* path, off_t size, fuse_file_info*) {
  return guarded([&] { return ::truncate(at(path).c_str(), size); });
}
int report_space(const char* path, struct statvfs* space) {
  return guarded([&] { return ::statvfs(at(path).c_str(), space); });
}

fuse_operations operations() {
  fuse_operations result{};
  result.init = init;
  result.getattr = get_attributes;
  result.access = check_access;
  result.readlink = read_link;
  result.readdir = read_folder;
  result.opendir = open_folder;
  result.open = open_file;
  result.create = create_file;
  result.read = read_file;
  result.write = write_file;
  result.flush = flush_file;
  result.release = release_file;
  result.fsync = sync_file;
  result.fsyncdir = sync_folder;
  result.mkdir = make_folder;
  result.unlink = remove_file;
  result.rmdir = remove_folder;
  result.rename = rename_file;
  result.chmod = change_mode;
  result.truncate = change_size;
  result.statfs = report_space;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  folder = argv[1];
  const fuse_operations served = operations();
  char name[] = "hanging_fs";
  char* words[] = {name};
  fuse_args arguments = FUSE_ARGS_INIT(1, words);
  fuse* const system = fuse_new(&arguments, &served, sizeof(served), nullptr);
  if (system == nullptr || fuse_mount(system, argv[2]) != 0) return 1;
  std::puts("mounted");
  std::fflush(stdout);
  std::thread([system] {
    for (std::string line; std::getline(std::cin, line);) gate.order(line);
    fuse_unmount(system);
    std::_Exit(0);  // Waiting calls get an error.
  }).detach();
  fuse_loop_config* const config = fuse_loop_cfg_create();
  fuse_loop_cfg_set_max_threads(config, kThreads);
  return fuse_loop_mt(system, config);
}
