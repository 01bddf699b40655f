// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/fuse_mount.h"

#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/scenarios/scenario.h"

extern char** environ;

namespace weft::scenarios {

FuseMount::FuseMount(const std::string& program, std::vector<std::string> arguments,
                     const std::string& mount_point)
    : mount_point_(mount_point) {
  std::filesystem::create_directories(mount_point_);
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
  arguments.insert(arguments.begin(), program);
  arguments.push_back(mount_point_);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  if (::posix_spawn(&pid_, program.c_str(), &files, nullptr, words.data(), environ) != 0) pid_ = -1;
  posix_spawn_file_actions_destroy(&files);
  ::close(input[0]);
  ::close(output[1]);
  orders_ = input[1];
  answers_ = output[0];
  if (pid_ < 0 || !wait_for_line("mounted"))
    why_not_ = "A FUSE file system cannot be mounted here (root only).";
}

FuseMount::~FuseMount() {
  if (orders_ >= 0) ::close(orders_);  // the process unmounts and ends
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  if (answers_ >= 0) ::close(answers_);
}

void FuseMount::order(const std::string& line) {
  const std::string words = line + "\n";
  EXPECT_EQ(::write(orders_, words.data(), words.size()), ssize_t(words.size()));
}

// Reads the output that arrives within this time. Returns false if there is none or the process has
// ended.
bool FuseMount::hear(int milliseconds) {
  pollfd ready{answers_, POLLIN, 0};
  if (::poll(&ready, 1, milliseconds) <= 0) return false;
  char bytes[256];
  const ssize_t count = ::read(answers_, bytes, sizeof(bytes));
  if (count <= 0) return false;
  heard_.append(bytes, size_t(count));
  return true;
}

bool FuseMount::has_line(const std::string& begin) {
  while (hear(0)) continue;
  return ("\n" + heard_).find("\n" + begin) != std::string::npos;
}

bool FuseMount::wait_for_line(const std::string& begin, std::string* rest) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (true) {
    const size_t found = ("\n" + heard_).find("\n" + begin);
    const size_t end = found == std::string::npos ? found : heard_.find('\n', found);
    if (end != std::string::npos) {
      if (rest != nullptr) *rest = heard_.substr(found + begin.size(), end - found - begin.size());
      heard_.erase(0, end + 1);
      return true;
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !hear(int(left.count()))) return false;
  }
}

}  // namespace weft::scenarios
