// SPDX-License-Identifier: Apache-2.0
// Threads for what may wait for a disk or a network file system, so that no loop and not the queue's thread ever does. A file
// system that hangs keeps a few of them, and the work of all others goes on.
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

inline constexpr int kMostFileThreads = 32;  // of one FileThreads, on all file systems together

// Thread-safe.
class FileThreads {
 public:
  using Work = std::function<void()>;

  // `per_mount`: how many pieces of work may be with one file system at a time. `most_waiting`: pieces that have not begun. Threads
  // start when they are needed, and stay.
  explicit FileThreads(int per_mount, size_t most_waiting = std::numeric_limits<size_t>::max());
  ~FileThreads();  // stop()
  FileThreads(const FileThreads&) = delete;
  FileThreads& operator=(const FileThreads&) = delete;

  // Runs the work on one of the threads as soon as it may be with the file systems of all `paths`, those that their symbolic links
  // lead to; in the order of the calls where it is the same ones. False: stopped, or too many wait; nothing happens. `dropped` is
  // called instead of the work when stop() comes first.
  bool add(std::vector<std::string> paths, Work work, Work dropped = nullptr);
  // Waits for the work that has begun and drops the rest, also what is added later. Not from one of the threads.
  void stop();

  // Holds `files` until nobody does any more, and then closes them on one of these threads: closing, too, waits for a file system
  // that hangs. May outlive this.
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
