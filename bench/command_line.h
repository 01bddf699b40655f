// SPDX-License-Identifier: Apache-2.0
// Reads the options of a benchmark by CLI11. The help contains each option's default.
//
//   CommandLine line("Times filters.");
//   line.add_option("--device", devices, "Device; can be repeated");
//   line.read(argc, argv);
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <CLI/CLI.hpp>
#include <sysexits.h>

#include "base/video_format.h"

namespace weft {

// Reads WIDTHxHEIGHT; CLI11 finds this function by its name. Returns false for other text.
inline bool lexical_cast(const std::string& text, VideoFormat& format) {
  char rest = 0;
  return std::sscanf(text.c_str(), "%dx%d%c", &format.width, &format.height, &rest) == 2 &&
         format.width > 0 && format.height > 0;
}

namespace bench {

// Limits of the value of an option.
inline const CLI::Validator kPositive(
    [](std::string& text) { return std::atof(text.c_str()) > 0 ? "" : text + " is not above 0"; }, "above 0");
inline const CLI::Validator kNotNegative(
    [](std::string& text) { return std::atof(text.c_str()) >= 0 ? "" : text + " is below 0"; }, "0 or more");

class CommandLine : public CLI::App {
 public:
  explicit CommandLine(const std::string& summary) : CLI::App(summary) {
    option_defaults()->always_capture_default();
  }

  // Reads the options. Ends the program if the arguments request help (exit code 0) or are invalid
  // (64).
  void read(int argc, char** argv) {
    try {
      parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      std::exit(exit(error) == 0 ? 0 : EX_USAGE);
    }
  }
};

}  // namespace bench
}  // namespace weft
