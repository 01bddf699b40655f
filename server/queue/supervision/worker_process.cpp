// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/worker_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <poll.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"

extern char** environ;

namespace weft::queue {
namespace {

using channel::FileDescriptor;

// Smallest number for copies of inherited descriptors, above their numbers in the child.
constexpr int kAboveTargets = 16;
// Longest time from the end of the channel to the end of the process.
constexpr std::chrono::seconds kLongestExit{5};
constexpr size_t kMaxLogLine = 4096;
constexpr size_t kMaxProgramOutput = size_t{1} << 20;

struct Inherited {
  int from;
  int to;
};

// Returns the environment without variables for this process alone: those of systemd's notification
// socket and watchdog, and the fault plan of a test.
std::vector<char*> environment_of_a_child() {
  std::vector<char*> result;
  for (char** entry = environ; *entry != nullptr; entry++) {
    const std::string_view text = *entry;
    const bool ours = text.starts_with("NOTIFY_SOCKET=") || text.starts_with("WATCHDOG_") ||
                      text.starts_with("WEFT_KILL_AT=");
    if (!ours) result.push_back(*entry);
  }
  result.push_back(nullptr);
  return result;
}

// Starts a child with default signals, a process group of its own (Ctrl-C reaches only the daemon)
// and no other descriptors than `inherited`.
StatusOr<pid_t> spawn(const std::vector<std::string>& arguments, std::span<const Inherited> inherited) {
  std::vector<FileDescriptor> high;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const Inherited& each : inherited) {
    high.emplace_back(::fcntl(each.from, F_DUPFD_CLOEXEC, kAboveTargets));
    posix_spawn_file_actions_adddup2(&actions, high.back().get(), each.to);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::vector<char*> environment = environment_of_a_child();
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, words[0], &actions, &attributes, words.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return unavailable("The program cannot be started ({}): {}.", arguments[0], std::strerror(error));
  return pid;
}

StatusOr<std::pair<FileDescriptor, FileDescriptor>> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return resource_exhausted("A pipe cannot be made: {}.", std::strerror(errno));
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);  // this process reads from it
  return std::pair(FileDescriptor(ends[0]), FileDescriptor(ends[1]));
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

// Returns true if all processes of the group have ended. A worker has a helper process that opens
// files for it and ends with it; on_gone must follow the end of both. This process reaps the helper
// after the worker's end.
bool group_is_gone(pid_t group) {
  while (::waitpid(-group, nullptr, WNOHANG) > 0) {
  }
  return ::kill(-group, 0) != 0 && errno == ESRCH;
}

// Reads all available bytes. Returns true if the writer may write more, false if the writer has
// closed its end.
bool read_all(int fd, std::string& into, size_t limit) {
  char buffer[4096];
  while (into.size() < limit) {
    const ssize_t got = ::read(fd, buffer, sizeof(buffer));
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    into.append(buffer, size_t(got));
  }
  return true;
}

}  // namespace

StatusOr<std::unique_ptr<WorkerProcess>> WorkerProcess::start(EventLoop& loop, std::string name,
                                                              const std::vector<std::string>& arguments,
                                                              int lock, Events events) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ASSIGN_OR_RETURN(auto ends, channel::make_socket_pair());
  ASSIGN_OR_RETURN(auto log, make_pipe());
  std::vector<Inherited> inherited{{log.second.get(), STDOUT_FILENO},
                                   {log.second.get(), STDERR_FILENO},
                                   {ends.second.get(), kWorkerChannelDescriptor}};
  if (lock >= 0) inherited.push_back({lock, kWorkerLockDescriptor});
  ASSIGN_OR_RETURN(const pid_t pid, spawn(arguments, inherited));
  std::string device = lock >= 0 ? name : "";
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(loop, std::move(name), std::move(device), pid,
                                                          std::move(ends.first), std::move(log.first),
                                                          std::move(events)));
}

WorkerProcess::WorkerProcess(EventLoop& loop, std::string name, std::string device, pid_t pid,
                             FileDescriptor channel, FileDescriptor log, Events events)
    : loop_(loop),
      name_(std::move(name)),
      device_(std::move(device)),
      pid_(pid),
      channel_(std::move(channel)),
      log_(std::move(log)),
      events_(std::move(events)) {
  loop_.watch(channel_.descriptor(), EPOLLIN, [this](uint32_t happened) { on_channel(happened); });
  loop_.watch(log_.get(), EPOLLIN, [this](uint32_t) { on_log(); });
}

WorkerProcess::~WorkerProcess() {
  if (channel_watched_) loop_.unwatch(channel_.descriptor());
  if (log_watched_) loop_.unwatch(log_.get());
  if (reason_.empty() && !killed_) ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, WNOHANG);
}

Status WorkerProcess::send(const internal::v1::ToWorker& message, std::span<const int> descriptors,
                           std::shared_ptr<const void> owner) {
  Status status = channel_.post(message, descriptors, std::move(owner));
  if (!status.ok()) {
    // If the process is ending, tick() determines the reason, and reading detects the end of the
    // channel.
    if (status.code() != StatusCode::kUnavailable) kill(message_of(status));
    return status;
  }
  update_interest();
  return ok_status();
}

void WorkerProcess::update_interest() {
  const bool wants = channel_.has_pending();
  if (!channel_watched_ || wants == wants_write_) return;
  wants_write_ = wants;
  loop_.change(channel_.descriptor(), wants ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void WorkerProcess::kill(const std::string& reason) {
  if (!killed_)
    log_warning({.device = device_}, "The worker of {} (process {}) is killed: {}", name_, pid_, reason);
  dismiss(reason);
}

void WorkerProcess::dismiss(const std::string& reason) {
  if (killed_) return;
  killed_ = true;
  reason_ = reason;
  ::kill(pid_, SIGKILL);
}

void WorkerProcess::read() {
  if (channel_watched_) on_channel(EPOLLIN);
}

void WorkerProcess::on_channel(uint32_t happened) {
  // Reading reports an error of the channel.
  if ((happened & EPOLLOUT) != 0) static_cast<void>(channel_.flush().ok());
  while (true) {
    internal::v1::FromWorker message;
    StatusOr<bool> got = channel_.try_receive(message, nullptr);
    if (got.ok() && !*got) break;
    if (!got.ok()) {
      loop_.unwatch(channel_.descriptor());
      channel_watched_ = false;
      closed_at_ = std::chrono::steady_clock::now();
      // The message cannot be parsed.
      if (got.status().code() == StatusCode::kDataLoss) kill(message_of(got.status()));
      return;
    }
    events_.on_message(message);
  }
  update_interest();
}

void WorkerProcess::on_log() {
  if (!read_all(log_.get(), log_rest_, kMaxLogLine * 16)) {
    loop_.unwatch(log_.get());
    log_watched_ = false;
  }
  log_lines(!log_watched_);
}

void WorkerProcess::log_lines(bool all) {
  size_t begin = 0;
  while (begin < log_rest_.size()) {
    const size_t newline = log_rest_.find('\n', begin);
    if (newline == std::string::npos && !all && log_rest_.size() - begin < kMaxLogLine) break;
    const size_t end =
        std::min(newline == std::string::npos ? log_rest_.size() : newline, begin + kMaxLogLine);
    log_line(std::string_view(log_rest_).substr(begin, end - begin));
    begin = end == newline ? end + 1 : end;
  }
  log_rest_.erase(0, begin);
}

// Logs a line of the worker. Weft's own lines are JSON (base/log.h); other lines come from
// libraries.
void WorkerProcess::log_line(std::string_view line) const {
  if (line.empty()) return;
  google::protobuf::Struct object;
  const bool is_ours =
      line[0] == '{' && google::protobuf::util::JsonStringToMessage({line.data(), line.size()}, &object).ok();
  const auto member = [&](const char* name) -> const google::protobuf::Value& {
    const auto found = object.fields().find(name);
    return found == object.fields().end() ? google::protobuf::Value::default_instance() : found->second;
  };
  LogFields fields{.device = device_, .program = "weft-worker"};
  if (!is_ours) return weft::log_line("info", fields, line);
  fields.job = member("job").string_value();
  fields.attempt = int(member("attempt").number_value());
  fields.stream = uint64_t(member("stream").number_value());
  weft::log_line(member("level").string_value(), fields, member("message").string_value());
}

void WorkerProcess::tick() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) != pid_) {
    if (!channel_watched_ && std::chrono::steady_clock::now() > closed_at_ + kLongestExit)
      kill("It has closed its channel and does not end.");
    return;
  }
  if (!status_) status_ = status;
  if (!group_is_gone(pid_)) return;
  read();
  if (log_watched_) on_log();
  log_lines(true);
  killed_ = true;
  end(reason_.empty() ? fmt::format("The worker of {} (process {}) {}.", name_, pid_, how_it_ended(*status_))
                      : reason_);
}

std::optional<int> WorkerProcess::exit_status() const {
  return status_ && WIFEXITED(*status_) ? std::optional(WEXITSTATUS(*status_)) : std::nullopt;
}

void WorkerProcess::end(const std::string& reason) {
  auto on_gone = events_.on_gone;  // on_gone may destroy this object
  on_gone(reason);
}

StatusOr<std::string> run_program(const std::vector<std::string>& arguments, Duration timeout) {
  ASSIGN_OR_RETURN(auto output, make_pipe());
  ASSIGN_OR_RETURN(auto errors, make_pipe());
  const Inherited inherited[] = {{output.second.get(), STDOUT_FILENO}, {errors.second.get(), STDERR_FILENO}};
  ASSIGN_OR_RETURN(const pid_t pid, spawn(arguments, inherited));
  output.second.reset();
  errors.second.reset();
  const TimePoint deadline = std::chrono::steady_clock::now() + timeout;
  std::string text;
  std::string words;
  bool more = true;
  while (more && std::chrono::steady_clock::now() < deadline && text.size() < kMaxProgramOutput) {
    pollfd ready[] = {{output.first.get(), POLLIN, 0}, {errors.first.get(), POLLIN, 0}};
    ::poll(ready, 2, 100);
    const bool more_errors = read_all(errors.first.get(), words, kMaxProgramOutput);
    more = read_all(output.first.get(), text, kMaxProgramOutput) || more_errors;
  }
  if (more) ::kill(pid, SIGKILL);
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (text.size() >= kMaxProgramOutput)
    return resource_exhausted("{} writes too much (at least {} bytes).", arguments[0], text.size());
  if (more)
    return deadline_exceeded("{} does not end (waited {} s).", arguments[0],
                             std::chrono::duration_cast<std::chrono::seconds>(timeout).count());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return unavailable("{} {}: {}", arguments[0], how_it_ended(status),
                       words.empty() ? "it wrote no reason."
                                     : words.substr(words.size() - std::min<size_t>(words.size(), 500)));
  return text;
}

}  // namespace weft::queue
