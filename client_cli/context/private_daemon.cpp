// SPDX-License-Identifier: Apache-2.0
#include "client_cli/context/private_daemon.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kStartTimeout(30);
constexpr std::chrono::seconds kStopTimeout(10);
constexpr std::chrono::milliseconds kPoll(20);
// time for a daemon to end after it has closed its connections
constexpr std::chrono::seconds kEndPatience(1);

}  // namespace

std::string program_beside_us(const std::string& name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path beside = self.parent_path() / name;
  return !error && access(beside.c_str(), X_OK) == 0 ? beside.string() : name;
}

StatusOr<std::unique_ptr<PrivateDaemon>> PrivateDaemon::start(const Signals& signals) {
  std::unique_ptr<PrivateDaemon> daemon(new PrivateDaemon());
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "weft-run-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr)
    return failed_precondition(
        "A temporary folder ({}) cannot be made ({}); set TMPDIR to a folder that can be written.", pattern,
        std::strerror(errno));
  daemon->folder_ = pattern;
  RETURN_IF_ERROR(daemon->spawn(program_beside_us("weftd")));
  RETURN_IF_ERROR(daemon->wait_until_ready(signals));
  daemon->ready_ = true;
  return daemon;
}

Status PrivateDaemon::spawn(const std::string& program) {
  const std::string address = "unix:" + folder_ + "/weft.sock";
  auto connection =
      client::Connection::open({.server = address, .is_gone = [this] { return !ended().ok(); }});
  if (!connection.ok())
    return with_context(connection.status(),
                        fmt::format("The daemon for this job cannot have its socket in the folder for "
                                    "temporary files ({}); set TMPDIR to a shorter path",
                                    std::filesystem::path(folder_).parent_path().string()));
  connection_ = *std::move(connection);
  std::vector<std::string> words = {program,    "--state-dir", folder_ + "/state",
                                    "--listen", address,       "--exit-with-parent"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, (folder_ + "/weftd.log").c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                   0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // The daemon gets a process group of its own, so that Ctrl-C on the terminal reaches only this
  // program, which then stops the daemon.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error = posix_spawnp(&pid_, program.c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return ok_status();
  pid_ = -1;
  return failed_precondition(
      "The daemon ({}) cannot be started ({}); install weftd next to weft or into PATH.", program,
      std::strerror(error));
}

Status PrivateDaemon::wait_until_ready(const Signals& signals) {
  const auto end = steady_clock::now() + kStartTimeout;
  while (true) {
    if (connection_->wait_until_ready(kPoll).ok()) return ok_status();
    if (signals.pending()) return cancelled("The start of a daemon for this job was interrupted.");
    if (has_ended())
      return failed_precondition(
          "The daemon that was started for this job ended at once. The end of its log:\n{}", log_end());
    if (steady_clock::now() >= end)
      return failed_precondition(
          "The daemon that was started for this job does not answer ({} s). The end of its log:\n{}",
          kStartTimeout.count(), log_end());
  }
}

bool PrivateDaemon::has_ended() {
  if (pid_ < 0) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  pid_ = -1;
  return true;
}

std::string PrivateDaemon::log_end() const {
  constexpr std::streamoff kEnd = 2000;
  std::ifstream log(folder_ + "/weftd.log", std::ios::ate | std::ios::binary);
  if (!log) return "(there is none)";
  log.seekg(std::max<std::streamoff>(0, std::streamoff(log.tellg()) - kEnd));
  return std::string(std::istreambuf_iterator<char>(log), {});
}

Status PrivateDaemon::ended() {
  // The daemon closes its sockets shortly before its process ends.
  const auto end = steady_clock::now() + kEndPatience;
  while (!has_ended() && steady_clock::now() < end) std::this_thread::sleep_for(kPoll);
  if (!has_ended()) return ok_status();
  return unavailable(
      "The daemon that was started for this job is gone, and the job with it. The end of its log:\n{}",
      log_end());
}

void PrivateDaemon::stop() {
  // A daemon that is still starting has no state to save and does not handle SIGTERM.
  if (pid_ > 0) kill(pid_, ready_ ? SIGTERM : SIGKILL);
  const auto end = steady_clock::now() + kStopTimeout;
  while (!has_ended()) {
    if (steady_clock::now() >= end) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
      pid_ = -1;
      break;
    }
    std::this_thread::sleep_for(kPoll);
  }
  std::error_code error;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
  folder_.clear();
}

}  // namespace weft::cli
