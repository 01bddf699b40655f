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

// Limit of the number of times that links lead a work item to another file system.
constexpr int kMostMoves = 40;

}  // namespace

struct FileThreads::Parts {
  // The work in progress on a file system.
  struct Mount {
    int at_work = 0;
  };
  struct WorkItem {
    std::vector<std::string> paths;
    std::set<Mount*> mounts;
    int moves = 0;
    Work work;
    Work dropped;
  };

  Parts(int most, size_t most_that_wait) : per_mount(most), most_waiting(most_that_wait) {}

  void place(WorkItem& item);
  bool may_run(const WorkItem& item) const;
  std::list<WorkItem>::iterator first_that_may_run();
  void wake();
  std::list<WorkItem> take(std::unique_lock<std::mutex>& lock);
  bool follow(WorkItem& item);
  void run();

  const int per_mount;
  const size_t most_waiting;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Mount> mounts;
  std::list<WorkItem> waiting;
  int idle = 0;   // waiting threads that were not woken
  int woken = 0;  // woken threads that do not run yet
  bool stopped = false;
  std::vector<std::thread> threads;
};

// Sets the mounts of an item. Called with the lock held, as are all functions of Parts except run()
// and follow().
void FileThreads::Parts::place(WorkItem& item) {
  const auto table = current_mounts();
  item.mounts.clear();
  for (const std::string& path : item.paths) item.mounts.insert(&mounts[table->mount_of(path)]);
}

bool FileThreads::Parts::may_run(const WorkItem& item) const {
  return std::all_of(item.mounts.begin(), item.mounts.end(),
                     [this](const Mount* mount) { return mount->at_work < per_mount; });
}

std::list<FileThreads::Parts::WorkItem>::iterator FileThreads::Parts::first_that_may_run() {
  return std::find_if(waiting.begin(), waiting.end(), [this](const WorkItem& item) { return may_run(item); });
}

// Wakes or starts a thread for work that may run.
void FileThreads::Parts::wake() {
  if (idle > 0) {
    idle--;
    woken++;
    changed.notify_one();
  } else if (int(threads.size()) < kMostFileThreads && !stopped) {
    threads.emplace_back([this] { run(); });
  }
}

// Waits for the next item and returns it in a list of its own, or an empty list after stop().
std::list<FileThreads::Parts::WorkItem> FileThreads::Parts::take(std::unique_lock<std::mutex>& lock) {
  std::list<WorkItem> taken;
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

// Follows the links in the item's paths, with access only to the file systems of its mounts.
// Returns false if links lead to other file systems.
bool FileThreads::Parts::follow(WorkItem& item) {
  const auto table = current_mounts();
  bool stays = true;
  for (std::string& path : item.paths) {
    std::string next = table->follow(path);
    stays = stays && table->mount_of(next) == table->mount_of(path);
    path = std::move(next);
  }
  return stays || ++item.moves > kMostMoves;
}

void FileThreads::Parts::run() {
  std::unique_lock lock(mutex);
  while (true) {
    std::list<WorkItem> taken = take(lock);
    if (taken.empty()) return;
    WorkItem& item = taken.front();
    lock.unlock();
    const bool is_there = follow(item);
    if (is_there) {
      item.work();
      item.work = nullptr;
      item.dropped = nullptr;
    }
    lock.lock();
    for (Mount* mount : item.mounts) mount->at_work--;
    if (is_there) continue;
    place(item);
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
  Parts::WorkItem& item = parts->waiting.emplace_back();
  item.paths = std::move(paths);
  item.work = std::move(work);
  item.dropped = std::move(dropped);
  parts->place(item);
  if (parts->may_run(item)) parts->wake();
  return true;
}

void FileThreads::stop() {
  std::list<Parts::WorkItem> dropped;
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->stopped = true;
    dropped.swap(parts_->waiting);
    threads.swap(parts_->threads);
    parts_->changed.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
  // Drops also items that a thread moved to another file system meanwhile.
  {
    const std::lock_guard lock(parts_->mutex);
    dropped.splice(dropped.end(), parts_->waiting);
  }
  for (const Parts::WorkItem& item : dropped)
    if (item.dropped) item.dropped();
}

}  // namespace weft::queue
