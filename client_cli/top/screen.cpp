// SPDX-License-Identifier: Apache-2.0
#include "client_cli/top/screen.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace weft::cli {
namespace {

// Sequences of xterm that all current terminals support.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";  // alternate screen, hidden cursor
constexpr std::string_view kLeave = "\x1b[0m\x1b[?25h\x1b[?1049l";
constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";

constexpr int kWanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};

}  // namespace

StatusOr<std::unique_ptr<Screen>> Screen::open(const Terminal& terminal) {
  std::unique_ptr<Screen> screen(new Screen(terminal));
  sigemptyset(&screen->signals_);
  for (const int signal : kWanted) sigaddset(&screen->signals_, signal);
  pthread_sigmask(SIG_BLOCK, &screen->signals_, &screen->before_);
  if (tcgetattr(STDIN_FILENO, &screen->usual_) != 0)
    return unavailable("The terminal cannot be used: {}.", std::strerror(errno));
  screen->descriptor_ = signalfd(-1, &screen->signals_, SFD_CLOEXEC | SFD_NONBLOCK);
  if (screen->descriptor_ < 0) return unavailable("Signals cannot be waited for: {}.", std::strerror(errno));
  screen->enter();
  return screen;
}

Screen::~Screen() {
  if (descriptor_ >= 0) {
    leave();
    close(descriptor_);
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Screen::enter() {
  termios raw = usual_;
  raw.c_lflag &= ~tcflag_t(ICANON | ECHO);  // ISIG stays set: Ctrl-C and Ctrl-Z send signals
  raw.c_iflag &= ~tcflag_t(IXON | ICRNL);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  write(kEnter);
  measure();
}

void Screen::leave() {
  write(kLeave);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &usual_);
}

void Screen::measure() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return;
  columns_ = size.ws_col;
  rows_ = size.ws_row;
}

void Screen::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // wait_until() detects a closed terminal
    text.remove_prefix(size_t(count));
  }
}

void Screen::draw(const std::vector<TableRow>& lines) {
  std::string text;
  const size_t shown = std::min(lines.size(), rows_);
  for (size_t row = 0; row < shown; row++) {
    text += fmt::format("\x1b[{};1H", row + 1);
    const TableRow line = cut(lines[row], columns_);
    for (const Cell& cell : line) text += paint(terminal_, cell.colour, cell.text);
    // After a line of full width the cursor is still on the last character, which the sequence
    // would erase.
    if (display_width(line) < columns_) text += kClearLine;
  }
  if (shown < rows_) text += fmt::format("\x1b[{};1H{}", shown + 1, kClearBelow);
  write(text);
}

Screen::Event Screen::wait_until(TimePoint time, std::vector<Key>& keys) {
  const auto left = std::max(time - SystemClock().now(), Duration(0));
  constexpr Duration kLongestWait = std::chrono::hours(1);
  const auto wait =
      std::chrono::ceil<std::chrono::milliseconds>(std::min<Duration>(left, kLongestWait)).count();
  pollfd wanted[2] = {{descriptor_, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  if (poll(wanted, 2, int(wait)) <= 0) return Event::kTime;
  if (wanted[0].revents != 0) return take_signal();
  return read_keys(keys) ? Event::kKeys : Event::kEnded;
}

Screen::Event Screen::take_signal() {
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof(info)) != sizeof(info)) return Event::kTime;
  switch (int(info.ssi_signo)) {
    case SIGTSTP:
      stop_until_continued();
      return Event::kResized;
    case SIGCONT:  // a shell may have changed the terminal's settings
      enter();
      return Event::kResized;
    case SIGWINCH:
      measure();
      return Event::kResized;
    default:
      return Event::kEnded;
  }
}

void Screen::stop_until_continued() {
  leave();
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  kill(getpid(), SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);  // the process is suspended here
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  enter();
}

// Reads keys. Returns false if the terminal was closed.
bool Screen::read_keys(std::vector<Key>& keys) {
  char buffer[256];
  const ssize_t count = read(STDIN_FILENO, buffer, sizeof(buffer));
  if (count <= 0) return count < 0 && (errno == EINTR || errno == EAGAIN);
  bytes_.append(buffer, size_t(count));
  keys = take_keys(bytes_);
  return true;
}

}  // namespace weft::cli
