// SPDX-License-Identifier: Apache-2.0
// Computes the contrast of colours as defined by the Web Content Accessibility Guidelines 2.1
// (section 1.4).
#pragma once

#include <QColor>
#include <initializer_list>

namespace weft::gui {

// The minimum contrasts of the guidelines, for text and for outlines of controls.
inline constexpr double kTextContrast = 4.5, kLineContrast = 3;

// Returns the contrast, 1 (equal) to 21 (black on white). The colours must be opaque.
double contrast(const QColor& a, const QColor& b);

// Returns the opaque colour that a translucent colour has on the ground.
QColor flattened(const QColor& colour, const QColor& ground);

// Returns the colour nearest to `text` that has kTextContrast on every ground. The colour is mixed
// with white on dark grounds, otherwise with black.
QColor readable(const QColor& text, std::initializer_list<QColor> grounds);

}  // namespace weft::gui
