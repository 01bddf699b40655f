// SPDX-License-Identifier: Apache-2.0
// Formats the topics of `weft help` other than commands: filters and encoders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client_cli/command_line/complete.h"

namespace weft::cli {

inline constexpr std::string_view kFiltersTopic = "filters";
inline constexpr std::string_view kEncodersTopic = "encoders";

// Returns true for "encoders" and for the name of an encoder, in upper or lower case.
bool is_encoder_topic(std::string_view word);

// Returns the list of encoders with their defaults, or the named encoders with their options.
// `words` are "encoders", names of encoders, or both. INVALID_ARGUMENT: an encoder is unknown.
StatusOr<std::string> format_encoders(const std::vector<std::string>& words, size_t width);

// Returns the words that may follow `weft help WORDS...`, with a sentence each.
std::vector<Candidate> topics_after(const Command& root, const std::vector<std::string>& words);

// Returns the end of a message about an unknown topic: "; did you mean 'bwdif'?" for the beginning
// of a topic or a misspelt topic. Returns an empty string if nothing is similar.
std::string suggest_topic(const Command& root, std::string_view word);

}  // namespace weft::cli
