// SPDX-License-Identifier: Apache-2.0
// The language of the windows' texts.
#pragma once

#include <QString>

namespace weft::gui {

// Every text that is asked for from now on is in that language: "en", "ja", or "system", the first of the person's languages
// that there are texts in. False: the name is none of these. For the thread of the windows.
bool choose_language(const QString& name);

}  // namespace weft::gui
