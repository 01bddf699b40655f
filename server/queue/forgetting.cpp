// SPDX-License-Identifier: Apache-2.0
#include "server/queue/forgetting.h"

#include <algorithm>
#include <utility>

namespace weft::queue {

Forgetting::Step Forgetting::step_of(const std::string& id, const Request& request) const {
  const RecordPtr record = jobs_.find(id);
  if (record == nullptr) return {Step::Kind::kFail, not_found("The job ({}) is gone already.", id)};
  if (!is_final(record->job.state()) || record->keeps_work)
    return {Step::Kind::kFail,
            failed_precondition("The job ({}) was queued again meanwhile and is kept; cancel it first.", id)};
  if (attempt_is_open(record->job) || record->discarding) return {Step::Kind::kWait, {}};
  if (!record->cleanup) return {Step::Kind::kRemove, {}};
  return {
      Step::Kind::kFail,
      unavailable("The job ({}) is kept because its work folder cannot be removed ({}); look at the folder "
                  "and try again.",
                  id, message_of(request.discarded))};
}

void Forgetting::discarded(const std::string& id, const Status& status) {
  if (const auto request = pending_.find(id); request != pending_.end()) request->second.discarded = status;
}

bool Forgetting::is_due() const {
  return std::ranges::any_of(pending_, [this](const auto& each) {
    return step_of(each.first, each.second).kind != Step::Kind::kWait;
  });
}

std::set<std::string> Forgetting::find(const std::function<bool(const std::string& id)>& is_changed) {
  std::set<std::string> found;
  std::vector<std::pair<std::string, Status>> failed;
  for (const auto& [id, request] : pending_) {
    if (is_changed(id)) continue;
    const Step step = step_of(id, request);
    if (step.kind == Step::Kind::kRemove) found.insert(id);
    if (step.kind == Step::Kind::kFail) failed.emplace_back(id, step.error);
  }
  for (const auto& [id, error] : failed) answer(id, error);
  for (const std::string& id : found) logs_.remove(id);
  if (!found.empty()) logs_.flush_due();
  return found;
}

void Forgetting::removed(const JobRecord& record) { answer(record.job.id(), record.job); }

void Forgetting::end_all(const Status& error) {
  for (const auto& [id, request] : std::exchange(pending_, {}))
    for (const Done& done : request.done) done(error);
}

void Forgetting::answer(const std::string& id, const StatusOr<v1::Job>& answer) {
  auto request = pending_.extract(id);
  if (request.empty()) return;
  for (const Done& done : request.mapped().done) done(answer);
}

}  // namespace weft::queue
