// SPDX-License-Identifier: Apache-2.0
// Tests a filter with two analyses, in its own registry. The second analysis depends on the
// decision of the first.
#include <gmock/gmock.h>

#include "server/filters/filter.h"
#include "server/graph/pipeline.h"
#include "weft/v1/decimate.pb.h"

namespace weft::filters {
namespace {

using testing::ElementsAre;

// Measures one byte of a unit.
class Measure final : public Node {
 public:
  explicit Measure(const char* element) {
    descriptor_.name = element;
    descriptor_.inputs = {Window()};
    descriptor_.outputs = {PortFormat::data(element, 1)};
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      stream.copy(*step.arena, step.output_offset(0, unit), *step.arena, step.input_offset(0, unit), 1);
  }

 private:
  NodeDescriptor descriptor_;
};

// Returns a decision: the sum of the measurements plus `more`.
Decide sum_plus(int more) {
  return [more](const Records& records) {
    int sum = more;
    for (size_t unit = 0; unit < records.size(); unit++) sum += int(records.measured(unit)[0]);
    AnalysisDecision decision;
    decision.bytes = {std::byte(sum)};
    decision.report = fmt::format("The sum is {}.", sum);
    return StatusOr<AnalysisDecision>(decision);
  };
}

StatusOr<Port> expand(const FilterContext& context, const v1::Decimate&, Network& network, Port input) {
  int before = 0;
  for (const char* name : {"first", "second"}) {
    if (const auto decision = context.decision(name)) {
      before += int(decision->bytes.at(0));
      continue;
    }
    ASSIGN_OR_RETURN(const Port records, network.add(std::make_unique<Measure>(name), {input}));
    RETURN_IF_ERROR(context.analyse(network, records, sum_plus(before), name));
  }
  return input;
}

const Registration kTwice = registration<v1::Decimate, expand>({}, {});

}  // namespace

std::span<const Registration* const> filter_table() {
  static const Registration* const kTable[] = {&kTwice};
  return kTable;
}

namespace {

constexpr VideoFormat kFormat{.width = 16, .height = 16, .chroma = Chroma::kGray, .bit_depth = 8};

StatusOr<Network> network_of(device::Device* device, const Decisions& decisions) {
  v1::Decimate options;
  options.set_cycle(2);
  const google::protobuf::Message* const chain[] = {&options, &options};
  Network network;
  const Port source = network.set_source(PortFormat::picture(kFormat));
  FilterContext context;
  context.device = device;
  context.decisions = &decisions;
  context.path = "filters";
  RETURN_IF_ERROR(expand_network(context, chain, network, source).status());
  return network;
}

// Returns the records of three frames with the values 1, 2 and 3.
std::vector<std::byte> measured(device::Device& device, Network network) {
  auto pipeline = Pipeline::make(device, std::move(network), {}).value();
  std::vector<std::byte> records;
  for (int i = 1; i <= 3; i++) {
    *pipeline->stage().value().data[0] = std::byte(i);
    pipeline->push({.pts = i});
  }
  pipeline->finish();
  while (!pipeline->is_empty()) {
    pipeline->submit(4);
    const auto unit = pipeline->pop().value();
    if (!unit) continue;
    records.resize(records.size() + sizeof(RecordTimes));
    records.push_back(unit->data[0][0]);
  }
  return records;
}

TEST(Analysis, AFilterHasSeveralOneAfterTheOther) {
  const std::vector<device::DeviceInfo> infos = device::list_devices_and_twins(nullptr);
  const auto device =
      device::open_device(*std::ranges::find(infos, device::BackendKind::kCpu, &device::DeviceInfo::kind))
          .value();
  Decisions decisions;
  std::vector<std::string> names, reports;
  for (int passes = 0; passes < 10; passes++) {
    Network network = network_of(device.get(), decisions).value();
    if (!network.analysis()) break;
    const Analysis analysis = *network.analysis();
    EXPECT_EQ(network.outputs().size(), 1u) << "the network ends with the records";
    const std::vector<std::byte> records = measured(*device, std::move(network));
    const auto decision = std::make_shared<AnalysisDecision>(analysis.decide({1, records}).value());
    names.push_back(analysis.name);
    reports.push_back(decision->report);
    decisions[analysis.name] = decision;
  }
  EXPECT_THAT(names, ElementsAre("filters[0].decimate/first", "filters[0].decimate/second",
                                 "filters[1].decimate/first", "filters[1].decimate/second"));
  EXPECT_THAT(reports, ElementsAre("The sum is 6.", "The sum is 12.", "The sum is 6.", "The sum is 12."));
  EXPECT_EQ(network_of(device.get(), decisions)->format({0}), PortFormat::picture(kFormat));
}

// Without a device no analysis runs, but the whole chain is described.
TEST(Analysis, ADescriptionGoesOnBehindTheFirst) {
  const auto network = network_of(nullptr, {});
  ASSERT_THAT(network, IsOk());
  ASSERT_TRUE(network->analysis().has_value());
  EXPECT_EQ(network->analysis()->name, "filters[0].decimate/first");
  EXPECT_EQ(network->outputs(), std::vector<int>{0});
}

}  // namespace
}  // namespace weft::filters
