// SPDX-License-Identifier: Apache-2.0
// The table of the daemon's keys, and what each value is checked for.
#include <charconv>
#include <string_view>

#include "server/config.h"

namespace weft {
namespace {

Status check_log_level(const std::string& text) {
  for (std::string_view known : {"debug", "info", "warning", "error", "off"})
    if (text == known) return ok_status();
  return invalid_argument("The log level is not known ('{}'); use debug, info, warning, error or off.", text);
}

Status check_log_format(const std::string& text) {
  if (text == "text" || text == "json") return ok_status();
  return invalid_argument("The format of the log is not known ('{}'); use text or json.", text);
}

Status check_socket_mode(const std::string& text) {
  const bool octal =
      text.size() == 4 && text[0] == '0' && text.find_first_not_of("01234567") == std::string::npos;
  if (!octal)
    return invalid_argument("The socket's mode is not octal ('{}'); use a value like 0600 or 0660.", text);
  return ok_status();
}

Status check_foreign(const std::string& text) {
  if (text == "yield" || text == "share") return ok_status();
  for (std::string_view old : {"auto", "lock", "short"})
    if (text == old) return invalid_argument("The mode '{}' is now called yield; use yield.", text);
  if (text == "ignore") return invalid_argument("The mode 'ignore' is now called share; use share.");
  return invalid_argument("The mode next to other programs is not known ('{}'); use yield or share.", text);
}

Status check_tuning(const std::string& text) {
  if (text == "on" || text == "off") return ok_status();
  if (text == "adapt" || text == "frozen")
    return invalid_argument("The value '{}' is now called on; use on.", text);
  return invalid_argument("The use of tables of tuned kernels is not known ('{}'); use on or off.", text);
}

// INVALID_ARGUMENT unless `text` ends with a port.
Status check_port(const std::string& text) {
  const std::string port = text.substr(text.rfind(':') + 1);
  int number = -1;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number < 0 || number > 65535)
    return invalid_argument("The port is not a number from 0 to 65535 ('{}').", text);
  return ok_status();
}

Status check_metrics_address(const std::string& text) {
  if (text.empty()) return ok_status();
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return invalid_argument(
        "The address of the metrics is not understood ('{}'); use HOST:PORT, as 127.0.0.1:9464.", text);
  return check_port(text);
}

// Until clients can be told apart, only this machine may reach the daemon.
Status check_address(const std::string& text) {
  if (text.starts_with("unix:/")) return ok_status();
  const size_t colon = text.rfind(':');
  if (text.starts_with("unix:") || colon == std::string::npos)
    return invalid_argument("The address is not understood ('{}'); use unix:/absolute/path or HOST:PORT.",
                            text);
  RETURN_IF_ERROR(check_port(text));
  const std::string host = text.substr(0, colon);
  const bool loopback =
      host == "localhost" || host == "[::1]" ||
      (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
  if (!loopback)
    return invalid_argument(
        "The address can be reached from other machines ('{}'), and the daemon cannot tell clients apart "
        "yet; "
        "use a unix socket, 127.0.0.1 or [::1], and an SSH tunnel from elsewhere.",
        text);
  return ok_status();
}

Status check_absolute(const std::string& text) {
  if (text.starts_with('/')) return ok_status();
  return invalid_argument("The folder is not absolute ('{}'); begin it with a slash.", text);
}

constexpr int64_t kMaxSeconds = 7 * 24 * 3600;
constexpr ConfigKey kKeys[] = {
    {"state-dir", "FOLDER", "Folder of the store: jobs, their logs.", &Config::state_dir},
    {"cache-dir", "FOLDER", "Folder of what can be made again: compiled pipelines.", &Config::cache_dir},
    {"listen", "ADDRESS", "Where clients reach the daemon: unix:/PATH, or HOST:PORT on this machine.",
     &Config::listen, 0, 0, false, check_address},
    {"metrics-listen", "HOST:PORT",
     "Offer metrics to Prometheus there, over HTTP and to whoever can reach it; none if not given.",
     &Config::metrics_listen, 0, 0, false, check_metrics_address},
    {"socket-mode", "MODE", "Who may use the Unix socket, in octal: 0600 the user, 0660 the group too.",
     &Config::socket_mode, 0, 0, false, check_socket_mode},
    {"operators", "GROUP",
     "Members may change all jobs, read their logs and pictures and drain devices, as root and the daemon's "
     "user may; of others "
     "each only what is his own.",
     &Config::operators},
    {"file-roots", "FOLDER",
     "Jobs of other users than root and the daemon's may read and write below this folder only; anywhere if "
     "not given, always "
     "with that user's own rights.",
     &Config::file_roots, 0, 0, false, check_absolute},
    {"device", "DEVICE", "Use only this device: cpu, cuda:0, vulkan:0 ...", &Config::device},
    {"worker", "PROGRAM", "The program weft-worker.", &Config::worker},
    {"lock-dir", "FOLDER",
     "Folder where the daemons of this machine note which device each has; the same for all.",
     &Config::lock_dir},
    {"foreign", "MODE",
     "The regard for other programs on a GPU: yield (work runs in the gaps between their frames, or in short "
     "batches while these have no period), or share (none).",
     &Config::foreign, 0, 0, false, check_foreign},
    {"tuning", "MODE",
     "Tables of tuned kernels: on (used; weft tune changes them) or off (neither read nor changed).",
     &Config::tuning, 0, 0, false, check_tuning},
    {"log-level", "LEVEL",
     "The lowest level of lines in the log: debug, info, warning or error; off: no lines at all.",
     &Config::log_level, 0, 0, true, check_log_level},
    {"log-format", "FORMAT",
     "The form of the log on standard error: text, or json (an object a line, with job, attempt, stream and "
     "device as members).",
     &Config::log_format, 0, 0, false, check_log_format},
    {"jobs-per-device", "N", "Jobs that run on a device at once.", &Config::jobs_per_device, 1, 64},
    {"queue-aging", "SECONDS",
     "Of four jobs that start one is of the class and priority of the oldest of those that waited for so "
     "long.",
     &Config::queue_aging, 1, kMaxSeconds},
    {"cpu-threads", "N", "Threads of the CPU device; 0: one a processor.", &Config::cpu_threads, 0, 1024},
    {"low-disk-bytes", "BYTES",
     "Nothing is started while less than this is free where its output goes; below half of it what runs "
     "waits too.",
     &Config::low_disk_bytes, 0, int64_t{1} << 50, true},
    {"host-memory-bytes", "BYTES",
     "Of the machine's memory, that running jobs may take together by their estimates: others wait, and one "
     "that needs more is refused; 0: all but 1 GiB, or but an eighth where that is less, of what the machine "
     "or the daemon's control group has.",
     &Config::host_memory_bytes, 0, int64_t{1} << 50},
    {"ended-jobs", "N",
     "Jobs that have ended and are remembered, with their logs; the oldest are forgotten first.",
     &Config::ended_jobs, 0, 100'000'000},
    {"ended-days", "DAYS", "How long jobs that have ended are remembered. Their outputs stay.",
     &Config::ended_days, 1, 36'500},
    {"failed-work-days", "DAYS", "How long the finished segments of a failed job are kept for a retry.",
     &Config::failed_work_days, 0, 36'500},
    {"owners", "NAME=WEIGHT",
     "Parts that owners have against each other, of a device and of the queue, where several want them; 1 "
     "for those not named.",
     &Config::owners, 0, 0, true},
    {"queued-jobs", "N", "Jobs that may wait; further ones are refused.", &Config::queued_jobs, 1,
     100'000'000},
    {"owner-bytes", "BYTES",
     "Most bytes of one owner's jobs that are remembered; beyond it his oldest ended jobs are forgotten, and "
     "without any, new "
     "jobs are refused.",
     &Config::owner_bytes, int64_t{1} << 20, int64_t{1} << 50},
    {"hang-timeout", "SECONDS",
     "A job whose work stands still for so long loses its worker, and is tried again; waiting for a file "
     "system is not standing still.",
     &Config::hang_timeout, 1, kMaxSeconds, true},
    {"start-timeout", "SECONDS", "Longest start of a worker, its self-test included.", &Config::start_timeout,
     1, kMaxSeconds, true},
    {"probe-timeout", "SECONDS", "Longest look into an input file at submit.", &Config::probe_timeout, 1,
     3600, true},
    {"probe-memory-bytes", "BYTES",
     "Most memory of a process that looks into an input file at submit; twice as much of one that decodes "
     "single pictures for "
     "people.",
     &Config::probe_memory_bytes, int64_t{512} << 20, int64_t{1} << 40},
    {"workers-memory-bytes", "BYTES",
     "Most memory of the devices' workers together, the machine's and not the GPUs', where the daemon may "
     "divide its cgroup; 0: "
     "seven eighths of the machine's.",
     &Config::workers_memory_bytes, 0, int64_t{1} << 50},
    {"stall-timeout", "SECONDS", "A stream whose client takes no pictures for so long is ended.",
     &Config::stall_timeout, 1, kMaxSeconds},
    {"drain-timeout", "SECONDS",
     "How long running jobs and streams have to finish after SIGTERM; then jobs stop at a place to go on "
     "from, and streams "
     "end.",
     &Config::drain_timeout, 0, kMaxSeconds, true},
};

}  // namespace

std::span<const ConfigKey> config_keys() { return kKeys; }

std::string remedy_for_old(std::string_view text) {
  for (const std::string_view old : {"foreign-without-period", "foreign_without_period"})
    if (text.find(old) != std::string_view::npos)
      return " (the mode yield of foreign decides this now; remove the key)";
  return "";
}

}  // namespace weft
