// SPDX-License-Identifier: Apache-2.0
// Runs work that may wait for a disk or a network file system, on threads of its own, so that event
// loops and the queue's thread never wait. A hanging file system blocks a few of these threads, and
// all other work continues.
//
//   FileThreads files(4);
//   files.add({input, output}, [=] { ... open, stat, rename, fsync ... });
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace weft::queue {

// Number of threads of one FileThreads, for all file systems together.
inline constexpr int kMostFileThreads = 32;

// Thread-safe.
class FileThreads {
 public:
  using Work = std::function<void()>;

  // `per_mount` limits the work items in progress on one file system, `most_waiting` the items that
  // have not begun. Threads start on demand and stay.
  explicit FileThreads(int per_mount, size_t most_waiting = std::numeric_limits<size_t>::max());
  ~FileThreads();  // calls stop()
  FileThreads(const FileThreads&) = delete;
  FileThreads& operator=(const FileThreads&) = delete;

  // Runs the work on one of the threads as soon as all file systems of `paths` have fewer than
  // `per_mount` items in progress. These are the file systems after symbolic links are followed.
  // Items with the same file systems start in the order of the calls. Returns false if stop() was
  // called or too many items wait; then nothing happens. `dropped` is called instead of the work if
  // stop() comes first.
  bool add(std::vector<std::string> paths, Work work, Work dropped = nullptr);
  // Waits for work in progress and drops the rest, and all later work. Must not be called on one of
  // the threads.
  void stop();

  // Returns shared ownership of `files`. When the last owner releases them they are closed on one
  // of these threads, since closing may also wait for a hanging file system. They are closed on the
  // releasing thread if the work cannot be added. The pointer may outlive this object.
  template <class Files>
  std::shared_ptr<Files> keep(std::vector<std::string> paths, Files files) {
    return std::shared_ptr<Files>(
        new Files(std::move(files)), [parts = std::weak_ptr(parts_), paths = std::move(paths)](Files* kept) {
          std::shared_ptr<Files> last(kept);
          if (const auto live = parts.lock())
            add_to(live, paths, [last = std::move(last)]() mutable { last.reset(); });
        });
  }

 private:
  struct Parts;
  static bool add_to(const std::shared_ptr<Parts>& parts, std::vector<std::string> paths, Work work,
                     Work dropped = nullptr);

  std::shared_ptr<Parts> parts_;
};

}  // namespace weft::queue
