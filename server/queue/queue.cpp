// SPDX-License-Identifier: Apache-2.0
// long file: every call of the queue, each a few lines
//
// Implements the actor: a mailbox, a thread that handles its mail in batches, and the calls that
// add mail.
#include "server/queue/queue.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/log.h"
#include "options/words.h"
#include "server/queue/core.h"
#include "server/queue/files/analysis_folder.h"
#include "server/queue/files/file_threads.h"

namespace weft::queue {
namespace {

// calls of publish() and discard() at once on one file system
constexpr int kPublishedPerMount = 4;
constexpr Duration kStoreRetry = std::chrono::seconds(1);

Status stopped() { return unavailable("The daemon has stopped; try again when it is back."); }

// Incoming requests by kind. Reads return durable state only, so they precede the changes of the
// batch.
struct Mail {
  using Work = std::function<void(Core*)>;  // called with null if the queue has stopped
  std::vector<Work> reads;
  std::vector<Work> changes;
  bool empty() const { return reads.empty() && changes.empty(); }
};

// Holds incoming requests. Thread-safe. Outlives the queue while a reader has a reference to it.
class Mailbox {
 public:
  void read(Mail::Work work) { add(&Mail::reads, std::move(work)); }
  void change(Mail::Work work) { add(&Mail::changes, std::move(work)); }

  // Waits for mail, at most for `wait`. Returns the mail, and true if the mailbox is closed.
  std::pair<Mail, bool> take(Duration wait) {
    std::unique_lock lock(mutex_);
    const auto ready = [&] { return closed_ || !mail_.empty(); };
    if (wait == Duration::max())
      arrived_.wait(lock, ready);
    else
      arrived_.wait_for(lock, wait, ready);
    return {std::exchange(mail_, {}), closed_};
  }
  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    arrived_.notify_one();
  }

 private:
  void add(std::vector<Mail::Work> Mail::*kind, Mail::Work work) {
    {
      std::lock_guard lock(mutex_);
      if (!closed_) {
        (mail_.*kind).push_back(std::move(work));
        arrived_.notify_one();
        return;
      }
    }
    work(nullptr);
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  Mail mail_;
  bool closed_ = false;
};

template <class T, class Read>
Mail::Work answering(std::function<void(StatusOr<T>)> done, Read read) {
  return [done = std::move(done), read = std::move(read)](Core* core) {
    if (core == nullptr) return done(stopped());
    done(read(*core));
  };
}

}  // namespace

class Queue::Actor {
 public:
  Actor(const QueueConfig& config, const Clock& clock, StateLock lock)
      : config_(config), clock_(clock), lock_(std::move(lock)) {}
  ~Actor() { stop(); }

  Status open();
  void run();
  void stop();
  Mailbox& mail() { return *mailbox_; }
  const StoreIdentity& store_identity() const { return core_->store_identity(); }
  bool is_store_written() const { return !store_failed_; }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }
  void request(std::string id, Event event, Callback<v1::Job> done);
  void deliver(DurableEvent event);

  // Runs `read` on another thread, since it may wait for a disk.
  void read_file(std::function<void(const std::string& state_folder, WallTime now)> read) {
    files_.add({config_.state_folder},
               [this, read = std::move(read)] { read(config_.state_folder, clock_.wall_now()); });
  }

  // Returns a new subscription. It has already ended with an error if there are too many.
  template <class Watch, class... Args>
  std::shared_ptr<Watch> subscribe(Args&&... args) {
    auto watch = std::make_shared<Watch>(std::forward<Args>(args)..., watch_count_);
    if (*watch_count_ > config_.max_watches)
      watch->end(
          resource_exhausted("There are too many watches ({} at most); close some.", config_.max_watches));
    return watch;
  }

 private:
  Duration wait_time() const;

  const QueueConfig config_;
  const Clock& clock_;
  StateLock lock_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<LogStore> logs_;
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::shared_ptr<std::atomic<int>> watch_count_ = std::make_shared<std::atomic<int>>(0);
  FileThreads files_{kPublishedPerMount};
  std::unique_ptr<Core> core_;
  std::atomic<bool> store_failed_{false};
  std::thread thread_;
};

Status Queue::Actor::open() {
  ASSIGN_OR_RETURN(store_, Store::open(config_.state_folder));
  ASSIGN_OR_RETURN(logs_, LogStore::open(config_.state_folder));
  const Post post = [mailbox = mailbox_](std::function<void()> work) {
    mailbox->read([work = std::move(work)](Core* core) {
      if (core != nullptr) work();
    });
  };
  const Core::Elsewhere elsewhere = [this](std::vector<std::string> paths, std::function<JobEvent()> work,
                                           std::function<void(JobEvent)> done) {
    files_.add(std::move(paths), [mailbox = mailbox_, work = std::move(work), done = std::move(done)] {
      mailbox->change([event = work(), done](Core* core) {
        if (core != nullptr) done(event);
      });
    });
  };
  ASSIGN_OR_RETURN(core_, Core::make(config_, clock_, *store_, *logs_, post, elsewhere));
  log_info("The queue is open with {} ({}).", options::format_count(int64_t(core_->jobs().size()), "job"),
           config_.state_folder);
  thread_ = std::thread([this] { run(); });
  return ok_status();
}

Duration Queue::Actor::wait_time() const {
  if (store_failed_) return kStoreRetry;
  if (core_->has_work()) return Duration::zero();
  const TimePoint due = core_->next_due();
  return due == TimePoint::max() ? Duration::max() : std::max(Duration::zero(), due - clock_.now());
}

void Queue::Actor::run() {
  while (true) {
    auto [mail, closed] = mailbox_->take(wait_time());
    for (Mail::Work& read : mail.reads) std::exchange(read, nullptr)(core_.get());
    for (Mail::Work& change : mail.changes) std::exchange(change, nullptr)(core_.get());
    store_failed_ = !core_->commit().ok();
    if (closed) break;
  }
  core_->end_watches(stopped());
  logs_->flush();
}

void Queue::Actor::stop() {
  if (!thread_.joinable()) return;
  core_->end_copies();
  files_.stop();
  mailbox_->close();
  thread_.join();
}

Queue::Queue(std::unique_ptr<Actor> actor) : actor_(std::move(actor)) {}
Queue::~Queue() = default;

StatusOr<std::unique_ptr<Queue>> Queue::open(const QueueConfig& config, const Clock& clock) {
  ASSIGN_OR_RETURN(StateLock lock, StateLock::take(config.state_folder));
  auto actor = std::make_unique<Actor>(config, clock, std::move(lock));
  RETURN_IF_ERROR(actor->open());
  return std::unique_ptr<Queue>(new Queue(std::move(actor)));
}

const StoreIdentity& Queue::store_identity() const { return actor_->store_identity(); }
bool Queue::is_store_written() const { return actor_->is_store_written(); }

void Queue::start(Workers& workers) {
  actor_->mail().change([&workers](Core* core) {
    if (core != nullptr) core->start(workers);
  });
}

void Queue::submit(Submission submission, Callback<v1::Job> done) {
  actor_->mail().change([submission = std::move(submission), done = std::move(done)](Core* core) {
    if (core == nullptr) return done(stopped());
    core->submit(submission, done);
  });
}

void Queue::check(Submission submission, Callback<v1::SubmitJobResponse> done) {
  actor_->mail().read(answering(
      std::move(done), [submission = std::move(submission)](Core& core) { return core.check(submission); }));
}

void Queue::find_submission(Submission submission, Callback<std::optional<v1::Job>> done) {
  actor_->mail().read(answering(std::move(done), [submission = std::move(submission)](Core& core) {
    return core.views().find_submission(submission);
  }));
}

void Queue::get(std::string id, Callback<v1::Job> done) {
  actor_->mail().read(
      answering(std::move(done), [id = std::move(id)](Core& core) { return core.views().get(id); }));
}

namespace {

// A list in progress. Each turn of the queue's thread makes one step of it, so that other work runs
// in between.
struct Listing : std::enable_shared_from_this<Listing> {
  v1::ListJobsRequest request;
  std::optional<JobViews::List> list;
  Queue::Callback<v1::ListJobsResponse> done;
  std::weak_ptr<Mailbox> mailbox;

  void go_on(Core* core) {
    if (core == nullptr) return done(stopped());
    if (!list) list = core->views().begin_list(std::move(request));
    StatusOr<std::optional<v1::ListJobsResponse>> response = core->views().list_some(*list);
    if (!response.ok()) return done(response.status());
    if (response->has_value()) return done(**std::move(response));
    mailbox.lock()->read([self = shared_from_this()](Core* next) { self->go_on(next); });
  }
};

}  // namespace

void Queue::list(v1::ListJobsRequest request, Callback<v1::ListJobsResponse> done) {
  const auto listing = std::make_shared<Listing>();
  listing->request = std::move(request);
  listing->done = std::move(done);
  listing->mailbox = actor_->mailbox();
  actor_->mail().read([listing](Core* core) { listing->go_on(core); });
}

void Queue::Actor::request(std::string id, Event event, Callback<v1::Job> done) {
  mail().change([id = std::move(id), event = std::move(event), done = std::move(done)](Core* core) {
    if (core == nullptr) return done(stopped());
    core->request(id, event, done);
  });
}

void Queue::cancel(std::string id, Callback<v1::Job> done) {
  actor_->request(std::move(id), event::Cancel{}, std::move(done));
}
void Queue::pause(std::string id, Callback<v1::Job> done) {
  actor_->request(std::move(id), event::Pause{}, std::move(done));
}
void Queue::resume(std::string id, Callback<v1::Job> done) {
  actor_->request(std::move(id), event::Resume{}, std::move(done));
}
void Queue::retry(std::string id, Callback<v1::Job> done) {
  actor_->request(std::move(id), event::Retry{}, std::move(done));
}

void Queue::change_priority(std::string id, int priority, Callback<v1::Job> done) {
  actor_->request(std::move(id), event::ChangePriority{priority}, std::move(done));
}

void Queue::forget(std::string id, Callback<v1::Job> done) {
  actor_->request(std::move(id), event::Forget{}, std::move(done));
}

void Queue::explain(std::string id, Callback<v1::ExplainJobResponse> done) {
  actor_->mail().read(
      answering(std::move(done), [id = std::move(id)](Core& core) { return core.views().explain(id); }));
}

std::shared_ptr<LogReader> Queue::read_log(std::string id, int64_t first_line, bool follow) {
  auto reader = actor_->subscribe<LogSubscription>(first_line, follow);
  actor_->mail().read([reader, id = std::move(id)](Core* core) {
    if (core == nullptr) return reader->end(stopped());
    core->logs().read(reader, id);
  });
  return reader;
}

std::shared_ptr<JobWatch> Queue::watch(v1::JobFilter filter, std::string resume_token) {
  auto watch = actor_->subscribe<JobSubscription>(std::move(filter));
  actor_->mail().read([watch, token = std::move(resume_token)](Core* core) {
    if (core == nullptr) return watch->end(stopped());
    core->watch(watch, token);
  });
  return watch;
}

std::shared_ptr<DeviceWatch> Queue::watch_devices(std::vector<std::string> ids) {
  auto watch = actor_->subscribe<DeviceSubscription>(std::move(ids));
  actor_->mail().read([watch](Core* core) {
    if (core == nullptr) return watch->end(stopped());
    core->device_watches().subscribe(watch);
  });
  return watch;
}

void Queue::list_devices(Callback<std::vector<v1::DeviceStatus>> done) {
  actor_->mail().read(answering(std::move(done), [](Core& core) { return core.devices().all(); }));
}

void Queue::device_report(std::string id, Callback<internal::v1::DeviceReport> done) {
  actor_->mail().read(
      answering(std::move(done), [id = std::move(id)](Core& core) { return core.devices().report_of(id); }));
}

void Queue::drain_devices(std::vector<std::string> ids, Callback<std::vector<v1::DeviceStatus>> done) {
  actor_->mail().change([ids = std::move(ids), done = std::move(done)](Core* core) {
    if (core == nullptr) return done(stopped());
    core->drain_devices(ids, done);
  });
}

void Queue::resume_devices(std::vector<std::string> ids, bool take,
                           Callback<std::vector<v1::DeviceStatus>> done) {
  actor_->mail().change([ids = std::move(ids), take, done = std::move(done)](Core* core) {
    if (core == nullptr) return done(stopped());
    core->resume_devices(ids, take, done);
  });
}

void Queue::pause_queue(Callback<bool> done) {
  actor_->mail().change([done = std::move(done)](Core* core) {
    if (core == nullptr) return done(stopped());
    core->set_paused(true, done);
  });
}

void Queue::resume_queue(Callback<bool> done) {
  actor_->mail().change([done = std::move(done)](Core* core) {
    if (core == nullptr) return done(stopped());
    core->set_paused(false, done);
  });
}

void Queue::counts(Callback<QueueCounts> done) {
  actor_->mail().read(answering(std::move(done), [](Core& core) { return core.views().counts(); }));
}

namespace {

// A request that reads a file of the state folder. If the queue stops before the request is
// executed, the answer is UNAVAILABLE.
template <class T>
class FileQuestion {
 public:
  explicit FileQuestion(Queue::Callback<T> done) : done_(std::move(done)) {}
  FileQuestion(const FileQuestion&) = delete;
  FileQuestion& operator=(const FileQuestion&) = delete;
  ~FileQuestion() {
    if (done_) done_(stopped());
  }
  void answer(StatusOr<T> response) { std::exchange(done_, nullptr)(std::move(response)); }

 private:
  Queue::Callback<T> done_;
};

}  // namespace

void Queue::read_decisions(std::string id, int64_t offset, Callback<v1::ReadJobDecisionsResponse> done) {
  auto question = std::make_shared<FileQuestion<v1::ReadJobDecisionsResponse>>(std::move(done));
  actor_->mail().read([this, id = std::move(id), offset, question](Core* core) {
    const RecordPtr record = core == nullptr ? nullptr : core->jobs().find(id);
    if (record == nullptr) return question->answer(not_found("There is no job {}.", id));
    actor_->read_file([record, offset, question](const std::string& folder, WallTime) {
      question->answer(queue::read_decisions(folder, record->job, record->submitter, offset));
    });
  });
}

void Queue::statistics(v1::GetStatisticsRequest request, Callback<v1::GetStatisticsResponse> done) {
  actor_->read_file([question = std::make_shared<FileQuestion<v1::GetStatisticsResponse>>(std::move(done)),
                     request = std::move(request)](const std::string& folder, WallTime now) {
    question->answer(read_statistics(folder, request, now));
  });
}

void Queue::set_owner_weights(OwnerWeights weights) {
  actor_->mail().change([weights = std::move(weights)](Core* core) {
    if (core != nullptr) core->set_owner_weights(weights);
  });
}

void Queue::drain(std::function<void()> done) {
  actor_->mail().change([done = std::move(done)](Core* core) {
    if (core == nullptr) return done();
    core->drain(done);
  });
}

void Queue::checkpoint() {
  actor_->mail().change([](Core* core) {
    if (core != nullptr) core->checkpoint();
  });
}

void Queue::stop() { actor_->stop(); }

void Queue::post(std::function<void()> work) {
  actor_->mail().change([work = std::move(work)](Core* core) {
    if (core != nullptr) work();
  });
}

void Queue::Actor::deliver(DurableEvent event) {
  mail().change([event = std::move(event)](Core* core) {
    if (core != nullptr) core->take(event);
  });
}

void Queue::on_device(const v1::DeviceStatus& device) {
  actor_->mail().change([device](Core* core) {
    if (core != nullptr) core->on_device(device);
  });
}

void Queue::on_report(std::string_view device, const internal::v1::DeviceReport& report) {
  actor_->mail().change([device = std::string(device), report](Core* core) {
    if (core != nullptr) core->on_report(device, report);
  });
}

void Queue::on_progress(const AttemptId& attempt, const v1::JobProgress& progress) {
  actor_->mail().change([attempt, progress](Core* core) {
    if (core != nullptr) core->on_progress(attempt, progress);
  });
}

void Queue::on_segment_finished(const AttemptId& attempt, int, int64_t units_done) {
  actor_->deliver(JobEvent{attempt.job_id, event::SegmentDone{attempt.attempt, units_done}});
}

namespace {

JobEvent end_of_task(const AttemptId& task, const Status& error) {
  return {task.job_id, event::TaskEnded{task.attempt, task.task, error}};
}

}  // namespace

void Queue::on_finished(const AttemptId& attempt, const v1::JobResult& result) {
  actor_->deliver(attempt.task > 0 ? end_of_task(attempt, ok_status())
                                   : JobEvent{attempt.job_id, event::Finished{attempt.attempt, result}});
}

void Queue::on_stopped(const AttemptId& attempt, const Status& error, bool retriable,
                       const v1::JobResult& result) {
  if (attempt.task > 0) return actor_->deliver(end_of_task(attempt, error));
  actor_->deliver(JobEvent{attempt.job_id, event::Stopped{attempt.attempt, error, retriable, result}});
}

void Queue::on_start_refused(const AttemptId& attempt, const Status& error) {
  actor_->deliver(attempt.task > 0 ? end_of_task(attempt, error)
                                   : JobEvent{attempt.job_id, event::StartRefused{attempt.attempt, error}});
}

void Queue::on_out_of_space(const AttemptId& attempt, const Status& error) {
  actor_->deliver(attempt.task > 0 ? end_of_task(attempt, error)
                                   : JobEvent{attempt.job_id, event::NoRoom{attempt.attempt, error}});
}

void Queue::on_session_refused(const AttemptId& attempt, const Status& error, int open,
                               const v1::JobResult& result) {
  if (attempt.task > 0)
    return actor_->deliver(
        JobEvent{attempt.job_id, event::TaskEnded{attempt.attempt, attempt.task, error, open}});
  actor_->deliver(JobEvent{attempt.job_id, event::SessionRefused{{attempt.attempt, error}, open, result}});
}

void Queue::on_worker_lost(std::string_view device, const std::vector<AttemptId>& attempts,
                           std::string_view reason) {
  actor_->deliver(WorkerLoss{std::string(device), attempts, std::string(reason)});
}

void Queue::on_log(const AttemptId& attempt, std::string_view level, std::string_view text) {
  actor_->mail().change([attempt, level = std::string(level), text = std::string(text)](Core* core) {
    if (core != nullptr) core->logs().add_of_worker(attempt, level, text);
  });
}

void Queue::on_file_wait(const AttemptId& attempt, std::string_view reason) {
  actor_->mail().change([attempt, reason = std::string(reason)](Core* core) {
    if (core != nullptr) core->on_file_wait(attempt, reason);
  });
}

}  // namespace weft::queue
