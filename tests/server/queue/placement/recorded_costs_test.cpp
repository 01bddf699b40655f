// SPDX-License-Identifier: Apache-2.0
// Compares predictions for filters that a device never ran with measured times. A prediction
// follows from the nodes' declared work and the device's rates.
#include "tests/server/queue/placement/recorded_costs.h"

#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "options/values.h"
#include "server/filters/filter.h"
#include "server/graph/unit_work.h"
#include "server/queue/placement/device_speed.h"

namespace weft::queue {
namespace {

// largest permitted factors between prediction and measurement
constexpr double kByteBound = 2, kArithmeticBound = 4;

graph::NetworkWork work_of(std::string_view name, std::string_view options, const VideoFormat& format) {
  const filters::Registration* const filter = filters::find_filter(name);
  EXPECT_NE(filter, nullptr) << name;
  const std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(filter->message())->New());
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(options), message.get())) << options;
  options::apply_defaults(*message);
  graph::Network network;
  const graph::Port source = network.set_source(graph::PortFormat::picture(format));
  const auto pictures = filters::expand_filter({}, *message, network, source);
  EXPECT_THAT(pictures, IsOk()) << name;
  EXPECT_THAT(network.set_outputs({*pictures}), IsOk()) << name;
  return graph::unit_work(network);
}

WorkKind kind_of(const graph::NetworkWork& work) {
  return {"key", "pace", work.bytes, work.operations, work.launches};
}

TEST(RecordedCosts, ArePredictedByWhatTheNodesState) {
  for (const RecordedDevice& device : kRecordedDevices)
    for (const RecordedCost& cost : device.costs) {
      const graph::NetworkWork work =
          work_of(cost.filter, cost.options, {cost.width, cost.height, Chroma::k420, 8});
      const double bytes_seconds = work.bytes / device.rates.bytes_per_second;
      const double predicted = predicted_cost(kind_of(work), device.rates), taken = cost.us * 1e-6;
      const double factor = std::max(predicted / taken, taken / predicted);
      EXPECT_LE(factor, bytes_seconds >= predicted / 2 ? kByteBound : kArithmeticBound) << fmt::format(
          "{} {} {}x{} on {}: {:.1f} us predicted ({:.1f} by bytes), {:.1f} us taken", cost.filter,
          cost.options, cost.width, cost.height, device.name, predicted * 1e6, bytes_seconds * 1e6, cost.us);
    }
}

TEST(RecordedCosts, AChainTakesWhatItsFiltersTake) {
  const VideoFormat format{720, 480, Chroma::k420, 8};
  const PredictionRates& rates = kRecordedDevices[0].rates;
  const auto seconds = [&](std::string_view name, std::string_view options) {
    return predicted_cost(kind_of(work_of(name, options, format)), rates);
  };
  EXPECT_GT(seconds("nnedi", ""), 20 * seconds("bwdif", ""));
  EXPECT_GT(seconds("qtgmc", ""), 20 * seconds("bwdif", ""));
  EXPECT_EQ(predicted_cost(WorkKind{"key", "pace"}, rates), 0) << "nothing is stated";
}

}  // namespace
}  // namespace weft::queue
