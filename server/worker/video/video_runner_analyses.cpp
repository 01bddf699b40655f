// SPDX-License-Identifier: Apache-2.0
// Implements the analyses of the whole input, their kept records, and the decisions for
// VideoRunner.
#include <utility>
#include <vector>

#include "server/worker/video/decision_file.h"
#include "server/worker/video/video_lane.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {
namespace {

using internal::v1::SegmentRecord;

}  // namespace

// Runs the filters' analyses of the whole input one after the other, before pictures are made.
// Records of an analysis are stored per segment, so that they survive a restart, and kept for later
// jobs of the owner.
Status VideoRunner::analyse(VideoPlan& plan) {
  if (plan.decisions) decisions_ = *plan.decisions;
  for (int number = 0; plan.chain.needs_analysis; number++) {
    journal_ = journal_of(analysis_name(number));
    const std::string device =
        fmt::format("{} {}", int(share_.device.info().kind), share_.device.info().name);
    ASSIGN_OR_RETURN(const std::string key,
                     analysis_key(plan, order_.inputs[0], record_.input(), order_.spec.video(), device));
    RETURN_IF_ERROR(resume_segments(plan));
    ASSIGN_OR_RETURN(const bool was_kept, take_kept_analysis(plan, key));
    go_on_as_before(plan);
    RETURN_IF_ERROR(process(plan));
    const auto segments = int64_t(finished_.size());
    if (order_.has_several_devices) {
      internal::v1::SegmentPlan finished = plan_for_tasks(plan);
      finished.set_segments(segments);
      RETURN_IF_ERROR(journal_.write_plan(finished));
    }
    if (!was_kept)
      if (const Status kept = kept_.add(journal_, segments, key); !kept.ok())
        events_.on_log("warning",
                       fmt::format("The analysis is not kept for later jobs. {}", message_of(kept)));
    ASSIGN_OR_RETURN(const std::vector<std::byte> records, journal_.read(segments));
    ASSIGN_OR_RETURN(Chain decided, state_.check(decide(plan.chain, share_, records), Origin::kInput));
    *decisions_.add_decisions() = to_message(plan.chain, *decided.decisions.at(plan.chain.analysis));
    plan.chain = std::move(decided);
    begin_anew();
  }
  for (v1::FilterDecision& decision : *decisions_.mutable_decisions()) {
    add_summary(plan.chain, plan.info.video.time_base.value(), decision);
    if (!decision.report().empty()) notes_.add(decision.report());
  }
  RETURN_IF_ERROR(state_.check(follow_decisions(plan), Origin::kOutput));
  return keep_decisions();
}

// Takes the records of an earlier job as the only segment of the analysis. Returns false if there
// are none, or if the analysis has begun.
StatusOr<bool> VideoRunner::take_kept_analysis(const VideoPlan& plan, const std::string& key) {
  if (!finished_.empty()) return false;
  SegmentRecord record = record_;
  record.set_encoder_threads(plan.encoder.threads);
  ASSIGN_OR_RETURN(const bool is_kept, kept_.copy_to(journal_, key, record));
  if (!is_kept) return false;
  const std::optional<SegmentRecord> taken = journal_.record(0, key_);
  if (!taken) return data_loss("The kept records of an analysis cannot be read again.");
  finished_[0] = *taken;
  notes_.add("The analysis of an earlier job with the same input and filters is used.");
  return true;
}

// Keeps the decisions for the owner to read.
Status VideoRunner::keep_decisions() {
  if (decisions_.decisions().empty() || output_part_ > 1) return ok_status();
  decisions_.set_version(kDecisionVersion);
  *decisions_.mutable_input() = decision_input(record_.input(), order_.spec.video());
  ASSIGN_OR_RETURN(const std::string text, print_decisions(decisions_));
  if (const Status kept = kept_.add_decisions(order_.id, text); !kept.ok())
    events_.on_log("warning", fmt::format("The decisions are not kept. {}", message_of(kept)));
  return ok_status();
}

// Writes the decisions, or the logo among them, as the output.
Status VideoRunner::finish_decisions(const VideoPlan& plan) {
  step_ = kFinishing;
  RETURN_IF_ERROR(still_wanted());
  std::string text;
  if (plan.writes_logo) {
    const std::vector<std::byte>* logo = logo_of(plan.chain);
    if (logo == nullptr) return internal_error("The analyses have made no logo.");
    text.assign(reinterpret_cast<const char*>(logo->data()), logo->size());
  } else {
    ASSIGN_OR_RETURN(text, print_decisions(decisions_));
  }
  RETURN_IF_ERROR(media::write_whole_file({order_.work_folder.get(), output().finished_name}, text));
  output_bytes_ = int64_t(text.size());
  return ok_status();
}

}  // namespace weft::worker
