// SPDX-License-Identifier: Apache-2.0
#include "client_cli/output/terminal.h"

#include <charconv>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace weft::cli {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

size_t width_of(int descriptor) {
  const std::string_view columns = variable("COLUMNS");
  size_t width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (width > 0) return width;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Terminal inspect_terminal(int descriptor, ColourChoice choice) {
  Terminal result;
  result.is_terminal = isatty(descriptor) == 1;
  const bool dumb = variable("TERM").empty() || variable("TERM") == "dumb";
  result.can_redraw = result.is_terminal && !dumb;
  result.colours = choice == ColourChoice::kAlways ||
                   (choice == ColourChoice::kAuto && result.can_redraw && variable("NO_COLOR").empty());
  if (result.is_terminal) result.width = width_of(descriptor);
  return result;
}

std::string paint(const Terminal& terminal, TextColour colour, std::string_view text) {
  static constexpr int kCodes[] = {0, 31, 32, 33, 34, 36, 2, 1, 7};
  if (!terminal.colours || colour == TextColour::kNone || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[int(colour)], text);
}

}  // namespace weft::cli
