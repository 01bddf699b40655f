// SPDX-License-Identifier: Apache-2.0
// What the place where output goes can do: colours, a bar that is drawn over, its width.
#pragma once

#include <string>
#include <string_view>

namespace weft::cli {

enum class ColourChoice { kAuto, kAlways, kNever };

// One of the two standard streams.
struct Terminal {
  bool is_terminal = false;
  bool colours = false;
  bool can_redraw = false;  // "\r" and erasing work: a terminal that is not dumb
  size_t width = 80;        // columns; no limit is meant when is_terminal is false
};

// Looks at the stream, NO_COLOR, TERM and COLUMNS. `descriptor`: 1 or 2.
Terminal inspect_terminal(int descriptor, ColourChoice choice);

enum class TextColour { kNone, kRed, kGreen, kYellow, kBlue, kCyan, kDim, kBold, kReversed };

// The text in that colour, or as it is when `terminal` has none.
std::string paint(const Terminal& terminal, TextColour colour, std::string_view text);

}  // namespace weft::cli
