// SPDX-License-Identifier: Apache-2.0
// What the daemon does, as numbers that a Prometheus server scrapes over HTTP: http://HOST:PORT/metrics.
//
//   ASSIGN_OR_RETURN(auto metrics, Metrics::start("127.0.0.1:9464", queue));
//   metrics->submitted(latency, true);
//
// It follows the queue from outside, as a client does: a scrape never holds the queue up. The names, with their labels,
// are in docs/metrics.md.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/queue.h"

namespace weft::metrics {

// Thread-safe.
class Metrics {
 public:
  // Answers from here on. `listen`: HOST:PORT, port 0 for any free one. `queue` must outlive this object's stop().
  // UNAVAILABLE: nobody can listen there; another program may have the port.
  static StatusOr<std::unique_ptr<Metrics>> start(const std::string& listen, queue::Queue& queue);
  ~Metrics();  // stop()
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // With the port that was chosen for port 0.
  const std::string& listening() const;

  // A submit was answered after `latency`.
  void submitted(Duration latency, bool accepted);

  // Answers no more, and lets go of the queue.
  void stop();

 private:
  struct Parts;
  explicit Metrics(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft::metrics
