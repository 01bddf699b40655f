// SPDX-License-Identifier: Apache-2.0
#include "bench/spare_time/external_program.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/spare_time/run.h"
#include "server/device/external_load_watch.h"

extern char** environ;

namespace weft::bench {
namespace {

constexpr int kLongestChain = 2000;  // launches per frame

// A frame with this duration, as a chain of launches.
struct Frame {
  std::unique_ptr<Work> work;
  Load::StreamSpec stream;
};

StatusOr<Frame> make_frame(device::Device& device, const ExternalProgramSpec& spec) {
  Frame frame;
  ASSIGN_OR_RETURN(frame.work, make_bwdif(device, spec.format, 16, 1));
  ASSIGN_OR_RETURN(const Duration unit, unit_cost(device, *frame.work, 64));
  const double wanted_ms = spec.load * spec.period_ms;
  frame.stream.period = Duration(int64_t(spec.period_ms * 1e6));
  frame.stream.units = std::clamp(int(wanted_ms * 1e6 / double(unit.count())), 1, kLongestChain);
  ASSIGN_OR_RETURN(const Duration again, unit_cost(device, *frame.work, frame.stream.units));
  frame.stream.cost = again * frame.stream.units;
  frame.stream.poisson = spec.aperiodic;
  return frame;
}

Status serve(const ExternalProgramSpec& spec) {
  ASSIGN_OR_RETURN(const auto device, device::open_device(spec.device));
  ASSIGN_OR_RETURN(const Frame frame, make_frame(*device, spec));
  std::printf("ready %.6f\n", double(frame.stream.cost.count()) / 1e6);
  std::fflush(stdout);
  double seconds = 0;
  while (std::cin >> seconds) {
    Load load;
    load.streams = {frame.stream};
    load.skip = std::chrono::seconds(1);
    const auto policy = run_alone(load);
    const Machine machine{*device, frame.work.get(), nullptr, Duration(1)};
    ASSIGN_OR_RETURN(const RowResult row,
                     run_row(machine, load, *policy, seconds, std::chrono::steady_clock::now()));
    std::printf("%lld %lld %.6f %.6f %.6f %.6f\n", static_cast<long long>(row.frames),
                static_cast<long long>(row.misses), row.p50_ms, row.p99_ms, row.max_ms, row.p99_all_ms);
    std::fflush(stdout);
  }
  return ok_status();
}

}  // namespace

int run_external_program(const ExternalProgramSpec& spec) {
  const Status served = serve(spec);
  if (!served.ok()) std::fprintf(stderr, "%s\n", message_of(served).c_str());
  return served.ok() ? 0 : 1;
}

StatusOr<std::unique_ptr<ExternalProgram>> ExternalProgram::start(const ExternalProgramSpec& spec) {
  int to[2], from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0)
    return resource_exhausted("No pipe can be made.");
  std::vector<std::string> words = {
      "/proc/self/exe", "--foreign-program",
      "--device",       spec.device,
      "--size",         fmt::format("{}x{}", spec.format.width, spec.format.height),
      "--period-ms",    fmt::format("{}", spec.period_ms),
      "--foreign-load", fmt::format("{}", spec.load)};
  if (spec.aperiodic) words.push_back("--aperiodic");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  auto program = std::unique_ptr<ExternalProgram>(new ExternalProgram());
  const int error =
      ::posix_spawn(&program->pid_, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(to[0]);
  ::close(from[1]);
  program->to_ = to[1];
  program->from_ = from[0];
  if (error != 0) return internal_error("The foreign program cannot be started (error {}).", error);
  ASSIGN_OR_RETURN(const std::string line, program->read_line());
  if (std::sscanf(line.c_str(), "ready %lf", &program->frame_ms_) != 1)
    return internal_error("The foreign program does not say that it is ready ('{}').", line);
  return program;
}

ExternalProgram::~ExternalProgram() {
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
}

StatusOr<std::string> ExternalProgram::read_line() {
  std::string line;
  for (char c = 0;;) {
    const ssize_t got = ::read(from_, &c, 1);
    if (got <= 0) return internal_error("The foreign program ended.");
    if (c == '\n') return line;
    line += c;
  }
}

Status ExternalProgram::go(double seconds) {
  const std::string line = fmt::format("{}\n", seconds);
  if (::write(to_, line.data(), line.size()) != ssize_t(line.size()))
    return internal_error("The foreign program ended.");
  return ok_status();
}

StatusOr<ExternalFrames> ExternalProgram::result() {
  ASSIGN_OR_RETURN(const std::string line, read_line());
  ExternalFrames frames;
  std::istringstream in(line);
  if (!(in >> frames.frames >> frames.misses >> frames.p50_ms >> frames.p99_ms >> frames.max_ms >>
        frames.p99_all_ms))
    return internal_error("The foreign program's answer is not understood ('{}').", line);
  return frames;
}

struct Presences::State {
  std::unique_ptr<device::ExternalLoadWatch> use;
  schedule::Presence otherwise;
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::optional<schedule::Presence> newest;  // guarded by mutex
  std::jthread thread;

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      schedule::Presence presence = otherwise;
      if (use != nullptr) {
        lock.unlock();
        const auto sample = use->sample();
        lock.lock();
        presence.present = sample.ok() && !sample->processes.empty();
        presence.utilisation = sample.ok() ? sample->utilisation : 0;
      }
      presence.time = std::chrono::steady_clock::now();
      newest = presence;
      stopped.wait_for(lock, stop, std::chrono::milliseconds(150), [&] { return stop.stop_requested(); });
    }
  }
};

Presences::Presences(const std::string& device_id, schedule::Presence otherwise)
    : state_(std::make_unique<State>()) {
  state_->otherwise = otherwise;
  for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr)) {
    if (info.id != device_id) continue;
    auto use = device::watch_external_load(info);
    if (use.ok()) state_->use = *std::move(use);
  }
  state_->thread = std::jthread([state = state_.get()](const std::stop_token& stop) { state->run(stop); });
}

Presences::~Presences() = default;

std::optional<schedule::Presence> Presences::take() {
  const std::unique_lock lock(state_->mutex, std::try_to_lock);
  return lock.owns_lock() ? std::exchange(state_->newest, std::nullopt) : std::nullopt;
}

bool Presences::is_from_driver() const { return state_->use != nullptr; }

}  // namespace weft::bench
