// SPDX-License-Identifier: Apache-2.0
// The daemon's configuration: flags over environment over file over defaults, from one table of keys.
//
// The key `state-dir` is the flag --state-dir, the variable WEFT_STATE_DIR and the line `state_dir = "..."` of the file.
// Adding a key is a member of Config and a row of config_keys(); flags, help, checks and the reference follow.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace weft {

struct Config {
  std::string state_dir;                // absolute
  std::string cache_dir;                // absolute
  std::vector<std::string> listen;      // "unix:/run/weft/weft.sock", "127.0.0.1:7411"
  std::string socket_mode = "0600";     // octal
  std::string operators;                // a group; empty: none
  std::vector<std::string> file_roots;  // absolute; below them lie other users' files; empty: anywhere
  std::string metrics_listen;           // "127.0.0.1:9464"; empty: no metrics
  std::vector<std::string> device;      // the only devices to use; empty: all
  std::string worker;                   // the program weft-worker
  std::string lock_dir;                 // absolute
  std::string foreign = "yield";        // yield, share
  std::string tuning = "on";            // on, off
  std::string log_level = "info";
  std::string log_format = "text";  // text, json
  int64_t jobs_per_device = 1;
  std::chrono::seconds queue_aging{3600};
  int64_t cpu_threads = 0;
  int64_t low_disk_bytes = int64_t{1} << 30;
  int64_t host_memory_bytes = 0;  // 0: by what the machine has
  int64_t queued_jobs = 1'000'000;
  int64_t owner_bytes = int64_t{1} << 30;
  int64_t ended_jobs = 10'000;
  int64_t ended_days = 30;
  int64_t failed_work_days = 7;
  std::map<std::string, double> owners;  // whose weight is not 1
  std::chrono::seconds hang_timeout{60};
  std::chrono::seconds start_timeout{60};
  std::chrono::seconds probe_timeout{30};
  int64_t probe_memory_bytes = int64_t{2} << 30;
  int64_t workers_memory_bytes = 0;  // 0: default_workers_memory()
  std::chrono::seconds stall_timeout{60};
  std::chrono::seconds drain_timeout{300};

  bool operator==(const Config&) const = default;
};

// Weights of owners, both allowed.
inline constexpr double kLeastOwnerWeight = 0.01;
inline constexpr double kMostOwnerWeight = 100;

// One key. Numbers have bounds, both allowed; a list is given by repeating the flag, with commas in the environment; weights
// by name (NAME=WEIGHT there) are a table of the file.
struct ConfigKey {
  std::string_view name;        // "state-dir"
  std::string_view value_name;  // "FOLDER"
  std::string_view help;        // one sentence
  std::variant<std::string Config::*, std::vector<std::string> Config::*, int64_t Config::*,
               std::chrono::seconds Config::*, std::map<std::string, double> Config::*>
      field;
  int64_t minimum = 0;
  int64_t maximum = 0;
  bool reloadable = false;                              // SIGHUP changes it; the others need a restart
  Status (*check)(const std::string& value) = nullptr;  // of a text; none: any
};
std::span<const ConfigKey> config_keys();
// The remedy where `text` holds a key of an earlier version: " (...)". Empty: it holds none.
std::string remedy_for_old(std::string_view text);

using Environment = std::map<std::string, std::string>;
// This process's environment.
Environment process_environment();

// What one start of the program asks for.
struct Invocation {
  enum class Action { kRun, kCheckConfig, kPrintText };
  Action action = Action::kRun;
  std::string text;                              // kPrintText: help or version
  std::string file;                              // the configuration file that was read; empty: none
  bool allows_unauthenticated_loopback = false;  // everybody on this machine is an operator, over TCP
  bool exit_with_parent = false;                 // end when the process that started us does
  Config config;
};

// `arguments`: without the program's name. The default file is /etc/weft/weft.toml for a service (root, or STATE_DIRECTORY is set)
// and $XDG_CONFIG_HOME/weft/weft.toml for a user; that one need not exist.
// Errors: INVALID_ARGUMENT for the command line, FAILED_PRECONDITION for file and environment, naming the key.
StatusOr<Invocation> load_config(std::span<const std::string> arguments, const Environment& environment);

// The names of the keys whose values differ, as "log-level".
std::vector<const ConfigKey*> changed_keys(const Config& before, const Config& after);
// `after` where a key is reloadable, `before` elsewhere.
Config reloaded(const Config& before, const Config& after);

// A key's value as the file would hold it: "\"info\"", "60", "[\"cpu\"]".
std::string config_text(const Config& config, const ConfigKey& key);

}  // namespace weft
