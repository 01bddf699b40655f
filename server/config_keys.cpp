// SPDX-License-Identifier: Apache-2.0
// Defines the table of the daemon's keys, with the checks and texts of their values.
#include <charconv>
#include <string_view>

#include "base/thread_share.h"
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

Status check_external_load(const std::string& text) {
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

// Returns INVALID_ARGUMENT unless `text` ends with a port.
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

// Checks an address. Only local addresses are permitted, since TCP clients cannot be authenticated.
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

Status check_absolute_or_none(const std::string& text) {
  return text.empty() ? ok_status() : check_absolute(text);
}

Status check_processors(const std::string& text) { return parse_processors(text).status(); }

constexpr int64_t kMaxSeconds = 7 * 24 * 3600;
constexpr ConfigKey kKeys[] = {
    {"state-dir", "FOLDER", "Folder of the store: jobs and their logs.", &Config::state_dir},
    {"cache-dir", "FOLDER", "Folder of caches, such as compiled pipelines.", &Config::cache_dir},
    {"work-dir", "FOLDER",
     "Existing folder for segments and unfinished outputs of jobs that choose none (--work-dir). Default: "
     "the "
     "folder of the output.",
     &Config::work_dir, 0, 0, false, check_absolute_or_none},
    {"listen", "ADDRESS", "Address for clients: unix:/PATH, or HOST:PORT on this machine.", &Config::listen,
     0, 0, false, check_address},
    {"metrics-listen", "HOST:PORT",
     "Address for Prometheus metrics over HTTP, without authentication. Default: none.",
     &Config::metrics_listen, 0, 0, false, check_metrics_address},
    {"socket-mode", "MODE",
     "Permissions of the Unix socket in octal: 0600 for the user, 0660 also for the group.",
     &Config::socket_mode, 0, 0, false, check_socket_mode},
    {"operators", "GROUP",
     "Members may change all jobs, read their logs and pictures and drain devices, like root and the "
     "daemon's "
     "user; other users only their own jobs.",
     &Config::operators},
    {"file-roots", "FOLDER",
     "Jobs of users other than root and the daemon's user may only read and write below this folder, with "
     "the "
     "user's own permissions. Default: any folder.",
     &Config::file_roots, 0, 0, false, check_absolute},
    {"device", "DEVICE", "Use only this device: cpu, cuda:0, vulkan:0 ...", &Config::device},
    {"worker", "PROGRAM", "Path of the program weft-worker.", &Config::worker},
    {"lock-dir", "FOLDER", "Folder of the device locks, shared by all daemons of the machine.",
     &Config::lock_dir},
    {"foreign", "MODE",
     "Regard for other programs on a GPU: yield (work runs in the gaps between their frames, or in short "
     "batches if the frames have no period), or share (none).",
     &Config::external_load, 0, 0, false, check_external_load},
    {"tuning", "MODE",
     "Tuning tables of kernels: on (used, and written by weft tune) or off (neither read nor written).",
     &Config::tuning, 0, 0, false, check_tuning},
    {"log-level", "LEVEL", "Minimum level of log messages: debug, info, warning or error; off: no messages.",
     &Config::log_level, 0, 0, true, check_log_level},
    {"log-format", "FORMAT",
     "Format of the log on standard error: text, or json (one object per line, with the members job, "
     "attempt, "
     "stream and device).",
     &Config::log_format, 0, 0, false, check_log_format},
    {"jobs-per-device", "N", "Concurrent jobs per device.", &Config::jobs_per_device, 1, 64},
    {"queue-aging", "SECONDS",
     "Every fourth job start serves the class and priority of the oldest job that has waited this long.",
     &Config::queue_aging, 1, kMaxSeconds},
    {"cpu-threads", "N", "Threads of the CPU device; 0: one per processor.", &Config::cpu_threads, 0, 1024},
    {"cpu-slots", "N",
     "CPU slots of all running jobs: a job takes one for each processor that its software encoder and "
     "decoder keep busy, and waits for them; 0: one per processor, and a device without a job starts one "
     "in any case.",
     &Config::cpu_slots, 0, 4096},
    {"cpu-affinity", "LIST",
     "Processors for the decoders and software encoders of jobs, as 2-15,20; streams and the CPU device "
     "use all. Default: all.",
     &Config::cpu_affinity, 0, 0, false, check_processors},
    {"encoder-sessions", "N",
     "Sessions of the video encoder (NVENC) of each GPU for all running jobs; further jobs wait. 0: the "
     "number that the GPU permits, learnt when it refuses one.",
     &Config::encoder_sessions, 0, 1024},
    {"low-disk-bytes", "BYTES",
     "No job starts while its output's file system has less free space than this; below half of it, running "
     "jobs wait too.",
     &Config::low_disk_bytes, 0, int64_t{1} << 50, true},
    {"analysis-cache-bytes", "BYTES",
     "Limit of the kept analyses of each owner, so that a second job with the same input and filters does "
     "not "
     "measure again; those used least recently are removed. 0: none are kept.",
     &Config::analysis_cache_bytes, 0, int64_t{1} << 50, true},
    {"host-memory-bytes", "BYTES",
     "Limit of the host memory of all running jobs by their estimates: further jobs wait, and a job that "
     "needs "
     "more is refused; 0: the memory of the machine or the daemon's control group minus 1 GiB or an eighth, "
     "whichever is less.",
     &Config::host_memory_bytes, 0, int64_t{1} << 50},
    {"ended-jobs", "N", "Retained ended jobs with their logs; the oldest are deleted first.",
     &Config::ended_jobs, 0, 100'000'000},
    {"ended-days", "DAYS", "Retention time of ended jobs; their outputs remain.", &Config::ended_days, 1,
     36'500},
    {"failed-work-days", "DAYS", "Retention time of a failed job's finished segments, for a retry.",
     &Config::failed_work_days, 0, 36'500},
    {"owners", "NAME=WEIGHT",
     "Relative weights of owners that compete for a device and for the queue; 1 for all others.",
     &Config::owners, 0, 0, true},
    {"queued-jobs", "N", "Maximum number of waiting jobs; further ones are refused.", &Config::queued_jobs, 1,
     100'000'000},
    {"owner-bytes", "BYTES",
     "Maximum size of an owner's retained jobs; above it, the owner's oldest ended jobs are deleted, or new "
     "jobs are refused if there are none.",
     &Config::owner_bytes, int64_t{1} << 20, int64_t{1} << 50},
    {"hang-timeout", "SECONDS",
     "A job without progress for this time is stopped and retried; waiting for a file system counts as "
     "progress.",
     &Config::hang_timeout, 1, kMaxSeconds, true},
    {"start-timeout", "SECONDS", "Limit of a worker's start, including its self-test.",
     &Config::start_timeout, 1, kMaxSeconds, true},
    {"probe-timeout", "SECONDS", "Limit of the probe of an input file at submission.", &Config::probe_timeout,
     1, 3600, true},
    {"probe-memory-bytes", "BYTES",
     "Memory limit of a process that probes an input file at submission; twice as much for one that decodes "
     "single frames for comparison.",
     &Config::probe_memory_bytes, int64_t{512} << 20, int64_t{1} << 40},
    {"workers-memory-bytes", "BYTES",
     "Host memory limit of all workers together, if the daemon may divide its cgroup; 0: seven eighths of "
     "the "
     "machine's memory.",
     &Config::workers_memory_bytes, 0, int64_t{1} << 50},
    {"stall-timeout", "SECONDS", "A stream ends if its client takes no pictures for this time.",
     &Config::stall_timeout, 1, kMaxSeconds},
    {"drain-timeout", "SECONDS",
     "Time for running jobs and streams to finish after SIGTERM; after it, jobs stop at a checkpoint and "
     "streams end.",
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

// Quotes a text in TOML syntax.
static std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string config_text(const Config& config, const ConfigKey& key) {
  if (auto field = std::get_if<int64_t Config::*>(&key.field)) return std::to_string(config.*(*field));
  if (auto field = std::get_if<std::chrono::seconds Config::*>(&key.field))
    return std::to_string((config.*(*field)).count());
  if (auto field = std::get_if<std::string Config::*>(&key.field)) return quoted(config.*(*field));
  if (auto field = std::get_if<std::map<std::string, double> Config::*>(&key.field)) {
    std::string entries;
    for (const auto& [name, weight] : config.*(*field))
      entries += fmt::format("{}{} = {}", entries.empty() ? "" : ", ", quoted(name), weight);
    return entries.empty() ? "{}" : "{ " + entries + " }";
  }
  std::string text;
  for (const std::string& value : config.*std::get<std::vector<std::string> Config::*>(key.field))
    text += (text.empty() ? "" : ", ") + quoted(value);
  return "[" + text + "]";
}

}  // namespace weft
