// SPDX-License-Identifier: Apache-2.0
// Determines the capabilities of an output stream: colours, redrawing, width.
#pragma once

#include <string>
#include <string_view>

namespace weft::cli {

enum class ColourChoice { kAuto, kAlways, kNever };

// Standard output or standard error.
struct Terminal {
  bool is_terminal = false;
  bool colours = false;
  bool can_redraw = false;  // true: a terminal that supports "\r" and erasing
  size_t width = 80;        // columns; not used as a limit if is_terminal is false
};

// Determines the capabilities from the stream, NO_COLOR, TERM and COLUMNS. `descriptor` is 1 or 2.
Terminal inspect_terminal(int descriptor, ColourChoice choice);

enum class TextColour { kNone, kRed, kGreen, kYellow, kBlue, kCyan, kDim, kBold, kReversed };

// Returns the text with colour codes, or unchanged if `terminal` has no colours.
std::string paint(const Terminal& terminal, TextColour colour, std::string_view text);

}  // namespace weft::cli
