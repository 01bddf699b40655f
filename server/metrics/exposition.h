// SPDX-License-Identifier: Apache-2.0
// The HTTP side: addresses, and values that are asked for at each scrape.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <google/protobuf/duration.pb.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>

#include "base/status.h"

namespace weft::metrics {

double seconds(const google::protobuf::Duration& duration);

// Listens at HOST:PORT. UNAVAILABLE: see Metrics::start.
StatusOr<std::unique_ptr<prometheus::Exposer>> listen_at(const std::string& address);

// A gauge or counter with one value for each set of labels.
class MetricValues {
 public:
  MetricValues(std::string name, std::string help, prometheus::MetricType type);
  MetricValues& add(double value, std::vector<prometheus::ClientMetric::Label> labels = {});
  prometheus::MetricFamily take() && { return std::move(family_); }

 private:
  prometheus::MetricFamily family_;
};

// Asks at each scrape.
class Asked final : public prometheus::Collectable {
 public:
  using Ask = std::function<std::vector<prometheus::MetricFamily>()>;
  explicit Asked(Ask ask) : ask_(std::move(ask)) {}
  std::vector<prometheus::MetricFamily> Collect() const override { return ask_(); }

 private:
  const Ask ask_;
};

}  // namespace weft::metrics
