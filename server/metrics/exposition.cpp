// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/exposition.h"

#include <utility>

#include <google/protobuf/util/time_util.h>

namespace weft::metrics {
double seconds(const google::protobuf::Duration& duration) {
  return double(google::protobuf::util::TimeUtil::DurationToNanoseconds(duration)) * 1e-9;
}

MetricValues::MetricValues(std::string name, std::string help, prometheus::MetricType type) {
  family_.name = std::move(name);
  family_.help = std::move(help);
  family_.type = type;
}

MetricValues& MetricValues::add(double value, std::vector<prometheus::ClientMetric::Label> labels) {
  prometheus::ClientMetric metric;
  metric.label = std::move(labels);
  if (family_.type == prometheus::MetricType::Counter)
    metric.counter.value = value;
  else
    metric.gauge.value = value;
  family_.metric.push_back(std::move(metric));
  return *this;
}

}  // namespace weft::metrics
