// SPDX-License-Identifier: Apache-2.0
#include "server/queue/watch.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "server/queue/records/job_filter.h"

namespace weft::queue {
namespace {

v1::WatchJobsResponse job_event(v1::WatchJobsResponse::Kind kind, v1::Job job, std::string token) {
  v1::WatchJobsResponse event;
  event.set_kind(kind);
  *event.mutable_job() = std::move(job);
  event.set_resume_token(std::move(token));
  return event;
}

// Calls `notify` for each live subscription and removes the others from the list.
template <class Subscription, class Tell>
void for_each_live(std::list<std::weak_ptr<Subscription>>& watches, Tell notify) {
  for (auto watch = watches.begin(); watch != watches.end();) {
    if (const std::shared_ptr<Subscription> live = watch->lock()) {
      notify(live);
      ++watch;
    } else {
      watch = watches.erase(watch);
    }
  }
}

}  // namespace

std::string make_resume_token(const std::string& store_id, int64_t revision) {
  return fmt::format("{}-{}", store_id, revision);
}

StatusOr<int64_t> read_resume_token(const std::string& store_id, const std::string& token) {
  const size_t dash = token.rfind('-');
  int64_t revision = -1;
  if (dash != std::string::npos && token.compare(0, dash, store_id) == 0)
    std::from_chars(token.data() + dash + 1, token.data() + token.size(), revision);
  if (revision < 0)
    return out_of_range(
        "The resume token ({}) is not of this store; list the jobs again and watch from there.", token);
  return revision;
}

void JobSubscription::begin_snapshot(std::string last_id, std::string end_token, Fill fill,
                                     std::weak_ptr<JobSubscription> self) {
  {
    std::lock_guard lock(mutex_);
    snapshotting_ = true;
    last_id_ = std::move(last_id);
    end_token_ = std::move(end_token);
    fill_ = std::move(fill);
    self_ = std::move(self);
  }
  pump();
}

void JobSubscription::fill_snapshot(const JobTable& jobs,
                                    const std::function<v1::Job(const JobRecord&)>& decorate) {
  std::string cursor;
  {
    std::lock_guard lock(mutex_);
    if (!snapshotting_ || !snapshot_.empty()) return;
    cursor = cursor_;
  }
  // Only the queue's thread changes the cursor, so no change is lost between the two locks.
  const JobTable::Stretch stretch = jobs.stretch(filter_, cursor, last_id_);
  std::deque<v1::WatchJobsResponse> events;
  for (const RecordPtr& record : stretch.jobs)
    events.push_back(job_event(v1::WatchJobsResponse::KIND_SNAPSHOT, decorate(*record), ""));
  {
    std::lock_guard lock(mutex_);
    snapshot_ = std::move(events);
    if (!stretch.last.empty()) cursor_ = stretch.last;
    if (stretch.end) {
      snapshotting_ = false;
      v1::WatchJobsResponse end;
      end.set_kind(v1::WatchJobsResponse::KIND_SNAPSHOT_END);
      end.set_resume_token(end_token_);
      snapshot_.push_back(std::move(end));
    }
  }
  pump();
}

void JobSubscription::changed(const std::shared_ptr<const v1::Job>& job, std::string token) {
  add({v1::WatchJobsResponse::KIND_CHANGED, job, std::move(token)});
}

void JobSubscription::forgotten(const std::shared_ptr<const v1::Job>& job, std::string token) {
  add({v1::WatchJobsResponse::KIND_FORGOTTEN, job, std::move(token)});
}

void JobSubscription::add(Change change) {
  bool overrun = false;
  {
    std::lock_guard lock(mutex_);
    // the rest of the snapshot contains the job if it matches
    if (is_ahead(change.job->id())) return;
    progress_.erase(change.job->id());
    changes_bytes_ += bytes_of(*change.job);
    changes_.push_back(std::move(change));
    overrun = changes_.size() > kChangesPerWatch || changes_bytes_ > kChangesBytes;
  }
  if (overrun)
    end(resource_exhausted(
        "The watch is too far behind (more than {} changes or {} bytes of jobs); list the jobs again "
        "and watch from there.",
        kChangesPerWatch, kChangesBytes));
  else
    pump();
}

void JobSubscription::progressed(const std::shared_ptr<const v1::Job>& job) {
  {
    std::lock_guard lock(mutex_);
    if (is_ahead(job->id())) return;
    progress_[job->id()] = job;
  }
  pump();
}

std::optional<v1::WatchJobsResponse> JobSubscription::take() {
  if (!snapshot_.empty()) {
    v1::WatchJobsResponse event = std::move(snapshot_.front());
    snapshot_.pop_front();
    return event;
  }
  if (snapshotting_) return std::nullopt;
  if (!changes_.empty()) {
    Change change = std::move(changes_.front());
    changes_.pop_front();
    changes_bytes_ -= bytes_of(*change.job);
    return job_event(change.kind, *change.job, std::move(change.token));
  }
  if (progress_.empty()) return std::nullopt;
  const auto first = progress_.begin();
  const std::shared_ptr<const v1::Job> job = first->second;
  progress_.erase(first);
  return job_event(v1::WatchJobsResponse::KIND_PROGRESS, *job, "");
}

void JobSubscription::drop() {
  snapshotting_ = false;
  snapshot_.clear();
  changes_.clear();
  changes_bytes_ = 0;
  progress_.clear();
}

void JobSubscription::starved() {
  Fill fill;
  std::weak_ptr<JobSubscription> self;
  {
    std::lock_guard lock(mutex_);
    if (!snapshotting_) return;
    fill = fill_;
    self = self_;
  }
  fill(std::move(self));
}

void DeviceSubscription::changed(const v1::DeviceStatus& device) {
  if (!ids_.empty() && std::find(ids_.begin(), ids_.end(), device.id()) == ids_.end()) return;
  {
    std::lock_guard lock(mutex_);
    if (newest_.insert_or_assign(device.id(), device).second) order_.push_back(device.id());
  }
  pump();
}

std::optional<v1::DeviceStatus> DeviceSubscription::take() {
  if (order_.empty()) return std::nullopt;
  const auto found = newest_.find(order_.front());
  v1::DeviceStatus device = std::move(found->second);
  newest_.erase(found);
  order_.pop_front();
  return device;
}

void DeviceSubscription::drop() {
  order_.clear();
  newest_.clear();
}

void LogSubscription::begin(std::string job_id, Fill fill, std::weak_ptr<LogSubscription> self) {
  {
    std::lock_guard lock(mutex_);
    job_id_ = std::move(job_id);
    fill_ = std::move(fill);
    self_ = std::move(self);
  }
  pump();
}

void LogSubscription::add(std::vector<v1::ReadJobLogResponse> lines) {
  {
    std::lock_guard lock(mutex_);
    for (v1::ReadJobLogResponse& line : lines) {
      next_line_ = line.line() + 1;
      lines_.push_back(std::move(line));
    }
  }
  pump();
}

std::optional<v1::ReadJobLogResponse> LogSubscription::take() {
  if (lines_.empty()) return std::nullopt;
  v1::ReadJobLogResponse line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

void LogSubscription::starved() {
  Fill fill;
  std::weak_ptr<LogSubscription> self;
  {
    std::lock_guard lock(mutex_);
    fill = fill_;
    self = self_;
  }
  if (fill != nullptr) fill(std::move(self));
}

void JobWatches::restore(std::string store_id, int64_t revision) {
  store_id_ = std::move(store_id);
  revision_ = revision;
  changes_.clear();
  changes_bytes_ = 0;
  known_since_ = 0;
  const std::vector<RecordPtr> newest = jobs_.newest_changes(kChangesKept + 1);
  for (const RecordPtr& record : newest) {
    if (changes_.size() == kChangesKept || changes_bytes_ > kChangesBytes) {
      known_since_ = record->job.revision();
      break;
    }
    changes_.push_front({nullptr, record});
    changes_bytes_ += changes_.front().bytes();
  }
}

void JobWatches::forget_oldest() {
  known_since_ = changes_.front().after->job.revision();
  changes_bytes_ -= changes_.front().bytes();
  changes_.pop_front();
}

Status JobWatches::replay(JobSubscription& watch, int64_t since) {
  if (since > revision_ || since < known_since_)
    return out_of_range(
        "The resume token is too old (revision {}, changes are kept since {}); list the jobs again and watch "
        "from there.",
        since, known_since_);
  for (const Change& change : changes_) {
    const int64_t revision = change.after->job.revision();
    if (revision <= since) continue;
    // If the earlier state is not known, the job may have matched in it: subscribers must receive
    // the change.
    const bool wanted = matches(watch.filter(), change.after->job) ||
                        (change.before == nullptr ? matches(watch.filter(), change.after->job, false)
                                                  : matches(watch.filter(), change.before->job));
    if (wanted)
      watch.changed(std::make_shared<const v1::Job>(decorate_(*change.after)),
                    make_resume_token(store_id_, revision));
  }
  return ok_status();
}

void JobWatches::subscribe(const std::shared_ptr<JobSubscription>& watch, const std::string& resume_token) {
  if (resume_token.empty()) {
    // A reader may outlive this object. It uses the object only through `post`, which has no effect
    // after the end of the queue's thread.
    const auto fill = [this, post = post_](const std::weak_ptr<JobSubscription>& weak) {
      post([this, weak] {
        if (const auto live = weak.lock()) live->fill_snapshot(jobs_, decorate_);
      });
    };
    watch->begin_snapshot(jobs_.newest_id(), token(), fill, watch);
  } else {
    const StatusOr<int64_t> since = read_resume_token(store_id_, resume_token);
    const Status status = since.ok() ? replay(*watch, *since) : since.status();
    if (!status.ok()) return watch->end(status);
  }
  watches_.push_back(watch);
}

void JobWatches::changed(const RecordPtr& before, const RecordPtr& after) {
  revision_ = after->job.revision();
  changes_.push_back({before, after});
  changes_bytes_ += changes_.back().bytes();
  while (changes_.size() > kChangesKept || (changes_bytes_ > kChangesBytes && changes_.size() > 1))
    forget_oldest();
  std::shared_ptr<const v1::Job> seen;  // made once, and only if a subscriber needs it
  for_each_live(watches_, [&](const std::shared_ptr<JobSubscription>& watch) {
    if (!matches(watch->filter(), after->job) &&
        (before == nullptr || !matches(watch->filter(), before->job)))
      return;
    if (seen == nullptr) seen = std::make_shared<const v1::Job>(decorate_(*after));
    watch->changed(seen, make_resume_token(store_id_, revision_));
  });
}

void JobWatches::progressed(const RecordPtr& record) {
  std::shared_ptr<const v1::Job> seen;
  for_each_live(watches_, [&](const std::shared_ptr<JobSubscription>& watch) {
    if (!matches(watch->filter(), record->job)) return;
    if (seen == nullptr) seen = std::make_shared<const v1::Job>(decorate_(*record));
    watch->progressed(seen);
  });
}

void JobWatches::forgotten(const RecordPtr& record) {
  std::shared_ptr<const v1::Job> seen;
  for_each_live(watches_, [&](const std::shared_ptr<JobSubscription>& watch) {
    if (!matches(watch->filter(), record->job)) return;
    if (seen == nullptr) seen = std::make_shared<const v1::Job>(decorate_(*record));
    watch->forgotten(seen, token());
  });
}

void JobWatches::end_all(const Status& error) {
  for_each_live(watches_, [&](const std::shared_ptr<JobSubscription>& watch) { watch->end(error); });
  watches_.clear();
}

void DeviceWatches::changed(const std::string& id) {
  if (!devices_.contains(id)) return;
  const v1::DeviceStatus device = devices_.view(id);
  for (auto watch = watches_.begin(); watch != watches_.end();) {
    const auto live = watch->lock();
    if (live != nullptr) live->changed(device);
    watch = live != nullptr ? std::next(watch) : watches_.erase(watch);
  }
}

void DeviceWatches::subscribe(const std::shared_ptr<DeviceSubscription>& watch) {
  for (const v1::DeviceStatus& device : devices_.all()) watch->changed(device);
  watches_.push_back(watch);
}

void DeviceWatches::end_all(const Status& error) {
  for (const auto& watch : std::exchange(watches_, {}))
    if (const auto live = watch.lock()) live->end(error);
}

}  // namespace weft::queue
