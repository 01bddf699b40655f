// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/follow.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "client/errors.h"
#include "client/jobs.h"
#include "client/watch.h"
#include "client_cli/context/signals.h"
#include "client_cli/jobs/progress.h"
#include "client_cli/jobs/waiting.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"
#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::cli {
namespace {

using OnInterrupt = FollowOptions::OnInterrupt;

constexpr Duration kPlainInterval = std::chrono::seconds(5);
// interval within which it counts as the second
constexpr Duration kSecondInterrupt = std::chrono::seconds(2);
// for the jobs to end once cancelled
constexpr Duration kCancelTimeout = std::chrono::seconds(30);
// Polling for a job that waits for an absent device: soon after the start, then seldom.
constexpr Duration kFirstPoll = std::chrono::milliseconds(200);
constexpr int kQuickPolls = 25;
constexpr Duration kPollInterval = std::chrono::seconds(10);
constexpr std::chrono::minutes kGiveUp(5);  // without a daemon
constexpr TimePoint kNever = TimePoint::max();

class Follower final : public client::WatchHandler {
 public:
  Follower(const CommandContext& context, std::shared_ptr<client::Connection> connection,
           const FollowOptions& options)
      : context_(context),
        connection_(std::move(connection)),
        options_(options),
        own_signals_(options.signals == nullptr ? std::make_unique<Signals>() : nullptr),
        signals_(options.signals == nullptr ? *own_signals_ : *options.signals),
        view_(context.err, clock_, kPlainInterval, write_error) {}

  int run();

  void on_snapshot_end() override {
    const std::lock_guard lock(mutex_);
    snapshot_seen_ = true;
    stop_if_done();
    show();
  }
  void on_job(const v1::Job& job, bool progress_only) override;
  void on_disconnected(const Status& why, std::chrono::milliseconds) override {
    const std::lock_guard lock(mutex_);
    if (options_.daemon_ended) ended_ = options_.daemon_ended();
    if (!ended_.ok()) {
      stop_.request_stop();
      return;
    }
    if (std::exchange(lost_, true) || context_.quiet) return;
    view_.print(
        client::is_unreachable(why)
            ? fmt::format("The daemon at {} is gone; waiting for it to come back.", connection_->server())
            : printable(message_of(why)) + " Trying again.");
  }
  void on_reconnected() override {
    const std::lock_guard lock(mutex_);
    if (std::exchange(lost_, false) && !context_.quiet) view_.print("The daemon is back.");
  }

 private:
  void control();
  void on_interrupt(int count, TimePoint& end);
  void on_timeout(TimePoint& end);
  void end_with(int code) {
    const std::lock_guard lock(mutex_);
    if (!forced_exit_) forced_exit_ = code;
    stop_.request_stop();
  }
  void announce(const v1::Job& job, v1::JobState before);
  void show() {
    if (!is_done() && options_.progress && !context_.quiet && !context_.json && !detached_)
      view_.show(shown_jobs());
  }
  std::map<std::string, v1::Job> shown_jobs() const;
  bool is_done() const {
    return std::ranges::all_of(jobs_,
                               [](const auto& job) { return client::is_finished(job.second.state()); });
  }
  void stop_if_done();
  std::vector<std::string> unfinished() const;
  void cancel_all();
  void report_waiting();
  std::string id_hint() const;
  // Nobody can ask it once this program has ended.
  bool is_daemon_private() const { return options_.daemon_ended != nullptr; }

  const CommandContext& context_;
  std::shared_ptr<client::Connection> connection_;
  const FollowOptions& options_;
  SystemClock clock_;
  std::string reported_reason_;  // reason of a waiting job; the control thread's
  const std::unique_ptr<Signals> own_signals_;
  Signals& signals_;
  std::stop_source stop_;
  std::mutex mutex_;  // guards the members below
  ProgressView view_;
  std::map<std::string, v1::Job> jobs_;
  bool snapshot_seen_ = false;
  bool lost_ = false;
  bool detached_ = false;  // Ctrl-C came once
  Status ended_;           // error of a daemon that does not return
  std::optional<int> forced_exit_;
};

int Follower::run() {
  client::WatchOptions watch_options;
  watch_options.filter = options_.filter;
  watch_options.give_up_after = kGiveUp;
  client::Watch watch(connection_, watch_options, *this);
  std::thread controller([this] { control(); });
  const Status status = watch.run(stop_.get_token());
  signals_.stop();
  controller.join();
  view_.erase();
  if (client::is_unreachable(status) && options_.daemon_ended) ended_ = options_.daemon_ended();
  if (!ended_.ok()) {
    context_.fail(ended_);
    return kExitUnreachable;
  }
  if (!status.ok()) return context_.fail(status);
  if (forced_exit_) return *forced_exit_;
  int code = kExitDone;
  for (const auto& [id, job] : jobs_) code = worse(code, exit_code_of(job.state()));
  return code;
}

void Follower::on_job(const v1::Job& job, bool progress_only) {
  const std::lock_guard lock(mutex_);
  const auto known = jobs_.find(job.id());
  if (known != jobs_.end() && known->second.revision() > job.revision()) return;
  const v1::JobState before = known == jobs_.end() ? v1::JOB_STATE_UNSPECIFIED : known->second.state();
  jobs_[job.id()] = job;
  if (context_.json) {
    if (options_.progress || (!progress_only && client::is_finished(job.state()))) context_.print_json(job);
  } else if (job.state() != before) {
    announce(job, before);
  }
  if (snapshot_seen_) {
    stop_if_done();
    show();
  }
}

void Follower::announce(const v1::Job& job, v1::JobState before) {
  // Jobs that ended before the watch began are no news, unless they were requested.
  if (before == v1::JOB_STATE_UNSPECIFIED && !options_.until_finished && client::is_finished(job.state()))
    return;
  const bool several = !options_.until_finished || options_.filter.ids_size() > 1;
  const std::string name = several ? printable(job_files(job)) + ": " : "";
  if (client::is_finished(job.state())) {
    std::string line = name + printable(describe_end(job));
    if (job.state() == v1::JOB_STATE_FAILED && !is_daemon_private())
      line += fmt::format(" (`weft logs {}` says more)", job.id());
    // --wait
    const bool is_silent = context_.quiet || (options_.until_finished && !options_.progress);
    if (!is_silent || job.state() == v1::JOB_STATE_FAILED)
      view_.print(paint(context_.err, state_colour(job.state()), line));
    if (!is_silent)
      for (const std::string& note : job.result().notes())
        view_.print(fmt::format("{}Note: {}", name, printable(note)));
  } else if (job.state() == v1::JOB_STATE_RUNNING && options_.progress && !context_.quiet) {
    view_.print(fmt::format("{}Running on {}{}.", name, job.device().empty() ? "a device" : job.device(),
                            job.attempt() > 1 ? fmt::format(" (attempt {})", job.attempt()) : ""));
  } else if (job.state() == v1::JOB_STATE_PAUSED && !context_.quiet) {
    view_.print(fmt::format("{}Paused; `weft resume {}` lets it go on.", name, job.id()));
  }
}

// Those that are not finished, and with a given list of ids all of them: their number is the whole.
std::map<std::string, v1::Job> Follower::shown_jobs() const {
  if (options_.until_finished) return jobs_;
  std::map<std::string, v1::Job> result;
  for (const auto& [id, job] : jobs_)
    if (job.state() == v1::JOB_STATE_RUNNING) result[id] = job;
  return result;
}

void Follower::stop_if_done() {
  if (options_.until_finished && is_done()) stop_.request_stop();
}

void Follower::control() {
  TimePoint timeout = options_.timeout_seconds
                          ? clock_.now() + std::chrono::duration_cast<Duration>(
                                               std::chrono::duration<double>(*options_.timeout_seconds))
                          : kNever;
  TimePoint end = kNever;  // when Ctrl-C takes effect
  TimePoint next_poll = options_.until_finished ? clock_.now() + kFirstPoll : kNever;
  for (int interrupts = 0, polls = 0;;) {
    switch (signals_.wait_until(std::min({timeout, end, next_poll}))) {
      case Signals::Event::kStopped:
        return;
      case Signals::Event::kSignal:
        on_interrupt(++interrupts, end);
        break;
      case Signals::Event::kTime:
        const TimePoint now = clock_.now();
        if (now >= end) return end_with(kExitInterrupted);
        if (now >= timeout) {
          timeout = kNever;
          on_timeout(end);
        }
        if (now >= next_poll) {
          next_poll = now + (++polls < kQuickPolls ? kFirstPoll : kPollInterval);
          report_waiting();
        }
    }
  }
}

// Once for each reason: the first job that waits for a device that nobody provides.
void Follower::report_waiting() {
  std::optional<v1::Job> waiting;
  {
    const std::lock_guard lock(mutex_);
    // A line of progress of one job says it already, where no terminal cuts it.
    const bool is_shown =
        options_.progress && !context_.json && !context_.err.can_redraw && jobs_.size() == 1;
    for (const auto& [id, job] : jobs_)
      if (job.state() == v1::JOB_STATE_QUEUED && !waiting && !is_shown) waiting = job;
  }
  if (!waiting || context_.quiet) return;
  const std::string reason = why_nothing_takes(connection_, *waiting);
  if (reason.empty() || reason == reported_reason_) return;
  reported_reason_ = reason;
  const std::lock_guard lock(mutex_);
  view_.print(printable(reason));
}

// Jobs of a daemon that ends with the following are cancelled.
void Follower::on_timeout(TimePoint& end) {
  const bool cancels = options_.on_interrupt == OnInterrupt::kCancel;
  {
    const std::lock_guard lock(mutex_);
    const size_t left = cancels ? 0 : unfinished().size();
    const std::string goes_on = left == 0   ? "."
                                : left == 1 ? "; the job goes on." + id_hint()
                                            : fmt::format("; {} go on.", format_count(int64_t(left), "job"));
    if (!context_.quiet) view_.print("The time is up (--timeout)" + goes_on);
    if (cancels) forced_exit_ = kExitTimeout;
  }
  if (!cancels) return end_with(kExitTimeout);
  end = clock_.now() + kCancelTimeout;
  cancel_all();
}

void Follower::on_interrupt(int count, TimePoint& end) {
  const bool cancels = options_.on_interrupt == OnInterrupt::kCancel
                           ? count == 1
                           : options_.on_interrupt == OnInterrupt::kDetach && count == 2;
  if (options_.on_interrupt == OnInterrupt::kDetach && count == 1) {
    // nobody sends the others to ask for a second one
    const bool is_key = Signals::last() == SIGINT;
    const std::lock_guard lock(mutex_);
    detached_ = true;
    view_.print(fmt::format("Detached: the job goes on.{}{}",
                            is_key ? " Ctrl-C again within 2 seconds cancels it." : "", id_hint()));
    end = clock_.now() + (is_key ? kSecondInterrupt : Duration(0));
  } else if (cancels) {
    end = clock_.now() + kCancelTimeout;
    if (options_.on_interrupt == OnInterrupt::kCancel) {
      const std::lock_guard lock(mutex_);
      forced_exit_ = kExitInterrupted;
    }
    cancel_all();
  } else {
    end_with(kExitInterrupted);
  }
}

// Their ids.
std::vector<std::string> Follower::unfinished() const {
  std::vector<std::string> result;
  for (const auto& [id, job] : jobs_)
    if (!client::is_finished(job.state())) result.push_back(id);
  for (const std::string& id : options_.filter.ids())  // not heard of yet
    if (!jobs_.contains(id)) result.push_back(id);
  return result;
}

void Follower::cancel_all() {
  std::vector<std::string> ids;
  {
    const std::lock_guard lock(mutex_);
    if (!context_.quiet) view_.print("Cancelling ...");
    ids = unfinished();
  }
  client::Jobs jobs(connection_);
  for (const std::string& id : ids)
    if (const auto job = jobs.cancel(id); !job.ok() && job.status().code() != StatusCode::kFailedPrecondition)
      context_.fail(job.status());
}

std::string Follower::id_hint() const {
  if (options_.filter.ids_size() != 1 || is_daemon_private()) return "";
  return fmt::format(" `weft watch {}` follows it.", options_.filter.ids(0));
}

}  // namespace

int follow(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
           const FollowOptions& options) {
  return Follower(context, connection, options).run();
}

int exit_code_of(v1::JobState state) {
  switch (state) {
    case v1::JOB_STATE_FAILED:
      return kExitJobFailed;
    case v1::JOB_STATE_CANCELLED:
      return kExitCancelled;
    default:
      return kExitDone;
  }
}

std::string describe_end(const v1::Job& job) {
  if (job.state() == v1::JOB_STATE_CANCELLED) return "Cancelled.";
  if (job.state() == v1::JOB_STATE_FAILED) return "Failed: " + job.error().message();
  const std::vector<std::string> outputs = options::paths_of(job.spec(), v1::PATH_KIND_OUTPUT_FILE);
  std::string text = "Done: " + (outputs.empty() ? job_files(job) : outputs[0]);
  const double seconds = seconds_of(job.result().wall_time());
  const std::string unit = options::unit_of(job.spec());
  const int64_t made = outputs.empty() ? job.result().units_in() : job.result().units_out();
  if (made > 0) text += ", " + format_count(made, unit);
  if (seconds > 0) text += fmt::format(" in {}", format_duration(seconds));
  if (seconds > 0 && made > 0) text += fmt::format(" ({})", format_rate(double(made) / seconds, unit));
  return text + ".";
}

}  // namespace weft::cli
