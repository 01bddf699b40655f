// SPDX-License-Identifier: Apache-2.0
// Returns texts that the protos declare (kinds of jobs, options, choices, states) in the language
// of the GUI. A new declaration requires only a translation (scripts/translate).
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "options/job_kinds.h"
#include "options/option.h"

namespace weft::gui {

// --- Options: only for the GUI thread ------------------------------------------------------------

QString summary_text(const options::JobKind& kind);
QString summary_text(const options::FilterKind& filter);
// Returns the label of an option: "Encoder threads".
QString label_text(const options::Option& option);
// Returns the help of an option with its range: "CPU threads that encode. (0 to 64 threads)".
QString help_text(const options::Option& option);
// Returns the title of the submessage that contains the option: "Encoding". Empty for options of
// the job's own message.
QString group_text(const options::Option& option);
// Returns a description of a valid value, to follow the word "expected": "a whole number, 0 to 64
// threads".
QString expected_text(const options::Option& option);

// --- Choices -------------------------------------------------------------------------------------

// Returns the words of a state, class, term of a filter or similar name: "in service" for
// "in-service".
QString choice_text(const std::string& name);
// Returns the translation of a choice, or its name on the command line ("svt-av1") if it has no
// translation.
QString value_text(const std::string& name);
// Returns the meaning of a choice and the values that it sets, or an empty string if none are
// declared.
QString choice_help_text(const options::Option& option, const options::Choice& choice);

// --- For translators -----------------------------------------------------------------------------

struct DeclaredText {
  const char* context;  // context for QCoreApplication::translate()
  std::string text;
  bool is_name;  // true: the text may be equal in all languages, such as "bwdif"
};
// Returns every text that the functions above translate, each once.
std::vector<DeclaredText> declared_texts();

}  // namespace weft::gui
