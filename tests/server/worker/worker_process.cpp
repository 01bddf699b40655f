// SPDX-License-Identifier: Apache-2.0
#include "tests/server/worker/worker_process.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::worker {
namespace {

constexpr auto kLongest = std::chrono::seconds(60);

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment) {
  auto ends = channel::make_socket_pair();
  EXPECT_THAT(ends, IsOk());
  std::vector<std::string> words = {WEFT_WORKER};
  for (const std::string& argument : arguments)
    words.push_back(argument == "{channel}" ? std::to_string(ends->second.get()) : argument);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> variables = environment;
  pid_ = ::fork();
  if (pid_ == 0) {
    for (std::string& variable : variables) ::putenv(variable.data());
    static_cast<void>(channel::keep_over_exec(ends->second.get()).ok());
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ends->second.reset();
  channel_ = std::make_unique<channel::Channel>(std::move(ends->first));
}

WorkerProcess::~WorkerProcess() {
  kill();
  wait();
}

void WorkerProcess::limit_files(size_t bytes) {
  const rlimit limit{bytes, bytes};
  EXPECT_EQ(::prlimit(pid_, RLIMIT_FSIZE, &limit, nullptr), 0);
}

void WorkerProcess::send(const internal::v1::ToWorker& message, std::initializer_list<int> descriptors) {
  EXPECT_THAT(channel_->send(message, descriptors, kLongest), IsOk());
}

internal::v1::FromWorker WorkerProcess::wait_for(
    const std::function<bool(const internal::v1::FromWorker&)>& wanted) {
  while (true) {
    internal::v1::FromWorker message;
    const Status received = channel_->receive(message, nullptr, kLongest);
    EXPECT_NE(received.code(), StatusCode::kDeadlineExceeded) << "the worker says nothing";
    if (!received.ok()) return {};
    seen.push_back(message);
    if (wanted(message)) return message;
  }
}

void WorkerProcess::kill() { signal(SIGKILL); }

void WorkerProcess::signal(int number) {
  if (!ended_) ::kill(pid_, number);
}

int WorkerProcess::wait() {
  if (!ended_) {
    // The descriptor of the process becomes readable when the process ends.
    const channel::FileDescriptor process(int(::syscall(SYS_pidfd_open, pid_, 0)));
    pollfd end{process.get(), POLLIN, 0};
    const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(kLongest);
    if (::poll(&end, 1, int(longest.count())) != 1 || ::waitpid(pid_, &status_, 0) != pid_) return -1000;
  }
  ended_ = true;
  return WIFSIGNALED(status_) ? -WTERMSIG(status_) : WEXITSTATUS(status_);
}

Printed run_worker(const std::string& arguments) {
  Printed printed;
  FILE* pipe = ::popen(fmt::format("{} {} 2>/dev/null", WEFT_WORKER, arguments).c_str(), "r");
  char buffer[4096];
  while (const size_t count = std::fread(buffer, 1, sizeof(buffer), pipe)) printed.text.append(buffer, count);
  const int status = ::pclose(pipe);
  printed.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return printed;
}

}  // namespace weft::worker
