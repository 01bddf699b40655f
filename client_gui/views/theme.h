// SPDX-License-Identifier: Apache-2.0
// Applies colour themes: light, dark, or the desktop's.
#pragma once

#include <QColor>
#include <QString>
#include <optional>

#include "client_gui/models/device_text.h"

namespace weft::v1 {
enum JobState : int;
}

namespace weft::gui {

enum class Theme { kSystem, kLight, kDark };

// Returns the name of a theme: "system", "light", "dark".
QString name_of(Theme theme);
std::optional<Theme> find_theme(const QString& name);

// Changes the colours of the whole program, open windows included.
void apply_theme(Theme theme);
// Returns true if the theme has light text on dark grounds.
bool is_dark();

// Returns the colour of a state on the theme's background.
QColor colour_of(v1::JobState state);
// Returns the colour of a class of device time.
QColor colour_of(TimePart part);
// Returns the colour of a kind of sections by its number. The colours repeat after five.
QColor colour_of_kind(size_t number);
// Returns the text colour of errors and warnings.
QColor alarm_colour();

}  // namespace weft::gui
