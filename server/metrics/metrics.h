// SPDX-License-Identifier: Apache-2.0
// Serves Prometheus at http://HOST:PORT/metrics and health checks at http://HOST:PORT/healthz.
//
//   ASSIGN_OR_RETURN(auto metrics, Metrics::start("127.0.0.1:9464", queue, health));
//   metrics->submitted(latency, true);
//
// The metrics follow the changes of the queue as a client does: a scrape never blocks the queue.
// docs/metrics.md lists the metrics and their labels.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/queue.h"

namespace weft::metrics {

// Thread-safe.
class Metrics {
 public:
  // Starts the endpoint. `listen` is HOST:PORT; port 0 selects a free port. `queue` must outlive
  // stop(). `health` returns the reason for which the daemon accepts no jobs, or an empty string if
  // it accepts jobs; any thread may call it. UNAVAILABLE: the address cannot be used, for example
  // because another program has the port.
  static StatusOr<std::unique_ptr<Metrics>> start(const std::string& listen, queue::Queue& queue,
                                                  std::function<std::string()> health);
  ~Metrics();  // calls stop()
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Returns the address with the port in use.
  const std::string& listening() const;

  // Records the answer to a submission and its latency.
  void submitted(Duration latency, bool accepted);

  // Stops the endpoint and releases the queue.
  void stop();

 private:
  struct Parts;
  explicit Metrics(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft::metrics
