// SPDX-License-Identifier: Apache-2.0
// The language of the windows' texts.
#pragma once

#include <QString>
#include <vector>

namespace weft::gui {

struct Language {
  QString name;   // "system", "en", "ja"
  QString title;  // in itself: who looks for it need not read another
};
// Those to choose from, "system" first.
std::vector<Language> languages();
// "system, en, ja": for people.
QString language_names();

// Every text that is asked for from now on is in that language: "system" is the first of the person's languages that there are
// texts in. False: the name is none of these. For the thread of the windows.
bool choose_language(const QString& name);

// The choice that is kept from one start to the next; "system" where none is, or one that is not known.
QString stored_language();
void store_language(const QString& name);

}  // namespace weft::gui
