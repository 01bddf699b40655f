// SPDX-License-Identifier: Apache-2.0
// Converts values for the Prometheus library.
#pragma once

#include <string>
#include <vector>

#include <google/protobuf/duration.pb.h>
#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

namespace weft::metrics {

double seconds(const google::protobuf::Duration& duration);

// A gauge or counter with one value per set of labels.
class MetricValues {
 public:
  MetricValues(std::string name, std::string help, prometheus::MetricType type);
  MetricValues& add(double value, std::vector<prometheus::ClientMetric::Label> labels = {});
  prometheus::MetricFamily take() && { return std::move(family_); }

 private:
  prometheus::MetricFamily family_;
};

}  // namespace weft::metrics
