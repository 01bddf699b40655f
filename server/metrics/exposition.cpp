// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/exposition.h"

#include <exception>

#include <google/protobuf/util/time_util.h>

namespace weft::metrics {
namespace {

// A connection that says nothing holds a thread until its time is up.
constexpr const char* kHttpThreads = "16";
constexpr const char* kRequestTimeoutMs = "1000";

}  // namespace

double seconds(const google::protobuf::Duration& duration) {
  return double(google::protobuf::util::TimeUtil::DurationToNanoseconds(duration)) * 1e-9;
}

StatusOr<std::unique_ptr<prometheus::Exposer>> listen_at(const std::string& address) {
  try {
    return std::make_unique<prometheus::Exposer>(
        std::vector<std::string>{"listening_ports", address, "num_threads", kHttpThreads,
                                 "request_timeout_ms", kRequestTimeoutMs, "enable_keep_alive", "no"});
  } catch (const std::exception& error) {
    return unavailable("Metrics cannot be offered at {} ({}); another program may have the port.", address,
                       error.what());
  }
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
