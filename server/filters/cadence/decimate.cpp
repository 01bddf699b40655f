// SPDX-License-Identifier: Apache-2.0
// Registers decimate, which drops repeated pictures: in each cycle the one with the least
// difference from its predecessor. An analysis of the whole input selects them. The remaining
// pictures are spread evenly over the time of the cycle.
#include <algorithm>
#include <cstring>

#include "kernels/video/frame_difference.kernel"
#include "server/filters/cadence/select.h"
#include "server/filters/nodes/picture_node.h"
#include "weft/v1/decimate.pb.h"

namespace weft::filters::registered {
namespace {

static_assert(int64_t{BLOCK_SIDE} * BLOCK_SIDE * UINT16_MAX <= INT32_MAX, "A block's sum is an int.");

class Difference final : public Node {
 public:
  explicit Difference(const device::Kernel* kernel) : kernel_(kernel) {
    descriptor_.name = "frame_difference";
    descriptor_.inputs = {{.before = 1, .after = 0}};
    descriptor_.outputs = {PortFormat::data("differences", sizeof(uint32_t))};
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      stream.fill(*step.arena, step.output_offset(0, unit), sizeof(uint32_t), std::byte{0});
    const auto params = frame_params<kernels::frame_difference::Params>(step, 1);
    const auto blocks = [](int side) { return uint32_t((side + BLOCK_SIDE - 1) / BLOCK_SIDE); };
    stream.launch(*kernel_, {blocks(params.width), blocks(params.height), uint32_t(step.units)}, params);
  }

 private:
  const device::Kernel* kernel_;
  NodeDescriptor descriptor_;
};

std::shared_ptr<FrameMap> map_of_cycle(int cycle) {
  auto map = std::make_shared<FrameMap>();
  map->time_divisor = cycle - 1;
  map->rate = {cycle - 1, cycle};
  return map;
}

uint32_t difference_of(const Records& records, size_t unit) {
  uint32_t difference = 0;
  std::memcpy(&difference, records.measured(unit).data(), sizeof(difference));
  return difference;
}

// An incomplete cycle at the end keeps all of its pictures.
StatusOr<AnalysisDecision> decide(const Records& records, int cycle) {
  const auto map = map_of_cycle(cycle);
  const size_t count = records.size();
  for (size_t begin = 0; begin < count; begin += size_t(cycle)) {
    const size_t end = std::min(begin + size_t(cycle), count);
    size_t dropped = end;
    if (end - begin == size_t(cycle)) {
      dropped = begin;
      for (size_t unit = begin; unit < end; unit++)
        if (difference_of(records, unit) < difference_of(records, dropped)) dropped = unit;
    }
    const RecordTimes last = records.times(end - 1);
    const int64_t begin_time = records.times(begin).pts * (cycle - 1);
    const int64_t end_pts = end < count ? records.times(end).pts : last.pts + last.duration;
    const int64_t span = end_pts * (cycle - 1) - begin_time;
    const int64_t kept = int64_t(end - begin) - (dropped < end ? 1 : 0);
    int64_t number = 0;
    for (size_t unit = begin; unit < end; unit++) {
      if (unit == dropped) continue;
      const auto time = [&](int64_t n) { return begin_time + n * (span / kept) + n * (span % kept) / kept; };
      map->entries.push_back({int64_t(unit), time(number), time(number + 1) - time(number), 0});
      number++;
    }
  }
  const size_t dropped = count - map->entries.size();
  return AnalysisDecision{.map = map,
                          .report = fmt::format("decimate drops {} of {} pictures.", dropped, count)};
}

StatusOr<Port> expand(const FilterContext& context, const v1::Decimate& options, Network& network,
                      Port input) {
  if (context.is_live)
    return invalid_argument(
        "The filter decimate has to see the whole video first, which a stream does not have; leave it out.");
  const PortFormat format = network.format(input);
  const int cycle = options.cycle();
  if (const auto decision = context.decision()) {
    if (decision->map == nullptr)
      return invalid_argument("The decision of decimate has no map of frames; measure again.");
    return add_select(network, input, decision->map);
  }
  ASSIGN_OR_RETURN(const device::Kernel* kernel, load_for(context, "video/frame_difference", format.video));
  ASSIGN_OR_RETURN(const Port records, network.add(std::make_unique<Difference>(kernel), {input}));
  RETURN_IF_ERROR(context.analyse(network, records,
                                  [cycle](const Records& measured) { return decide(measured, cycle); }));
  return add_select(network, input, map_of_cycle(cycle));
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"cycle: 2", {64, 48, Chroma::k422, 10}},
};

}  // namespace

extern const Registration kDecimate;
const Registration kDecimate = registration<v1::Decimate, expand>({}, kCases);

}  // namespace weft::filters::registered
