// SPDX-License-Identifier: Apache-2.0
// Loads the configuration of the daemon. Flags override the environment, the environment overrides
// the file, and the file overrides the defaults. One table defines all keys.
//
// The key `state-dir` is the flag --state-dir, the variable WEFT_STATE_DIR and the line `state_dir
// = "..."` of the file. A new key is a member of Config and a row of config_keys(); flags, help,
// checks and the reference pages are derived from it.
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
  std::string state_dir;             // absolute path
  std::string cache_dir;             // absolute path
  std::string work_dir;              // absolute path; empty: work folders lie next to the outputs
  std::vector<std::string> listen;   // "unix:/run/weft/weft.sock", "127.0.0.1:7411"
  std::string socket_mode = "0600";  // octal
  std::string operators;             // name of a group; empty: no group
  // absolute paths of the folders for other users' files; empty: any folder
  std::vector<std::string> file_roots;
  std::string metrics_listen;           // "127.0.0.1:9464"; empty: no metrics
  std::vector<std::string> device;      // ids of the devices to use; empty: all devices
  std::string worker;                   // path of weft-worker
  std::string lock_dir;                 // absolute path
  std::string external_load = "yield";  // yield, share
  std::string tuning = "on";            // on, off
  std::string log_level = "info";
  std::string log_format = "text";  // text, json
  int64_t jobs_per_device = 1;
  std::chrono::seconds queue_aging{3600};
  int64_t cpu_threads = 0;
  int64_t cpu_slots = 0;     // 0: one for each processor
  std::string cpu_affinity;  // "2-15"; empty: all processors
  int64_t encoder_sessions = 0;
  int64_t low_disk_bytes = int64_t{1} << 30;
  int64_t analysis_cache_bytes = int64_t{1} << 30;
  int64_t host_memory_bytes = 0;  // 0: derived from the machine's memory
  int64_t queued_jobs = 1'000'000;
  int64_t owner_bytes = int64_t{1} << 30;
  int64_t ended_jobs = 10'000;
  int64_t ended_days = 30;
  int64_t failed_work_days = 7;
  std::map<std::string, double> owners;  // weights other than 1
  std::chrono::seconds hang_timeout{60};
  std::chrono::seconds start_timeout{60};
  std::chrono::seconds probe_timeout{30};
  int64_t probe_memory_bytes = int64_t{2} << 30;
  int64_t workers_memory_bytes = 0;  // 0: default_workers_memory()
  std::chrono::seconds stall_timeout{60};
  std::chrono::seconds drain_timeout{300};

  bool operator==(const Config&) const = default;
};

// Range of the owners' weights, inclusive.
inline constexpr double kLeastOwnerWeight = 0.01;
inline constexpr double kMostOwnerWeight = 100;

// A configuration key. The bounds of numbers are inclusive. A list is given by a repeated flag, or
// separated by commas in the environment. Weights (NAME=WEIGHT) are a table in the file.
struct ConfigKey {
  std::string_view name;        // "state-dir"
  std::string_view value_name;  // "FOLDER"
  std::string_view help;        // one sentence
  std::variant<std::string Config::*, std::vector<std::string> Config::*, int64_t Config::*,
               std::chrono::seconds Config::*, std::map<std::string, double> Config::*>
      field;
  int64_t minimum = 0;
  int64_t maximum = 0;
  // whether SIGHUP applies a change of the key; other keys need a restart
  bool reloadable = false;
  // validates a text; null if every text is valid
  Status (*check)(const std::string& value) = nullptr;
};
std::span<const ConfigKey> config_keys();
// Returns the remedy " (...)" if `text` contains a key of an earlier version, else an empty string.
std::string remedy_for_old(std::string_view text);

using Environment = std::map<std::string, std::string>;
// Returns this process's environment.
Environment process_environment();

// The parsed command line of the program.
struct Invocation {
  enum class Action { kRun, kCheckConfig, kPrintText };
  Action action = Action::kRun;
  std::string text;  // for kPrintText: the help or the version
  // path of the configuration file that was read; empty: no file
  std::string file;
  bool allows_unauthenticated_loopback = false;  // every local user is then an operator over TCP
  // whether the daemon ends when the process that started it ends
  bool exit_with_parent = false;
  Config config;
};

// Loads the configuration. `arguments` excludes the program's name. The default file is
// /etc/weft/weft.toml for a service (root, or STATE_DIRECTORY is set) and
// $XDG_CONFIG_HOME/weft/weft.toml for a user; it may be missing. INVALID_ARGUMENT: the command line
// is invalid. FAILED_PRECONDITION: the file or the environment is invalid; the message contains the
// key.
StatusOr<Invocation> load_config(std::span<const std::string> arguments, const Environment& environment);

// Returns the keys, such as "log-level", with different values in `before` and `after`.
std::vector<const ConfigKey*> changed_keys(const Config& before, const Config& after);
// Returns a configuration with the reloadable keys of `after` and all other keys of `before`.
Config reloaded(const Config& before, const Config& after);

// Returns a key's value in the file's syntax: "\"info\"", "60", "[\"cpu\"]".
std::string config_text(const Config& config, const ConfigKey& key);

}  // namespace weft
