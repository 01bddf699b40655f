// SPDX-License-Identifier: Apache-2.0
// Selects the language of the GUI.
#pragma once

#include <QString>
#include <vector>

namespace weft::gui {

struct Language {
  QString name;   // name of the language: "system", "en", "ja"
  QString title;  // name of the language in the language itself
};
// Returns the available languages, "system" first.
std::vector<Language> languages();
// Returns the names of the languages for display: "system, en, ja".
QString language_names();

// Sets the language of all texts that are translated after the call. "system" is the first of the
// user's languages with a translation. Returns false for an unknown name. Only for the GUI thread.
bool choose_language(const QString& name);

// Returns the stored language, or "system" if no known language is stored.
QString stored_language();
void store_language(const QString& name);

}  // namespace weft::gui
