// SPDX-License-Identifier: Apache-2.0
// Tests the times of frames that decimate keeps: they are evenly spread, by integers of 128 bits.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gmock/gmock.h>

#include "server/filters/filter.h"
#include "server/graph/network.h"
#include "weft/v1/decimate.pb.h"

namespace weft::filters {
namespace {

using testing::HasSubstr;
__extension__ typedef __int128 Wide;

// Returns the filter's decision for pictures at these times, with the first picture of each cycle
// dropped.
std::shared_ptr<const FrameMap> decided(int cycle, const std::vector<RecordTimes>& times) {
  Network network;
  const Port source = network.set_source(PortFormat::picture({.width = 64, .height = 64}));
  v1::Decimate options;
  options.set_cycle(cycle);
  FilterContext context;
  context.path = "filters[0].decimate";
  EXPECT_THAT(expand_filter(context, options, network, source), IsOk());
  std::vector<std::byte> bytes;
  for (size_t unit = 0; unit < times.size(); unit++) {
    const uint32_t difference = unit % size_t(cycle) == 0 ? 0 : 100;
    const size_t at = bytes.size();
    bytes.resize(at + sizeof(RecordTimes) + sizeof(difference));
    std::memcpy(&bytes[at], &times[unit], sizeof(RecordTimes));
    std::memcpy(&bytes[at + sizeof(RecordTimes)], &difference, sizeof(difference));
  }
  const Records records{sizeof(uint32_t), bytes};
  const auto decision = network.analysis()->decide(records);
  EXPECT_THAT(decision, IsOk());
  return decision->map;
}

TEST(Decimate, WhatStaysIsSpreadEvenlyWhereverItLies) {
  for (uint32_t seed = 0; seed < 300; seed++) {
    std::mt19937_64 random(seed);
    const int cycle = 2 + int(random() % 24);
    // The times have 62 bits, divided by the cycle less 1.
    const int64_t most = (int64_t{1} << 62) / (cycle - 1) - 1;
    std::vector<RecordTimes> times(1 + random() % 80);
    for (RecordTimes& each : times)
      each = {int64_t(random() % uint64_t(2 * most)) - most, 1 + int64_t(random() % 9)};
    std::ranges::sort(times, {}, &RecordTimes::pts);
    const auto map = decided(cycle, times);
    size_t entry = 0;
    for (size_t begin = 0; begin < times.size(); begin += size_t(cycle)) {
      const size_t end = std::min(begin + size_t(cycle), times.size());
      const bool is_whole = end - begin == size_t(cycle);
      const auto kept = Wide(end - begin) - (is_whole ? 1 : 0);
      const Wide first = times[begin].pts;
      const Wide last = end < times.size() ? times[end].pts : times[end - 1].pts + times[end - 1].duration;
      for (Wide n = 0; n < kept; n++, entry++) {
        const auto time = [&](Wide i) {
          return int64_t(first * (cycle - 1) + i * (last - first) * (cycle - 1) / kept);
        };
        ASSERT_LT(entry, map->entries.size());
        ASSERT_EQ(map->entries[entry].pts, time(n)) << "seed " << seed << ", entry " << entry;
        ASSERT_EQ(map->entries[entry].duration, time(n + 1) - time(n))
            << "seed " << seed << ", entry " << entry;
      }
    }
    EXPECT_EQ(entry, map->entries.size());
  }
}

TEST(Decimate, ARatioWithoutANumberIsRefused) {
  Network network;
  StatusOr<Port> port = network.set_source(PortFormat::picture({.width = 64, .height = 64}));
  for (int filters = 1; filters <= 20; filters++) {
    v1::Decimate options;
    options.set_cycle(25);
    FilterContext context;
    context.path = fmt::format("filters[{}].decimate", filters);
    port = expand_filter(context, options, network, *port);
    if (!port.ok()) break;
    const Rate rate = network.rate(*port);
    EXPECT_NEAR(double(rate.numerator) / rate.denominator, std::pow(24.0 / 25, filters), 1e-12);
  }
  EXPECT_THAT(port, StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(port.status().message(), HasSubstr("a ratio whose terms exceed 2147483647"));
}

}  // namespace
}  // namespace weft::filters
