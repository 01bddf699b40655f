// SPDX-License-Identifier: Apache-2.0
#include "client_gui/connection/inspector.h"

#include "base/printable.h"
#include "client_gui/connection/benchmark_runs.h"
#include "client_gui/connection/decisions.h"
#include "client_gui/connection/rows.h"

namespace weft::gui {
namespace {

// Delay before the log is read further after its end, since the job may be retried or the daemon
// restarted.
constexpr std::chrono::milliseconds kReadOn(1000);

StatusOr<v1::Job> call(client::Jobs& jobs, const JobCommand& order) {
  const std::string id = order.id.toStdString();
  switch (order.kind) {
    case JobCommand::Kind::kPause:
      return jobs.pause(id);
    case JobCommand::Kind::kResume:
      return jobs.resume(id);
    case JobCommand::Kind::kCancel:
      return jobs.cancel(id);
    case JobCommand::Kind::kRetry:
      return jobs.retry(id);
    case JobCommand::Kind::kPriority:
      return jobs.change_priority(id, order.priority);
  }
  return internal_error("The order ({}) is not known; this is a defect.", int(order.kind));
}

StatusOr<BenchmarkRuns> find_benchmarks(client::Jobs& jobs, client::Devices& devices) {
  BenchmarkRuns found;
  ASSIGN_OR_RETURN(found.runs, client::fetch_results(jobs, "", kMostBenchmarkRuns));
  ASSIGN_OR_RETURN(found.devices, devices.list());
  return found;
}

}  // namespace

Inspector::Inspector(std::shared_ptr<client::Connection> connection, std::function<void()> heard)
    : jobs_(connection),
      devices_(connection),
      server_(std::move(connection)),
      heard_callback_(std::move(heard)) {
  errands_thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Inspector::~Inspector() = default;

void Inspector::order(const JobCommand& order) {
  add_errand([this, order] { report({order.id, {}}, call(jobs_, order).status()); });
}

void Inspector::order(const DeviceOrder& order) {
  add_errand([this, order] {
    const std::vector<std::string> ids{order.id.toStdString()};
    const auto devices = order.kind == DeviceOrder::Kind::kDrain ? devices_.drain(ids) : devices_.resume(ids);
    report({order.id, {}, order.kind}, devices.status());
  });
}

void Inspector::fetch(const QString& id) {
  add_errand([this, id = id.toStdString()] { look_up(id); });
}

void Inspector::fetch_decisions(const QString& id) {
  add_errand([this, id] {
    auto decisions =
        std::make_shared<const JobDecisions>(decisions_of(id, jobs_.read_decisions(id.toStdString())));
    notify([&](Delivery& found) { found.decisions = std::move(decisions); });
  });
}

void Inspector::fetch_statistics(int days) {
  add_errand([this, days] {
    v1::GetStatisticsRequest request;
    request.set_days(days);
    const StatusOr<v1::GetStatisticsResponse> response = server_.statistics(request);
    Statistics statistics;
    if (response.ok())
      statistics = statistics_of(*response);
    else
      statistics.error = QString::fromStdString(printable_lines(message_of(response.status())));
    notify([&](Delivery& found) { found.statistics = std::move(statistics); });
  });
}

void Inspector::fetch_benchmarks() {
  add_errand([this] {
    StatusOr<BenchmarkRuns> found = find_benchmarks(jobs_, devices_);
    auto runs = std::make_shared<BenchmarkRuns>();
    if (found.ok())
      *runs = *std::move(found);
    else
      runs->error = QString::fromStdString(printable_lines(message_of(found.status())));
    notify([&](Delivery& delivery) { delivery.benchmarks = std::move(runs); });
  });
}

void Inspector::add_errand(std::function<void()> errand) {
  const std::lock_guard lock(mutex_);
  errands_.push_back(std::move(errand));
  changed_.notify_all();
}

void Inspector::follow_log(const QString& id) {
  log_thread_ = {};  // joins the old thread, so that no line of the former log follows
  {
    const std::lock_guard lock(mutex_);
    found_.log.clear();
  }
  if (id.isEmpty()) return;
  log_thread_ =
      std::jthread([this, text = id.toStdString()](const std::stop_token& stop) { read_log(text, stop); });
}

void Inspector::take_into(Delivery& delivery) {
  const std::lock_guard lock(mutex_);
  notified_ = false;
  delivery.details = std::exchange(found_.details, {});
  delivery.answers = std::exchange(found_.answers, {});
  delivery.statistics = std::exchange(found_.statistics, {});
  delivery.benchmarks = std::exchange(found_.benchmarks, {});
  delivery.decisions = std::exchange(found_.decisions, {});
  delivery.log = std::exchange(found_.log, {});
}

void Inspector::notify(const std::function<void(Delivery&)>& add) {
  {
    const std::lock_guard lock(mutex_);
    add(found_);
    if (std::exchange(notified_, true)) return;
  }
  heard_callback_();
}

// --- On the threads of the inspector -------------------------------------------------------------

void Inspector::work(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !errands_.empty(); })) return;
    const std::function<void()> errand = std::move(errands_.front());
    errands_.pop_front();
    lock.unlock();
    errand();
    if (stop.stop_requested()) return;
  }
}

void Inspector::report(OrderAnswer answer, const Status& status) {
  if (!status.ok()) answer.reason = QString::fromStdString(printable_lines(message_of(status)));
  notify([&](Delivery& found) { found.answers.push_back(answer); });
}

void Inspector::look_up(const std::string& id) {
  const StatusOr<v1::Job> job = jobs_.get(id);
  // A lost connection is reported by the link.
  if (!job.ok()) return;
  JobDetail detail = detail_of(*job);
  // If the daemon does not answer, the detail has no explanation; the row contains the reason for
  // the wait.
  if (job->state() == v1::JOB_STATE_QUEUED)
    if (const auto explanation = jobs_.explain(id); explanation.ok()) add_explanation(detail, *explanation);
  notify([&](Delivery& found) { found.details.push_back(std::move(detail)); });
}

void Inspector::read_log(const std::string& id, const std::stop_token& stop) {
  v1::ReadJobLogRequest request;
  request.set_id(id);
  request.set_follow(true);
  while (!stop.stop_requested()) {
    const Status end = jobs_.read_log(
        request,
        [&](const v1::ReadJobLogResponse& line) {
          request.set_first_line(line.line() + 1);
          notify([&](Delivery& found) {
            found.log.push_back(line_of(line));
            if (found.log.size() > kMostLogLines) found.log.pop_front();
          });
          return true;
        },
        stop);
    static_cast<void>(end.ok());  // a lost connection is reported by the link
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kReadOn, [] { return false; });
  }
}

}  // namespace weft::gui
