// SPDX-License-Identifier: Apache-2.0
// Writes the decisions of a chain's analyses as text, and reads them in place of analyses
// (v1.DecisionFile).
#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "server/worker/job/chain.h"
#include "weft/internal/v1/segment.pb.h"
#include "weft/v1/decisions.pb.h"
#include "weft/v1/video.pb.h"

namespace weft::worker {

// version of the format
inline constexpr int kDecisionVersion = 1;

// Returns the message of a decision. `chain` is the chain before it: the decision is that of
// chain.analysis.
v1::FilterDecision to_message(const Chain& chain, const graph::AnalysisDecision& decision);

// Sets the report and the timeline of a decision to those of the chain that follows it, if its
// filter makes a summary. `time_unit` is the unit of the input's times in seconds.
void add_summary(const Chain& decided, double time_unit, v1::FilterDecision& decision);

// Returns the identity of a measured input.
v1::DecisionInput decision_input(const internal::v1::InputState& input, const v1::VideoJob& job);

// Returns the file as JSON with a line for each frame.
StatusOr<std::string> print_decisions(const v1::DecisionFile& file);
// Reads a file. INVALID_ARGUMENT: it is no JSON of this format, or of another version.
StatusOr<v1::DecisionFile> parse_decisions(std::span<const std::byte> bytes);

// Returns INVALID_ARGUMENT if the decisions were made for another input.
Status check_input(const v1::DecisionFile& file, const v1::DecisionInput& input);

// Completes a chain with the decisions of a file, as far as the file has them. INVALID_ARGUMENT: a
// decision belongs to other filters, is not used, or its frames are not in order.
StatusOr<Chain> with_decisions(const Chain& chain, const v1::DecisionFile& file);

}  // namespace weft::worker
