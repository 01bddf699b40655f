// SPDX-License-Identifier: Apache-2.0
#include "server/queue/job_logs.h"

#include <chrono>
#include <iterator>
#include <utility>

namespace weft::queue {
namespace {

constexpr Duration kLogsWaitAtMost = std::chrono::milliseconds(500);

}  // namespace

void JobLogs::add(const AttemptId& attempt, std::string_view level, std::string_view text) {
  store_.append(attempt.job_id, attempt.attempt, level, text, clock_.wall_now());
  if (!due_) due_ = clock_.now() + kLogsWaitAtMost;
  wake(attempt.job_id);
}

void JobLogs::add_of_worker(const AttemptId& attempt, std::string_view level, std::string_view text) {
  const RecordPtr record = jobs_.find(attempt.job_id);
  if (record != nullptr && record->job.attempt() == attempt.attempt) add(attempt, level, text);
}

void JobLogs::read(const std::shared_ptr<LogSubscription>& reader, const std::string& id) {
  const StatusOr<RecordPtr> record = jobs_.resolve(id);
  if (!record.ok()) return reader->end(record.status());
  // A reader may outlive this object. It uses the object only through `post`, which has no effect
  // after the end of the queue's thread.
  const auto fill_later = [this, post = post_](const std::weak_ptr<LogSubscription>& weak) {
    post([this, weak] {
      if (const auto live = weak.lock()) fill(*live);
    });
  };
  readers_.push_back(reader);
  reader->begin((*record)->job.id(), fill_later, reader);
}

void JobLogs::fill(LogSubscription& reader) {
  StatusOr<std::vector<v1::ReadJobLogResponse>> lines =
      store_.read(reader.job_id(), reader.next_line(), kLogLinesPerRead);
  if (!lines.ok()) return reader.end(lines.status());
  const RecordPtr record = jobs_.find(reader.job_id());
  if (record == nullptr) return reader.end(not_found("The job ({}) is gone.", reader.job_id()));
  const v1::Job& job = record->job;
  const bool all = int64_t(lines->size()) < kLogLinesPerRead;
  const bool ends = all && (!reader.follow() || (is_final(job.state()) && !attempt_is_open(job)));
  if (!lines->empty()) reader.add(*std::move(lines));
  if (ends) reader.finish();
}

void JobLogs::wake(const std::string& job_id) {
  for (auto reader = readers_.begin(); reader != readers_.end();) {
    const auto live = reader->lock();
    if (live != nullptr && live->job_id() == job_id) live->wake();
    reader = live != nullptr ? std::next(reader) : readers_.erase(reader);
  }
}

void JobLogs::remove(const std::string& job_id) {
  store_.remove(job_id);
  if (!due_) due_ = clock_.now();
}

void JobLogs::flush_due() {
  if (!due_ || *due_ > clock_.now()) return;
  store_.flush();
  due_.reset();
}

void JobLogs::end_all(const Status& error) {
  for (const auto& reader : std::exchange(readers_, {}))
    if (const auto live = reader.lock()) live->end(error);
}

}  // namespace weft::queue
