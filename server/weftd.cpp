// SPDX-License-Identifier: Apache-2.0
// Runs weftd: loads the configuration, creates the parts, and waits for a signal to stop.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include <google/protobuf/stubs/common.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/config.h"
#include "server/metrics/metrics.h"
#include "server/notify.h"
#include "server/part_configs.h"
#include "server/process.h"
#include "server/queue/admission/admission.h"
#include "server/queue/queue.h"
#include "server/queue/supervision/pictures.h"
#include "server/queue/supervision/supervisor.h"
#include "server/rpc/server.h"
#include "server/streams/streams.h"

namespace {

using namespace weft;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kPollInterval{100};  // interval of the main thread's checks for signals
// interval of checks of the devices after their self-tests
constexpr seconds kDevicePollInterval{1};
constexpr seconds kWorkerGrace{3};       // limit for the exit of idle workers
constexpr milliseconds kCallGrace{500};  // limit for pending answers
constexpr seconds kCheckpointLimit{10};  // limit of the wait for requested checkpoints
constexpr seconds kPrivateLimit{5};      // the same limit for a daemon that ends with its parent
constexpr unsigned kLongestStopSeconds = 60;

Status make_state_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) {
    if (::access(folder.c_str(), R_OK | W_OK | X_OK) == 0) return ok_status();
  }
  const int code = errno;
  const std::string message = fmt::format(
      "The state folder cannot be used ({}): {}; choose another --state-dir.", folder, std::strerror(code));
  return make_status(code == EACCES || code == EPERM || code == EROFS ? StatusCode::kPermissionDenied
                                                                      : StatusCode::kNotFound,
                     message);
}

// --- The daemon ---------------------------------------------------------------------------------

class Daemon {
 public:
  Daemon(Invocation invocation, std::vector<std::string> arguments)
      : invocation_(std::move(invocation)), config_(invocation_.config), arguments_(std::move(arguments)) {}

  Status start();
  // Runs until SIGTERM or SIGINT.
  void run(const sigset_t& signals);
  void stop(const sigset_t& signals);

 private:
  Status start_parts(const internal::v1::DeviceList& list);
  void offer_memory(mode_t socket_mode);
  void poll();
  void poll_devices();
  void report_health();
  // Returns the status text for systemd.
  const char* status_text() const;
  // Returns the reason for which jobs are not accepted or cannot run, or an empty string. Any
  // thread.
  std::string unhealthy_reason() const;
  void reload();
  // Returns a signal that arrives within kPollInterval, or 0.
  static int next_signal(const sigset_t& signals);
  enum class Waited { kDone, kTooLong, kSignalled };
  Waited wait_for(const std::function<bool()>& done, Duration limit, const sigset_t& signals);

  const Invocation invocation_;
  Config config_;
  const std::vector<std::string> arguments_;
  SystemClock clock_;
  std::shared_ptr<const queue::FileRules> rules_;  // set once the configured folders exist
  std::unique_ptr<queue::Queue> queue_;
  std::unique_ptr<queue::Supervisor> supervisor_;
  std::unique_ptr<queue::Admission> admission_;
  std::unique_ptr<metrics::Metrics> metrics_;  // null if disabled
  std::unique_ptr<streams::Streams> streams_;
  std::unique_ptr<queue::Pictures> pictures_;
  std::unique_ptr<rpc::RpcServer> server_;
  std::atomic<bool> devices_settled_{false};  // whether all self-tests have ended
  std::atomic<int> devices_in_service_{0};
  std::atomic<int> devices_starting_{0};
  // kReady means that a device is in service and the store is writable.
  enum class Health { kStarting, kReady, kNoDevice, kNoStore };
  std::atomic<Health> health_{Health::kStarting};  // changed on the main thread
  std::atomic<bool> is_stopping_{false};
  TimePoint next_watchdog_{};
  TimePoint next_device_poll_{};
};

Status Daemon::start() {
  log_info("weftd {} starts (state in {}, configuration {}).", WEFT_VERSION, config_.state_dir,
           invocation_.file.empty() ? "built in" : invocation_.file);
  notify("STATUS=Opening the store.");
  RETURN_IF_ERROR(make_state_folder(config_.state_dir));
  ASSIGN_OR_RETURN(queue_, queue::Queue::open(queue_config(config_), clock_));
  std::error_code error;
  // without a cache only time is lost
  std::filesystem::create_directories(config_.cache_dir, error);
  rules_ = std::make_shared<const queue::FileRules>(std::vector{config_.state_dir, config_.cache_dir},
                                                    config_.file_roots);
  notify("STATUS=Looking for devices.");
  ASSIGN_OR_RETURN(internal::v1::DeviceList list, queue::list_devices(config_.worker, config_.start_timeout));
  return start_parts(list);
}

Status Daemon::start_parts(const internal::v1::DeviceList& list) {
  std::vector<std::string> ids;
  for (const v1::DeviceStatus& device : list.devices()) ids.push_back(device.id());
  std::vector<std::string> notes(list.notes().begin(), list.notes().end());
  for (const std::string& wanted : config_.device)
    if (std::find(ids.begin(), ids.end(), wanted) == ids.end())
      notes.push_back(fmt::format("The configuration names a device that is not there ({}); there are: {}.",
                                  wanted, fmt::join(ids, ", ")));
  for (const std::string& note : notes) log_warning("{}", note);
  if (ids.empty())
    return unavailable("There is no device to work on; weft-worker --list-devices --text says why.");
  const std::vector<std::string> used = devices_in_use(config_, ids);
  if (used.empty())
    return unavailable(
        "None of the devices that the configuration names is there ({}); there are: {}. Name one of those, "
        "or "
        "leave 'device' out.",
        fmt::join(config_.device, ", "), fmt::join(ids, ", "));

  queue::SupervisorConfig supervisor = supervisor_config(config_, rules_, queue_->store_identity());
  limit_memory(config_, supervisor.workers);
  ASSIGN_OR_RETURN(supervisor_, queue::Supervisor::make(supervisor, list, *queue_, clock_));
  admission_ =
      std::make_unique<queue::Admission>(*queue_, supervisor_->prober(),
                                         queue::AdmissionConfig{.devices = used,
                                                                .low_disk_bytes = config_.low_disk_bytes,
                                                                .rules = rules_,
                                                                .work_folder = config_.work_dir});
  queue_->start(*supervisor_);
  rpc::ServerConfig server;
  server.listen = config_.listen;
  server.socket_mode = mode_t(std::stoi(config_.socket_mode, nullptr, 8));
  server.operators = config_.operators;
  server.descriptors = raise_descriptor_limit();
  server.state_folder = config_.state_dir;
  server.device_notes = notes;
  if (!config_.metrics_listen.empty()) {
    ASSIGN_OR_RETURN(metrics_, metrics::Metrics::start(config_.metrics_listen, *queue_,
                                                       [this] { return unhealthy_reason(); }));
    server.on_submit = [this](Duration latency, bool accepted) { metrics_->submitted(latency, accepted); };
  }
  ASSIGN_OR_RETURN(
      streams_,
      streams::Streams::start(
          {.stall_timeout = config_.stall_timeout, .hang_timeout = config_.hang_timeout, .rules = rules_},
          [this](auto done) { queue_->list_devices(std::move(done)); }, *supervisor_, clock_));
  pictures_ = std::make_unique<queue::Pictures>(supervisor_->picture_worker(), rules_);
  ASSIGN_OR_RETURN(
      server_, rpc::RpcServer::start(
                   server, *queue_, *admission_, clock_,
                   {.streams = streams_.get(), .pictures = pictures_.get(), .traces = supervisor_.get()}));
  offer_memory(server.socket_mode);
  supervisor_->begin();
  return ok_status();
}

// Creates the socket for rings next to the first Unix socket. Clients with other connections use
// messages.
void Daemon::offer_memory(mode_t socket_mode) {
  constexpr std::string_view kUnix = "unix:";
  for (const std::string& address : config_.listen) {
    if (!address.starts_with(kUnix)) continue;
    const Status offered = streams_->offer_memory(address.substr(kUnix.size()) + ".frames", socket_mode);
    if (!offered.ok()) log_warning("The frames of streams travel in messages. {}", message_of(offered));
    return;
  }
}

int Daemon::next_signal(const sigset_t& signals) {
  const timespec wait{0, std::chrono::nanoseconds(kPollInterval).count()};
  return std::max(0, ::sigtimedwait(&signals, nullptr, &wait));
}

// Notifies the watchdog from the queue's thread, so that systemd restarts a daemon with a stalled
// queue.
void Daemon::poll() {
  static const std::optional<Duration> watchdog = watchdog_interval();
  if (watchdog && clock_.now() >= next_watchdog_) {
    next_watchdog_ = clock_.now() + *watchdog;
    queue_->post([] { notify("WATCHDOG=1"); });
  }
  if (is_stopping_) return;
  poll_devices();
  report_health();
}

void Daemon::poll_devices() {
  if (clock_.now() < next_device_poll_) return;
  if (devices_settled_) next_device_poll_ = clock_.now() + kDevicePollInterval;
  queue_->list_devices([this](const StatusOr<std::vector<v1::DeviceStatus>>& devices) {
    if (!devices.ok() || devices->empty()) return;
    int in_service = 0, starting = 0, in_test = 0;
    for (const v1::DeviceStatus& device : *devices) {
      const bool starts = device.state() == v1::DEVICE_STATE_STARTING;
      in_service += device.state() == v1::DEVICE_STATE_IN_SERVICE ? 1 : 0;
      starting += starts ? 1 : 0;
      in_test += starts && device.reason().empty() ? 1 : 0;
    }
    devices_in_service_ = in_service;
    devices_starting_ = starting;
    if (in_test == 0) devices_settled_ = true;
  });
}

// Reports the health. The health checks (grpc.health.v1) fail without a writable store, which is
// required to accept jobs, and without a device. systemd receives READY=1 in any case, since the
// daemon answers requests; the status text contains the problem. A restarting worker changes
// nothing.
void Daemon::report_health() {
  if (!devices_settled_) return;
  const bool has_device = devices_in_service_ > 0 || (health_ == Health::kReady && devices_starting_ > 0);
  const Health health = !queue_->is_store_written() ? Health::kNoStore
                        : has_device                ? Health::kReady
                                                    : Health::kNoDevice;
  if (health == health_) return;
  health_ = health;
  server_->set_serving(health_ == Health::kReady);
  if (health_ == Health::kReady) log_info("The daemon is ready.");
  if (health_ == Health::kNoDevice)
    log_warning("No device is in service: jobs are taken and wait. `weft devices` says why.");
  notify(fmt::format("READY=1\nSTATUS={}", status_text()));
}

const char* Daemon::status_text() const {
  switch (health_) {
    case Health::kNoDevice:
      return "No device is in service; jobs wait.";
    case Health::kNoStore:
      return "The store cannot be written; no job is taken.";
    default:
      return "Running.";
  }
}

std::string Daemon::unhealthy_reason() const {
  if (is_stopping_) return "The daemon stops; it takes no new jobs.";
  if (health_ == Health::kStarting) return "The devices are being tested.";
  return health_ == Health::kReady ? "" : status_text();
}

void Daemon::reload() {
  notify("RELOADING=1");
  StatusOr<Invocation> fresh = load_config(arguments_, process_environment());
  if (!fresh.ok()) {
    log_error("The configuration is not read again, all stays as it was: {}", message_of(fresh.status()));
    notify(fmt::format("READY=1\nSTATUS={} The new configuration is not valid.", status_text()));
    return;
  }
  for (const ConfigKey* key : changed_keys(config_, fresh->config))
    log_info("The key {} is now {}{}", key->name, config_text(fresh->config, *key),
             key->reloadable ? "." : ", which takes effect when the daemon starts again.");
  config_ = reloaded(config_, fresh->config);
  static_cast<void>(set_log_level(config_.log_level).ok());
  supervisor_->change(supervisor_config(config_, rules_, queue_->store_identity()));
  queue_->set_owner_weights(config_.owners);
  admission_->set_low_disk_bytes(config_.low_disk_bytes);
  notify(fmt::format("READY=1\nSTATUS={}", status_text()));
}

void Daemon::run(const sigset_t& signals) {
  while (true) {
    const int signal = next_signal(signals);
    if (signal == SIGHUP) reload();
    if (signal == SIGTERM || signal == SIGINT) return;
    poll();
  }
}

Daemon::Waited Daemon::wait_for(const std::function<bool()>& done, Duration limit, const sigset_t& signals) {
  const TimePoint deadline = clock_.now() + limit;
  while (!done()) {
    if (clock_.now() >= deadline) return Waited::kTooLong;
    const int signal = next_signal(signals);
    if (signal == SIGTERM || signal == SIGINT) return Waited::kSignalled;
    poll();
  }
  return Waited::kDone;
}

// Waits within the limit for the end of jobs and streams, then stops jobs at a checkpoint and ends
// streams. A second signal ends the wait.
void Daemon::stop(const sigset_t& signals) {
  notify("STOPPING=1\nSTATUS=Waiting for running jobs and streams to finish.");
  // A private daemon does not drain: its parent, which would wait for the jobs, has ended.
  const seconds limit = invocation_.exit_with_parent ? seconds(0) : config_.drain_timeout;
  log_info("The daemon stops; it takes no new work.");
  is_stopping_ = true;
  server_->set_serving(false);
  streams_->drain();
  std::atomic<bool> drained{false};
  queue_->drain([&drained] { drained = true; });
  const auto is_idle = [&] { return drained && streams_->count() == 0; };
  Waited waited = wait_for(is_idle, std::min<Duration>(kPollInterval, limit), signals);
  if (waited == Waited::kTooLong && limit.count() > 0) {
    log_info("Running jobs and streams ({}) have {} s to finish.", streams_->count(), limit.count());
    waited = wait_for(is_idle, limit, signals);
  }
  if (const int streams = streams_->count(); streams > 0) log_info("{} streams are ended.", streams);
  streams_->stop();
  if (waited == Waited::kTooLong && !drained) {
    log_info("Running jobs stop at their next checkpoint.");
    notify("STATUS=Waiting for running jobs to reach a checkpoint.");
    queue_->checkpoint();
    const Duration most = invocation_.exit_with_parent ? kPrivateLimit : kCheckpointLimit;
    waited = wait_for([&drained] { return drained.load(); }, most, signals);
  }
  if (waited == Waited::kSignalled && !drained) log_info("Told to stop again: workers are stopped at once.");
  log_info("{}", drained
                     ? "All work has finished."
                     : "Running jobs are stopped; they resume after their last segment at the next start.");
  // If a file system or driver hangs now, the alarm ends the process. All state is already durable.
  std::signal(SIGALRM, SIG_DFL);
  ::alarm(kLongestStopSeconds);
  supervisor_->shut_down(drained ? Duration(kWorkerGrace) : Duration(0));
  admission_->stop();
  server_->shut_down(kCallGrace);
  if (metrics_) metrics_->stop();
  queue_->stop();
  server_.reset();
  pictures_.reset();
  metrics_.reset();
  streams_.reset();
  admission_.reset();
  supervisor_.reset();
  queue_.reset();
  log_info("The daemon has stopped.");
}

int fail(const Status& status) {
  log_error("{}", message_of(status));
  notify(fmt::format("STATUS={}", message_of(status)));
  return exit_code(status);
}

}  // namespace

int main(int argc, char** argv) {
  // Workers run as the same user and must not read the daemon's memory or descriptors.
  ::prctl(PR_SET_DUMPABLE, 0);
  GOOGLE_PROTOBUF_VERIFY_VERSION;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  StatusOr<Invocation> invocation = load_config(arguments, process_environment());
  if (!invocation.ok()) {
    std::fprintf(stderr, "weftd: %s\n", message_of(invocation.status()).c_str());
    return invocation.status().code() == StatusCode::kInvalidArgument ? EX_USAGE : EX_CONFIG;
  }
  if (invocation->action != Invocation::Action::kRun) {
    std::fputs(invocation->text.c_str(), stdout);
    return std::fflush(stdout) == 0 ? EX_OK : EX_IOERR;
  }
  LogFormat format = log_format(invocation->config.log_format).value_or(LogFormat::kText);
  if (format == LogFormat::kText && std::getenv("JOURNAL_STREAM") != nullptr) format = LogFormat::kJournal;
  const Status log = start_log({.program = "weftd", .level = invocation->config.log_level, .format = format});
  if (!log.ok()) return fail(log);
  log_words_of_protobuf();
  if (invocation->exit_with_parent && !tie_to_parent()) return EX_OK;

  // The mask is set before any thread starts: all threads inherit it, and only the main thread
  // receives signals.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  Daemon daemon(*std::move(invocation), arguments);
  if (Status started = daemon.start(); !started.ok()) return fail(started);
  daemon.run(signals);
  daemon.stop(signals);
  return EX_OK;
}
