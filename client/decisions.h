// SPDX-License-Identifier: Apache-2.0
// Reads decisions of analyses, which the daemon sends as the text of a file. Pure.
#pragma once

#include <string>

#include "base/status.h"
#include "weft/v1/decisions.pb.h"

namespace weft::client {

// Returns the decisions without their maps of frames. Ignores fields that this version does not
// know. DATA_LOSS: the text is no JSON of a v1.DecisionFile.
StatusOr<v1::DecisionFile> parse_decisions(const std::string& text);

}  // namespace weft::client
