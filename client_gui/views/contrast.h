// SPDX-License-Identifier: Apache-2.0
// How well one colour is seen on another, after the Web Content Accessibility Guidelines 2.1 (section 1.4).
#pragma once

#include <QColor>
#include <initializer_list>

namespace weft::gui {

// The guidelines' minimum of text and of lines that say where a control is.
inline constexpr double kTextContrast = 4.5, kLineContrast = 3;

// 1 (alike) to 21 (black on white). Colours must be opaque.
double contrast(const QColor& a, const QColor& b);

// A colour that lets the ground through, as it looks there.
QColor flattened(const QColor& colour, const QColor& ground);

// `text` as near as it can be left while it has kTextContrast on every ground: mixed with white on dark grounds, else with black.
QColor readable(const QColor& text, std::initializer_list<QColor> grounds);

}  // namespace weft::gui
