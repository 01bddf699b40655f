// SPDX-License-Identifier: Apache-2.0
// What the protos declare for people (kinds of jobs, their options, choices and states), in the language of the windows. A
// declaration that is new needs no code here, only its text in translations/, which scripts/translate asks for.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "options/job_kinds.h"
#include "options/option.h"

namespace weft::gui {

// --- Options: for the thread of the windows ------------------------------------------------------------------

QString summary_text(const options::JobKind& kind);
QString summary_text(const options::FilterKind& filter);
// "Encoder threads".
QString label_text(const options::Option& option);
// What it is for, with its range: "CPU threads that encode. (0 to 64 threads)".
QString help_text(const options::Option& option);
// Above the options of a message inside the job's own: "Encoding"; empty for those of the job's own.
QString group_text(const options::Option& option);
// What a value of it is, behind "give": "a whole number, 0 to 64 threads".
QString expected_text(const options::Option& option);

// --- Choices -------------------------------------------------------------------------------------------------

// A state, class or the like by its name, as words: "in-service" is "in service".
QString choice_text(const std::string& name);
// One of an option's choices: what the command line takes ("svt-av1") where the language has no word of its own.
QString value_text(const std::string& name);
// What the choice means and sets, empty where nothing is declared.
QString choice_help_text(const options::Option& option, const options::Choice& choice);

// --- For translators -----------------------------------------------------------------------------------------

struct DeclaredText {
  const char* context;  // as QCoreApplication::translate() takes it
  std::string text;
  bool is_name;  // may be the same in every language: "bwdif"
};
// All that the functions above look up, each once.
std::vector<DeclaredText> declared_texts();

}  // namespace weft::gui
