// SPDX-License-Identifier: Apache-2.0
// Formats decisions of analyses over time as texts of the windows.
#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "client_gui/connection/decisions.h"

namespace weft::gui {

// Returns the name of a kind or a series in the language of the GUI.
QString term_text(const QString& name);
// Returns a value with four digits: "0.125".
QString value_number(double value);
// Returns a position as a clock with some decimals of a second: "0:01:29.50".
QString position_text(double seconds, int decimals);

// Returns the share of each kind in the frames of all sections, 0 to 1.
std::vector<double> shares_of(const DecisionRow& decision);
QString share_text(double share);  // returns "12.5%"

// Returns the times, frames, kind and values of a section.
QString words_of_section(const DecisionRow& decision, const DecisionSectionRow& section);

// Returns the ends of an axis for a quantity, with 0 between them: at most twice the 95th
// percentile of the values, so that a few large values leave the others visible.
std::pair<double, double> axis_ends(const DecisionRow& decision, size_t series);

// Returns the distance of two marks of a time axis in seconds: the least usual one of at least
// `least`.
double axis_step(double least);
// Returns the label of a mark.
QString axis_text(double seconds, double step);

}  // namespace weft::gui
