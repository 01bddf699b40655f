// SPDX-License-Identifier: Apache-2.0
// Colours: light, dark, or as the desktop has them.
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

// "system", "light", "dark".
QString name_of(Theme theme);
std::optional<Theme> find_theme(const QString& name);

// Changes the colours of the whole program; windows that are open follow.
void apply_theme(Theme theme);
// Whether text is light on dark now.
bool is_dark();

// Tells states apart, on the theme's background.
QColor colour_of(v1::JobState state);
// Areas of a device's time beside each other.
QColor colour_of(TimePart part);
// Text about what a person should look at.
QColor alarm_colour();

}  // namespace weft::gui
