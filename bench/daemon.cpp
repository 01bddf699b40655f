// SPDX-License-Identifier: Apache-2.0
#include "bench/daemon.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace weft::bench {

Daemon::Daemon(std::string folder) : folder_(std::move(folder)) {}

Daemon::~Daemon() { end(SIGTERM); }

std::string Daemon::program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "weftd").string();
}

bool Daemon::start() {
  std::vector<std::string> words{program(),
                                 "--state-dir",
                                 folder_ + "/state",
                                 "--cache-dir",
                                 folder_ + "/cache",
                                 "--lock-dir",
                                 folder_ + "/locks",
                                 "--listen",
                                 address(),
                                 "--device",
                                 "cpu",
                                 "--log-level",
                                 "error",
                                 "--low-disk-bytes",
                                 "0"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (::posix_spawn(&pid_, words[0].c_str(), nullptr, nullptr, arguments.data(), environ) != 0) pid_ = -1;
  return pid_ > 0;
}

bool Daemon::is_listening() const {
  const int handle = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (handle < 0) return false;
  sockaddr_un endpoint{};
  endpoint.sun_family = AF_UNIX;
  socket().copy(endpoint.sun_path, sizeof endpoint.sun_path - 1);
  const bool is_there = ::connect(handle, reinterpret_cast<const sockaddr*>(&endpoint), sizeof endpoint) == 0;
  ::close(handle);
  return is_there;
}

void Daemon::kill() { end(SIGKILL); }

void Daemon::end(int signal) {
  if (pid_ <= 0) return;
  ::kill(pid_, signal);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void make_input(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << "YUV4MPEG2 W64 H64 F25:1 It A1:1 C420\n";
  for (int frame = 0; frame < 4; frame++)
    file << "FRAME\n" << std::string(64 * 64 * 3 / 2, char(100 + frame));
}

}  // namespace weft::bench
