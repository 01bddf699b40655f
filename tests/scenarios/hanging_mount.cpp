// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/hanging_mount.h"

#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/scenarios/scenario.h"

extern char** environ;

namespace weft::scenarios {

HangingMount::HangingMount(const std::string& folder) : folder_(folder) {
  std::filesystem::create_directories(folder_);
  std::filesystem::create_directories(folder_ + ".behind");
  const std::string program = HANGING_FS;
  if (program.empty()) {
    why_not_ = "libfuse3 was not there when this was built.";
    return;
  }
  if (::access("/dev/fuse", R_OK | W_OK) != 0) {
    why_not_ = "There is no /dev/fuse that may be used here.";
    return;
  }
  int input[2], output[2];
  if (::pipe2(input, O_CLOEXEC) != 0 || ::pipe2(output, O_CLOEXEC) != 0) {
    why_not_ = "There are no pipes.";
    return;
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output[1], STDOUT_FILENO);
  std::string behind = folder_ + ".behind", mountpoint = folder_, name = program;
  char* words[] = {name.data(), behind.data(), mountpoint.data(), nullptr};
  if (::posix_spawn(&pid_, name.c_str(), &files, nullptr, words, environ) != 0) pid_ = -1;
  posix_spawn_file_actions_destroy(&files);
  ::close(input[0]);
  ::close(output[1]);
  orders_ = input[1];
  answers_ = output[0];
  if (pid_ < 0 || !wait_for_line("mounted"))
    why_not_ = "A FUSE file system cannot be mounted here (root only).";
}

HangingMount::~HangingMount() {
  if (orders_ >= 0) ::close(orders_);  // it unmounts and ends
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  if (answers_ >= 0) ::close(answers_);
}

void HangingMount::order(const std::string& line) {
  const std::string words = line + "\n";
  EXPECT_EQ(::write(orders_, words.data(), words.size()), ssize_t(words.size()));
}

bool HangingMount::wait_until_it_hangs() { return wait_for_line("hangs"); }

bool HangingMount::wait_for_line(const std::string& wanted) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (true) {
    if (const size_t found = heard_.find(wanted + "\n"); found != std::string::npos) {
      heard_.erase(0, found + wanted.size() + 1);
      return true;
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd ready{answers_, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&ready, 1, int(left.count())) <= 0) return false;
    char bytes[256];
    const ssize_t count = ::read(answers_, bytes, sizeof(bytes));
    if (count <= 0) return false;  // it ended
    heard_.append(bytes, size_t(count));
  }
}

}  // namespace weft::scenarios
