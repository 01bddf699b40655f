// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/metrics.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>

#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "base/log.h"
#include "server/metrics/device_metrics.h"
#include "server/metrics/exposition.h"
#include "server/metrics/job_metrics.h"
#include "server/metrics/scrape_server.h"

namespace weft::metrics {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

// limit of the wait for the queue's answer to a scrape; later values are omitted
constexpr Duration kAnswerTime = std::chrono::seconds(2);
const prometheus::Histogram::BucketBoundaries kSubmitSeconds = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
                                                                0.1,    0.2,   0.5,   1,     5,    30};

// Returns the values of the queue for a scrape.
std::vector<MetricFamily> queue_values(queue::Queue& queue) {
  auto answer = std::make_shared<std::promise<std::optional<queue::QueueCounts>>>();
  std::future<std::optional<queue::QueueCounts>> future = answer->get_future();
  queue.counts([answer](StatusOr<queue::QueueCounts> counts) {
    answer->set_value(counts.ok() ? std::optional(*std::move(counts)) : std::nullopt);
  });
  if (future.wait_for(kAnswerTime) != std::future_status::ready) return {};
  const std::optional<queue::QueueCounts> counts = future.get();
  if (!counts) return {};
  MetricValues jobs("weft_jobs", "Stored jobs, by state.", MetricType::Gauge);
  for (const auto& [state, number] : counts->jobs_by_state) jobs.add(double(number), {{"state", state}});
  MetricValues depth("weft_queue_jobs", "Jobs waiting for a device, by class.", MetricType::Gauge);
  for (const auto& [name, number] : counts->queued_by_class) depth.add(double(number), {{"class", name}});
  MetricValues draining("weft_draining", "1 while the daemon drains: running work finishes and none starts.",
                        MetricType::Gauge);
  draining.add(counts->draining ? 1 : 0);
  MetricValues paused("weft_queue_paused", "1 while the queue is paused: no job starts.", MetricType::Gauge);
  paused.add(counts->paused ? 1 : 0);
  std::vector<MetricFamily> families;
  families.push_back(std::move(jobs).take());
  families.push_back(std::move(depth).take());
  families.push_back(std::move(paused).take());
  families.push_back(std::move(draining).take());
  return families;
}

std::string page_of(const prometheus::Registry& registry, queue::Queue& queue) {
  std::vector<MetricFamily> families = registry.Collect();
  std::ranges::move(queue_values(queue), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

ScrapeServer::Page health_page(const std::string& reason) {
  if (reason.empty()) return {"200 OK", "ok\n"};
  return {"503 Service Unavailable", reason + "\n"};
}

// Reads the queue's watches until stop(). The pending callbacks share ownership.
class Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(queue::Queue& queue, prometheus::Registry& registry)
      : queue_(queue), jobs_(registry), devices_(registry) {}

  void start() {
    follow_devices();
    follow_jobs();
  }

  // Ends the use of the queue by callbacks.
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (job_watch_) job_watch_->cancel();
    if (device_watch_) device_watch_->cancel();
  }

 private:
  // Starts at the current state; the counts of the queue contain earlier changes.
  void follow_jobs() {
    v1::ListJobsRequest newest;
    newest.set_page_size(1);
    queue_.list(newest, [self = shared_from_this()](StatusOr<v1::ListJobsResponse> list) {
      if (!list.ok()) return;
      const std::lock_guard lock(self->mutex_);
      if (self->stopped_) return;
      self->job_watch_ = self->queue_.watch({}, list->resume_token());
      self->queue_.post([self] { self->next_job(); });
    });
  }

  void follow_devices() {
    const std::lock_guard lock(mutex_);
    device_watch_ = queue_.watch_devices({});
    queue_.post([self = shared_from_this()] { self->next_device(); });
  }

  std::shared_ptr<queue::JobWatch> job_watch() {
    const std::lock_guard lock(mutex_);
    return stopped_ ? nullptr : job_watch_;
  }
  std::shared_ptr<queue::DeviceWatch> device_watch() {
    const std::lock_guard lock(mutex_);
    return stopped_ ? nullptr : device_watch_;
  }

  // Called on the queue's thread.
  void next_job() {
    const auto watch = job_watch();
    if (!watch) return;
    watch->next([self = shared_from_this()](StatusOr<std::optional<v1::WatchJobsResponse>> event) {
      if (event.status().code() == StatusCode::kResourceExhausted ||
          event.status().code() == StatusCode::kOutOfRange) {
        self->jobs_.missed();
        return self->follow_jobs();
      }
      if (!event.ok() || !event->has_value()) return;
      if ((*event)->kind() == v1::WatchJobsResponse::KIND_CHANGED) self->jobs_.changed((*event)->job());
      self->next_job();
    });
  }

  void next_device() {
    const auto watch = device_watch();
    if (!watch) return;
    watch->next([self = shared_from_this()](StatusOr<std::optional<v1::DeviceStatus>> device) {
      if (!device.ok() || !device->has_value()) return;
      self->devices_.changed(**device);
      self->next_device();
    });
  }

  queue::Queue& queue_;
  JobMetrics jobs_;        // used on the queue's thread
  DeviceMetrics devices_;  // used on the queue's thread
  std::mutex mutex_;
  bool stopped_ = false;
  std::shared_ptr<queue::JobWatch> job_watch_;
  std::shared_ptr<queue::DeviceWatch> device_watch_;
};

}  // namespace

struct Metrics::Parts {
  std::string listening;
  prometheus::Registry registry;
  prometheus::Family<prometheus::Histogram>& submits =
      prometheus::BuildHistogram()
          .Name("weft_submit_seconds")
          .Help("Time from the arrival of a submission to its answer, by result.")
          .Register(registry);
  prometheus::Histogram& accepted = submits.Add({{"result", "accepted"}}, kSubmitSeconds);
  prometheus::Histogram& refused = submits.Add({{"result", "refused"}}, kSubmitSeconds);
  std::shared_ptr<Follower> follower;
  std::unique_ptr<ScrapeServer> server;  // last member, so that it is destroyed first
};

Metrics::Metrics(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Metrics::~Metrics() { stop(); }

StatusOr<std::unique_ptr<Metrics>> Metrics::start(const std::string& listen, queue::Queue& queue,
                                                  std::function<std::string()> health) {
  auto parts = std::make_unique<Parts>();
  prometheus::BuildGauge()
      .Name("weft_build_info")
      .Help("Always 1; the version is a label.")
      .Register(parts->registry)
      .Add({{"version", WEFT_VERSION}})
      .Set(1);
  parts->follower = std::make_shared<Follower>(queue, parts->registry);
  const auto metrics = [&registry = parts->registry, &queue] {
    return ScrapeServer::Page{"200 OK", page_of(registry, queue)};
  };
  ASSIGN_OR_RETURN(parts->server, ScrapeServer::listen(listen, {{"/metrics", metrics},
                                                                {"/healthz", [health = std::move(health)] {
                                                                   return health_page(health());
                                                                 }}}));
  parts->listening =
      fmt::format("{}:{}", std::string_view(listen).substr(0, listen.rfind(':')), parts->server->port());
  parts->follower->start();
  log_info("Metrics are at http://{}/metrics.", parts->listening);
  return std::unique_ptr<Metrics>(new Metrics(std::move(parts)));
}

const std::string& Metrics::listening() const { return parts_->listening; }

void Metrics::submitted(Duration latency, bool accepted) {
  (accepted ? parts_->accepted : parts_->refused).Observe(std::chrono::duration<double>(latency).count());
}

void Metrics::stop() {
  parts_->server.reset();  // blocks until a scrape in progress has ended
  if (parts_->follower) parts_->follower->stop();
  parts_->follower.reset();
}

}  // namespace weft::metrics
