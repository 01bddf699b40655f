// SPDX-License-Identifier: Apache-2.0
#include "client_cli/context/signals.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace weft::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr char kSignalByte = 's';
constexpr char kStopByte = 'e';

int pipe_ends[2] = {-1, -1};  // global, because a signal handler has no other access to it
struct sigaction former_actions[std::size(kSignals)];
volatile std::sig_atomic_t last_signal = SIGINT;

void on_signal(int signal) {
  const int saved = errno;
  last_signal = signal;
  static_cast<void>(!write(pipe_ends[1], &kSignalByte, 1));
  errno = saved;
}

}  // namespace

Signals::Signals() {
  static_cast<void>(!pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK));
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < std::size(kSignals); i++) {
    sigaction(kSignals[i], nullptr, &former_actions[i]);
    if (former_actions[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

Signals::~Signals() {
  for (size_t i = 0; i < std::size(kSignals); i++) sigaction(kSignals[i], &former_actions[i], nullptr);
  for (int& end : pipe_ends) close(std::exchange(end, -1));
}

Signals::Event Signals::wait_until(TimePoint time) {
  constexpr auto kLongestWait = std::chrono::hours(1);
  while (true) {
    const auto left = std::min<Duration>(time - SystemClock().now(), kLongestWait);
    if (left <= Duration(0)) return Event::kTime;
    pollfd wanted{pipe_ends[0], POLLIN, 0};
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    if (poll(&wanted, 1, int(wait)) <= 0) continue;
    char byte = 0;
    if (read(pipe_ends[0], &byte, 1) == 1) return byte == kStopByte ? Event::kStopped : Event::kSignal;
  }
}

bool Signals::pending() const {
  pollfd wanted{pipe_ends[0], POLLIN, 0};
  return poll(&wanted, 1, 0) > 0;
}

int Signals::last() { return last_signal; }

void Signals::stop() { static_cast<void>(!write(pipe_ends[1], &kStopByte, 1)); }

}  // namespace weft::cli
