// SPDX-License-Identifier: Apache-2.0
// A file system with a disk that loses its power on order (power_cut_disk.h). usage: power_cut_fs
// MOUNTPOINT. It reads orders from its standard input, one per line; LEFT is nothing, all or some:
//   cut LEFT SEED             the power is cut now
//   cut-at-sync N LEFT SEED   the power is cut at the N-th sync from now, before it begins
//   on                        the power is back
//   count                     writes "syncs N": their number until now
// It writes "mounted", and "cut" when the power is cut. Without power every operation gives EIO.
// Files that were opened before give EIO permanently. At the end of its input it unmounts and ends.
#define FUSE_USE_VERSION 312

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fuse.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tests/scenarios/power_cut_disk.h"

namespace {

using weft::scenarios::PowerCutDisk;
using Left = PowerCutDisk::Left;
using Node = PowerCutDisk::Node;
using NodePtr = PowerCutDisk::NodePtr;

constexpr unsigned kThreads = 16;
constexpr fsblkcnt_t kBlocks = fsblkcnt_t{1} << 24;  // blocks of 4 KiB; more than a test needs
constexpr mode_t kModeBits = 07777;

void say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

// An open file.
struct Handle {
  NodePtr node;
  int period;  // power period at the opening of the file, by number
};

// The file system. One lock protects all of it.
class System {
 public:
  // Does `work` on the disk. Returns EIO if the power is off or the handle is of an earlier period.
  template <class Work>
  int with_power(const fuse_file_info* file, Work work) {
    const std::lock_guard lock(mutex_);
    if (is_off_ || (file != nullptr && file->fh != 0 && handle_of(file).period != period_)) return -EIO;
    return work(disk_);
  }
  template <class Sync>
  int sync(const fuse_file_info* file, Sync sync) {
    return with_power(file, [&](PowerCutDisk& disk) {
      syncs_++;
      if (until_cut_ > 0 && --until_cut_ == 0) return cut(), -EIO;
      sync(disk, handle_of(file).node);
      return 0;
    });
  }
  void open(const NodePtr& node, fuse_file_info* file) const {
    file->fh = reinterpret_cast<uint64_t>(new Handle{node, period_});
  }
  static Handle& handle_of(const fuse_file_info* file) { return *reinterpret_cast<Handle*>(file->fh); }
  static NodePtr node_of(PowerCutDisk& disk, const char* path, const fuse_file_info* file) {
    return file != nullptr && file->fh != 0 ? handle_of(file).node : disk.find(path);
  }

  void order(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    const std::lock_guard lock(mutex_);
    if (word == "on") is_off_ = false;
    if (word == "count") say("syncs " + std::to_string(syncs_));
    if (word == "cut-at-sync") words >> until_cut_;
    if (!word.starts_with("cut")) return;
    std::string left;
    unsigned seed = 0;
    words >> left >> seed;
    left_ = left == "nothing" ? Left::kNothing : left == "all" ? Left::kAll : Left::kSome;
    random_.seed(seed + 1);  // a seed of 0 would give only zeros
    if (word == "cut") cut();
  }

 private:
  void cut() {
    is_off_ = true;
    period_++;
    until_cut_ = 0;
    disk_.cut(left_, random_);
    say("cut");
  }

  std::mutex mutex_;
  PowerCutDisk disk_;
  std::minstd_rand random_;
  Left left_ = Left::kNothing;
  bool is_off_ = false;
  int period_ = 0;
  int64_t syncs_ = 0;
  int64_t until_cut_ = 0;  // number of syncs; 0: no cut
};

System all;

// The kernel caches neither attributes nor names.
void* init(fuse_conn_info*, fuse_config* config) {
  config->entry_timeout = 0;
  config->attr_timeout = 0;
  config->negative_timeout = 0;
  config->use_ino = 1;
  config->hard_remove = 1;
  config->nullpath_ok = 1;
  return nullptr;
}

int get_attributes(const char* path, struct stat* info, fuse_file_info* file) {
  return all.with_power(file, [&](PowerCutDisk& disk) {
    const NodePtr node = System::node_of(disk, path, file);
    if (node == nullptr) return -ENOENT;
    *info = node->info;
    info->st_size = off_t(node->bytes.size());
    info->st_blocks = (info->st_size + 511) / 512;
    return 0;
  });
}
int read_folder(const char* path, void* buffer, fuse_fill_dir_t fill, off_t, fuse_file_info* file,
                fuse_readdir_flags) {
  return all.with_power(file, [&](PowerCutDisk& disk) {
    const NodePtr node = System::node_of(disk, path, file);
    if (node == nullptr) return -ENOENT;
    for (const char* name : {".", ".."}) fill(buffer, name, nullptr, 0, fuse_fill_dir_flags(0));
    for (const auto& [name, entry] : node->names)
      fill(buffer, name.c_str(), nullptr, 0, fuse_fill_dir_flags(0));
    return 0;
  });
}
int open_node(const char* path, fuse_file_info* file) {
  file->fh = 0;
  return all.with_power(nullptr, [&](PowerCutDisk& disk) {
    const NodePtr node = disk.find(path);
    if (node == nullptr) return -ENOENT;
    if ((file->flags & O_TRUNC) != 0) PowerCutDisk::resize(*node, 0);
    all.open(node, file);
    return 0;
  });
}
int create_file(const char* path, mode_t mode, fuse_file_info* file) {
  file->fh = 0;
  return all.with_power(nullptr, [&](PowerCutDisk& disk) {
    NodePtr node;
    const fuse_context& caller = *fuse_get_context();
    const int result = disk.make(path, S_IFREG | (mode & kModeBits), caller.uid, caller.gid, &node);
    if (result == 0) all.open(node, file);
    return result;
  });
}
int read_file(const char*, char* bytes, size_t count, off_t offset, fuse_file_info* file) {
  return all.with_power(file, [&](PowerCutDisk&) {
    const std::string& from = System::handle_of(file).node->bytes;
    if (offset >= off_t(from.size())) return 0;
    return int(from.copy(bytes, count, size_t(offset)));
  });
}
int write_file(const char*, const char* bytes, size_t count, off_t offset, fuse_file_info* file) {
  return all.with_power(file, [&](PowerCutDisk&) {
    return PowerCutDisk::write(*System::handle_of(file).node, {bytes, count}, offset);
  });
}
int release_node(const char*, fuse_file_info* file) {
  delete &System::handle_of(file);
  return 0;
}
int sync_file(const char*, int, fuse_file_info* file) {
  return all.sync(file, [](PowerCutDisk&, const NodePtr& node) { PowerCutDisk::sync_file(*node); });
}
int sync_folder(const char*, int, fuse_file_info* file) {
  return all.sync(file, [](PowerCutDisk& disk, const NodePtr& node) { disk.sync_folder(node); });
}
int make_folder(const char* path, mode_t mode) {
  return all.with_power(nullptr, [&](PowerCutDisk& disk) {
    const fuse_context& caller = *fuse_get_context();
    return disk.make(path, S_IFDIR | (mode & kModeBits), caller.uid, caller.gid, nullptr);
  });
}
int remove_file(const char* path) {
  return all.with_power(nullptr, [&](PowerCutDisk& disk) { return disk.remove(path, false); });
}
int remove_folder(const char* path) {
  return all.with_power(nullptr, [&](PowerCutDisk& disk) { return disk.remove(path, true); });
}
int rename_node(const char* from, const char* to, unsigned flags) {
  return all.with_power(nullptr, [&](PowerCutDisk& disk) { return disk.rename(from, to, flags); });
}
int link_file(const char* from, const char* to) {
  return all.with_power(nullptr, [&](PowerCutDisk& disk) { return disk.link(from, to); });
}
template <class Change>
int change_node(const char* path, const fuse_file_info* file, Change change) {
  return all.with_power(file, [&](PowerCutDisk& disk) {
    const NodePtr node = System::node_of(disk, path, file);
    if (node == nullptr) return -ENOENT;
    change(*node);
    return 0;
  });
}
int change_mode(const char* path, mode_t mode, fuse_file_info* file) {
  return change_node(
      path, file, [&](Node& node) { node.info.st_mode = (node.info.st_mode & S_IFMT) | (mode & kModeBits); });
}
int change_owner(const char* path, uid_t user, gid_t group, fuse_file_info* file) {
  return change_node(path, file, [&](Node& node) {
    if (user != uid_t(-1)) node.info.st_uid = user;
    if (group != gid_t(-1)) node.info.st_gid = group;
  });
}
int change_size(const char* path, off_t size, fuse_file_info* file) {
  return change_node(path, file, [&](Node& node) { PowerCutDisk::resize(node, size); });
}
int change_times(const char* path, const timespec times[2], fuse_file_info* file) {
  return change_node(path, file, [&](Node& node) {
    if (times[1].tv_nsec != UTIME_OMIT && times[1].tv_nsec != UTIME_NOW) node.info.st_mtim = times[1];
  });
}
int reserve(const char* path, int mode, off_t offset, off_t count, fuse_file_info* file) {
  if (mode != 0) return -EOPNOTSUPP;
  return change_node(path, file, [&](Node& node) {
    if (offset + count > off_t(node.bytes.size())) PowerCutDisk::resize(node, offset + count);
  });
}
int report_space(const char*, struct statvfs* space) {
  *space = {};
  space->f_bsize = space->f_frsize = 4096;
  space->f_blocks = space->f_bfree = space->f_bavail = kBlocks;
  space->f_files = space->f_ffree = kBlocks;
  space->f_namemax = 255;
  return 0;
}

fuse_operations operations() {
  fuse_operations result{};
  result.init = init;
  result.getattr = get_attributes;
  result.readdir = read_folder;
  result.opendir = open_node;
  result.releasedir = release_node;
  result.open = open_node;
  result.create = create_file;
  result.read = read_file;
  result.write = write_file;
  result.release = release_node;
  result.fsync = sync_file;
  result.fsyncdir = sync_folder;
  result.mkdir = make_folder;
  result.unlink = remove_file;
  result.rmdir = remove_folder;
  result.rename = rename_node;
  result.link = link_file;
  result.chmod = change_mode;
  result.chown = change_owner;
  result.truncate = change_size;
  result.utimens = change_times;
  result.fallocate = reserve;
  result.statfs = report_space;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  const fuse_operations served = operations();
  char name[] = "power_cut_fs";
  char* words[] = {name};
  fuse_args arguments = FUSE_ARGS_INIT(1, words);
  fuse* const system = fuse_new(&arguments, &served, sizeof(served), nullptr);
  if (system == nullptr || fuse_mount(system, argv[1]) != 0) return 1;
  say("mounted");
  std::thread([system] {
    for (std::string line; std::getline(std::cin, line);) all.order(line);
    fuse_unmount(system);
    std::_Exit(0);
  }).detach();
  fuse_loop_config* const config = fuse_loop_cfg_create();
  fuse_loop_cfg_set_max_threads(config, kThreads);
  return fuse_loop_mt(system, config);
}
