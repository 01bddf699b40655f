// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/file_threads.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "server/queue/files/mount_table.h"

namespace weft::queue {
namespace {

constexpr int kMostMoves = 40;  // of a piece of work from file system to file system, after its links

}  // namespace

struct FileThreads::Parts {
  // What is with a file system now.
  struct Mount {
    int at_work = 0;
  };
  struct Piece {
    std::vector<std::string> paths;
    std::set<Mount*> mounts;
    int moves = 0;
    Work work;
    Work dropped;
  };

  Parts(int most, size_t most_that_wait) : per_mount(most), most_waiting(most_that_wait) {}

  void place(Piece& piece);
  bool may_run(const Piece& piece) const;
  std::list<Piece>::iterator first_that_may_run();
  void wake();
  std::list<Piece> take(std::unique_lock<std::mutex>& lock);
  bool follow(Piece& piece);
  void run();

  const int per_mount;
  const size_t most_waiting;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Mount> mounts;
  std::list<Piece> waiting;
  int idle = 0;   // threads that wait and were not woken
  int woken = 0;  // threads that were, and have not noticed
  bool stopped = false;
  std::vector<std::thread> threads;
};

// With the lock held, as all below but run() and follow().
void FileThreads::Parts::place(Piece& piece) {
  const auto table = current_mounts();
  piece.mounts.clear();
  for (const std::string& path : piece.paths) piece.mounts.insert(&mounts[table->mount_of(path)]);
}

bool FileThreads::Parts::may_run(const Piece& piece) const {
  return std::all_of(piece.mounts.begin(), piece.mounts.end(),
                     [this](const Mount* mount) { return mount->at_work < per_mount; });
}

std::list<FileThreads::Parts::Piece>::iterator FileThreads::Parts::first_that_may_run() {
  return std::find_if(waiting.begin(), waiting.end(), [this](const Piece& piece) { return may_run(piece); });
}

// A thread for what may run.
void FileThreads::Parts::wake() {
  if (idle > 0) {
    idle--;
    woken++;
    changed.notify_one();
  } else if (int(threads.size()) < kMostFileThreads && !stopped) {
    threads.emplace_back([this] { run(); });
  }
}

// The next piece, in a list of its own; none: stopped.
std::list<FileThreads::Parts::Piece> FileThreads::Parts::take(std::unique_lock<std::mutex>& lock) {
  std::list<Piece> taken;
  while (!stopped) {
    if (const auto next = first_that_may_run(); next != waiting.end()) {
      taken.splice(taken.begin(), waiting, next);
      for (Mount* mount : taken.front().mounts) mount->at_work++;
      if (first_that_may_run() != waiting.end()) wake();
      break;
    }
    idle++;
    changed.wait(lock, [this] { return stopped || woken > 0; });
    woken--;
  }
  return taken;
}

// Follows the links of its paths. It is with their file systems, and asks no other. False: they lead to others.
bool FileThreads::Parts::follow(Piece& piece) {
  const auto table = current_mounts();
  bool stays = true;
  for (std::string& path : piece.paths) {
    std::string next = table->follow(path);
    stays = stays && table->mount_of(next) == table->mount_of(path);
    path = std::move(next);
  }
  return stays || ++piece.moves > kMostMoves;
}

void FileThreads::Parts::run() {
  std::unique_lock lock(mutex);
  while (true) {
    std::list<Piece> taken = take(lock);
    if (taken.empty()) return;
    Piece& piece = taken.front();
    lock.unlock();
    const bool is_there = follow(piece);
    if (is_there) {
      piece.work();
      piece.work = nullptr;
      piece.dropped = nullptr;
    }
    lock.lock();
    for (Mount* mount : piece.mounts) mount->at_work--;
    if (is_there) continue;
    place(piece);
    waiting.splice(waiting.begin(), taken);
  }
}

FileThreads::FileThreads(int per_mount, size_t most_waiting)
    : parts_(std::make_shared<Parts>(per_mount, most_waiting)) {}

FileThreads::~FileThreads() { stop(); }

bool FileThreads::add(std::vector<std::string> paths, Work work, Work dropped) {
  return add_to(parts_, std::move(paths), std::move(work), std::move(dropped));
}

bool FileThreads::add_to(const std::shared_ptr<Parts>& parts, std::vector<std::string> paths, Work work,
                         Work dropped) {
  const std::lock_guard lock(parts->mutex);
  if (parts->stopped || parts->waiting.size() >= parts->most_waiting) return false;
  Parts::Piece& piece = parts->waiting.emplace_back();
  piece.paths = std::move(paths);
  piece.work = std::move(work);
  piece.dropped = std::move(dropped);
  parts->place(piece);
  if (parts->may_run(piece)) parts->wake();
  return true;
}

void FileThreads::stop() {
  std::list<Parts::Piece> dropped;
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->stopped = true;
    dropped.swap(parts_->waiting);
    threads.swap(parts_->threads);
    parts_->changed.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
  // What a thread moved to another file system meanwhile is dropped, too.
  {
    const std::lock_guard lock(parts_->mutex);
    dropped.splice(dropped.end(), parts_->waiting);
  }
  for (const Parts::Piece& piece : dropped)
    if (piece.dropped) piece.dropped();
}

}  // namespace weft::queue
