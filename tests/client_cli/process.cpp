// SPDX-License-Identifier: Apache-2.0
#include "tests/client_cli/process.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

struct Ends {
  int ours;
  int theirs;
};

Ends make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {ends[0], ends[1]};
}

Ends make_terminal() {
  const int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ours < 0 || grantpt(ours) != 0 || unlockpt(ours) != 0) throw std::runtime_error("no terminal");
  const int theirs = open(ptsname(ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (theirs < 0) throw std::runtime_error("no terminal");
  const winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  ioctl(ours, TIOCSWINSZ, &size);
  return {ours, theirs};
}

int input_with(const std::string& text) {
  const Ends ends = make_pipe();
  if (write(ends.theirs, text.data(), text.size()) != ssize_t(text.size()))
    throw std::runtime_error("input too long");
  close(ends.theirs);
  return ends.ours;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Process::Process(const ProcessOptions& options) {
  const Ends output = options.screen ? make_terminal() : make_pipe();
  const Ends error = options.terminal ? make_terminal() : make_pipe();
  const int input = options.screen ? dup(output.theirs) : input_with(options.input);
  std::vector<std::string> words = options.words;
  std::vector<std::string> environment = {"HOME=/nonexistent"};
  if (const char* path = std::getenv("PATH")) environment.push_back(std::string("PATH=") + path);
  for (const auto& [name, value] : options.environment) environment.push_back(name + "=" + value);
  std::vector<char*> argv = pointers(words);
  std::vector<char*> envp = pointers(environment);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(input, 0);
    dup2(output.theirs, 1);
    dup2(options.screen ? output.theirs : error.theirs, 2);
    if (options.screen && (setsid() < 0 || ioctl(0, TIOCSCTTY, 0) != 0)) _exit(125);
    for (const int signal : options.ignored) std::signal(signal, SIG_IGN);
    if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(126);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(input);
  close(output.theirs);
  close(error.theirs);
  output_.descriptor = output.ours;
  error_.descriptor = error.ours;
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const Stream* stream : {&output_, &error_})
    if (stream->descriptor >= 0) close(stream->descriptor);
}

void Process::send_signal(int signal) { kill(pid_, signal); }

void Process::type(const std::string& keys) {
  if (write(output_.descriptor, keys.data(), keys.size()) != ssize_t(keys.size()))
    throw std::runtime_error("the keys cannot be pressed");
}

void Process::resize(int columns, int rows) {
  const winsize size{static_cast<unsigned short>(rows), static_cast<unsigned short>(columns), 0, 0};
  ioctl(output_.descriptor, TIOCSWINSZ, &size);
}

bool Process::wait_until(const std::function<bool()>& is_true) {
  const auto end = steady_clock::now() + seconds(10);
  while (!is_true())
    if (!pump() || steady_clock::now() > end) return is_true();
  return true;
}

bool Process::pump() {
  pollfd wanted[2] = {{output_.descriptor, POLLIN, 0}, {error_.descriptor, POLLIN, 0}};
  if (output_.descriptor < 0 && error_.descriptor < 0) return false;
  poll(wanted, 2, 20);
  Stream* streams[2] = {&output_, &error_};
  for (int i = 0; i < 2; i++) {
    if (wanted[i].fd < 0 || wanted[i].revents == 0) continue;
    char buffer[4096];
    const ssize_t count = read(wanted[i].fd, buffer, sizeof(buffer));
    if (count > 0) {
      streams[i]->text.append(buffer, size_t(count));
    } else {
      close(streams[i]->descriptor);
      streams[i]->descriptor = -1;
    }
  }
  return true;
}

bool Process::wait_for(const Stream& stream, const std::string& text) {
  return wait_until([&] { return stream.text.find(text) != std::string::npos; });
}

int Process::wait() {
  const auto end = steady_clock::now() + seconds(20);
  while (pump())
    if (steady_clock::now() > end) {
      kill(pid_, SIGKILL);
      break;
    }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Finished run(const ProcessOptions& options) {
  Process process(options);
  const int code = process.wait();
  return {code, process.output(), process.error()};
}

}  // namespace weft::test
