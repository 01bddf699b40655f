// SPDX-License-Identifier: Apache-2.0
#include "client_cli/context/work_folders.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "options/job_files.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFolderPoll(20);
// The prefix of the file in which the daemon lists finished files before it moves them to their
// destinations.
constexpr std::string_view kFinishedNote = "publishing-";

bool holds_finished_file(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(kFinishedNote)) return true;
  return false;
}

// Returns true once no worker uses the folder, or false at `end`. A worker holds the folder's lock
// as long as it runs.
bool wait_until_unused(const fs::path& folder, steady_clock::time_point end) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return false;
  bool unused = false;
  while (!(unused = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
         steady_clock::now() < end)
    std::this_thread::sleep_for(kFolderPoll);
  ::close(descriptor);
  return unused;
}

}  // namespace

std::vector<std::string> remove_work_folders(const std::vector<v1::Job>& jobs,
                                             std::chrono::milliseconds patience) {
  std::vector<std::string> kept;
  const auto end = steady_clock::now() + patience;
  for (const v1::Job& job : jobs) {
    // a job without outputs and without a folder for work has its work in the daemon's state folder
    if (options::files_of_job(job.spec()).outputs.empty() && job.work_location().empty()) continue;
    std::error_code error;
    for (const std::string& landing : options::landing_folders_of(job)) fs::remove_all(landing, error);
    const fs::path folder = options::work_folder_of(job);
    if (!wait_until_unused(folder, end)) continue;
    if (holds_finished_file(folder))
      kept.push_back(folder.string());
    else
      fs::remove_all(folder, error);
  }
  return kept;
}

}  // namespace weft::cli
