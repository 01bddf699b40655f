// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/batch_notices.h"

#include <algorithm>

#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

bool has_ended(v1::JobState state) {
  return state == v1::JOB_STATE_SUCCEEDED || state == v1::JOB_STATE_FAILED ||
         state == v1::JOB_STATE_CANCELLED;
}

}  // namespace

BatchNotices::Batch& BatchNotices::batch_for(int server, const JobRow& job) {
  const auto found = std::find_if(batches_.begin(), batches_.end(), [&](const Batch& batch) {
    if (batch.server != server || batch.owner != job.owner || batch.labels != job.labels) return false;
    return !job.labels.isEmpty() ||
           (job.submit_time >= batch.first - kBatchSeconds && job.submit_time <= batch.last + kBatchSeconds);
  });
  if (found != batches_.end()) return *found;
  batches_.push_back({server, job.owner, job.labels, job.submit_time, job.submit_time, {}});
  return batches_.back();
}

void BatchNotices::see(int server, const JobRow& job) {
  Batch* batch = batches_by_job_.value({server, job.id});
  if (batch == nullptr) {
    if (has_ended(job.state)) return;
    batch = &batch_for(server, job);
    batches_by_job_[{server, job.id}] = batch;
  }
  batch->first = std::min(batch->first, job.submit_time);
  batch->last = std::max(batch->last, job.submit_time);
  batch->members[job.id] = {job.state, job.files};
}

void BatchNotices::forget(int server, const QString& id) {
  Batch* batch = batches_by_job_.value({server, id});
  // The result of a job is kept if the job is deleted after its end.
  if (batch == nullptr || has_ended(batch->members[id].state)) return;
  batch->members.erase(id);
  batches_by_job_.remove({server, id});
}

void BatchNotices::forget_server(int server) {
  batches_by_job_.removeIf([server](const auto& each) { return each.key().first == server; });
  std::erase_if(batches_, [server](const Batch& batch) { return batch.server == server; });
}

bool BatchNotices::is_over(const Batch& batch, double now) {
  if (now < batch.last + kBatchSeconds) return false;
  return std::all_of(batch.members.begin(), batch.members.end(),
                     [](const auto& member) { return has_ended(member.second.state); });
}

BatchNotice BatchNotices::notice_of(const Batch& batch) {
  BatchNotice notice;
  notice.name = batch.labels.isEmpty() ? batch.members.begin()->second.files : batch.labels;
  for (const auto& [id, member] : batch.members) {
    notice.succeeded += member.state == v1::JOB_STATE_SUCCEEDED ? 1 : 0;
    notice.cancelled += member.state == v1::JOB_STATE_CANCELLED ? 1 : 0;
    if (member.state != v1::JOB_STATE_FAILED) continue;
    notice.failed++;
    notice.failures.push_back(member.files);
  }
  return notice;
}

std::vector<BatchNotice> BatchNotices::take(double now) {
  std::vector<BatchNotice> notices;
  std::erase_if(batches_, [&](const Batch& batch) {
    if (!is_over(batch, now)) return false;
    if (!batch.members.empty()) notices.push_back(notice_of(batch));
    for (const auto& [id, member] : batch.members) batches_by_job_.remove({batch.server, id});
    return true;
  });
  return notices;
}

}  // namespace weft::gui
