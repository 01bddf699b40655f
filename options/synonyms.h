// SPDX-License-Identifier: Apache-2.0
// Suggests replacements for names of other programs (FFmpeg, NVEncC, texconv, Slurm ...). Messages
// and the reference show the replacements; no input is translated silently. Read-only and
// thread-safe.
//
//   if (const Synonym* known = find_synonym(Synonym::Kind::kFilter, "scale"))
//     replacement_with(*known, "1280:720:flags=lanczos");  // "resize=1280x720:kernel=lanczos3"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft::options {

struct Synonym {
  enum class Kind {
    kCommand,     // a command, such as `ls` in `weft ls`
    kFilter,      // a filter of a chain; the same name may exist in Weft with other options
    kEncoder,     // a value of --encoder
    kFlag,        // a flag that is replaced by a flag
    kFilterFlag,  // a flag that is replaced by a filter
  };
  Kind kind;
  std::string_view program;  // name of the other program: "FFmpeg"
  std::string_view name;     // name in the other program: "scale", "-crf"
  // Template of the replacement. {PARAMETER|PLACEHOLDER} is replaced by the given value, else by
  // the placeholder; {#...} accepts numbers only. Text in [...] is left out if its parameter is not
  // given. Empty: there is no replacement, only the note.
  std::string_view replacement;
  // Parameters in their order, with alternative names: "w,width:h,height".
  std::string_view parameters = "";
  // Replacements of values: "mode.send_frame=frame mode.0=frame". Other values of such a parameter
  // count as not given.
  std::string_view values = "";
  std::string_view note = "";  // one sentence
};

std::span<const Synonym> synonyms();

// Returns the synonym with this name, or null. Case is ignored except in flags.
const Synonym* find_synonym(Synonym::Kind kind, std::string_view name);

// Returns the replacement with the values of `arguments`. A filter's arguments are in FFmpeg's
// syntax ("1280:720", "w=1280:h=720"); for another kind, `arguments` is one value.
std::string replacement_with(const Synonym& synonym, std::string_view arguments);

// Returns true if every one of the arguments appears in the replacement.
bool translates_all(const Synonym& synonym, std::string_view arguments);

// Returns the replacement with its placeholders, for the reference: "resize=WIDTHxHEIGHT".
std::string plain_replacement(const Synonym& synonym);

}  // namespace weft::options
