// SPDX-License-Identifier: Apache-2.0
// Declares the command line of weftd, and formats the manuals weftd(8) and weft.toml(5) from the
// declared flags and keys. Used by config.cpp alone.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/config.h"

namespace CLI {
class App;
}

namespace weft {

// Values of the flags.
struct ConfigFlags {
  std::optional<std::string> file;
  bool check_config = false;
  bool version = false;
  std::string manual;  // "weftd" or "weft.toml"; empty: none
  bool allows_unauthenticated_loopback = false;
  bool exit_with_parent = false;
  std::vector<std::vector<std::string>> values = std::vector<std::vector<std::string>>(config_keys().size());
};

// Declares all flags of `app`; parsing writes to `flags`.
void declare_flags(CLI::App& app, ConfigFlags& flags, const Config& defaults);
// CANCELLED: the help is requested, which the message contains. INVALID_ARGUMENT: the command line
// is invalid.
Status parse_flags(CLI::App& app, std::span<const std::string> arguments);

// Returns weftd(8) in groff's man macros: the flags of `app`, signals and exit status.
std::string program_manual(const CLI::App& app);
// Returns weft.toml(5): each key with its range and default.
std::string file_manual(const Config& defaults);

}  // namespace weft
