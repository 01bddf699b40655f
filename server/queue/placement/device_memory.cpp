// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/device_memory.h"

#include <algorithm>

#include "base/status.h"

namespace weft::queue {
namespace {

// Key of all streams together. No job has such an id.
constexpr const char* kStreams = "streams";

// Returns the number of halvings of the largest batch that fits, or nullopt.
std::optional<int> halvings_that_fit(const DeviceNeed& need, int64_t free) {
  for (size_t times = 0; times < need.bytes.size(); times++)
    if (need.bytes[times] <= free) return int(times);
  return std::nullopt;
}

}  // namespace

DeviceNeed device_need_of(const v1::JobEstimate& estimate) {
  return {{estimate.device_bytes().begin(), estimate.device_bytes().end()}, estimate.segment_device_bytes()};
}

std::string describe(const DeviceRoom& room) {
  const std::string wanted = text_of_bytes(room.wanted), limit = text_of_bytes(room.limit);
  if (room.kind == DeviceRoom::Kind::kTooSmall)
    return fmt::format("it needs {} of the device's memory, and jobs may take {}", wanted, limit);
  std::string text = fmt::format("it needs {} of the device's memory, {} of {} are free", wanted,
                                 text_of_bytes(room.free), limit);
  if (room.kind == DeviceRoom::Kind::kOthers)
    text += fmt::format(", other programs and the driver use {}", text_of_bytes(room.others));
  return text;
}

void DeviceMemory::set_device(const v1::DeviceStatus& device, bool is_shared) {
  all_ = is_shared ? 0 : device.memory_bytes();
  if (device.state() == v1::DEVICE_STATE_STARTING) set_use({});
  update();
}

void DeviceMemory::set_use(const v1::DeviceSample& sample) {
  int64_t streams = 0;
  for (const v1::StreamSample& stream : sample.streams()) streams += stream.device_bytes();
  budget_.take(kStreams, streams);
  budget_.set_used(sample.memory_used_bytes());
  others_ = sample.readings().memory_other_bytes();
  update();
}

// A limit of 0 would mean that everything fits.
void DeviceMemory::update() { budget_.set_limit(all_ == 0 ? 0 : std::max<int64_t>(most() - others_, 1)); }

int64_t DeviceMemory::most() const { return all_ - std::min(kDeviceMarginBytes, all_ / kDeviceMarginShare); }

std::optional<int64_t> DeviceMemory::free() const {
  return all_ == 0 ? std::nullopt : std::optional(budget_.free());
}

DeviceRoom DeviceMemory::room_for(const DeviceNeed& need) const {
  using Kind = DeviceRoom::Kind;
  if (all_ == 0 || need.bytes.empty()) return {};
  DeviceRoom room{Kind::kFits, need.least(), budget_.free(), most(), others_};
  if (const auto halvings = halvings_that_fit(need, room.free))
    room.wanted = need.bytes[size_t(*halvings)];
  else
    room.kind = need.least() > most()               ? Kind::kTooSmall
                : !budget_.fits_alone(need.least()) ? Kind::kOthers
                                                    : Kind::kTaken;
  return room;
}

MemoryGrant DeviceMemory::grant(const DeviceNeed& need, int most_segments) const {
  if (all_ == 0 || need.bytes.empty()) return {.segments_at_once = most_segments};
  MemoryGrant grant;
  grant.batch_halvings = halvings_that_fit(need, budget_.free()).value_or(int(need.bytes.size()) - 1);
  grant.device_bytes = need.bytes[size_t(grant.batch_halvings)];
  if (grant.batch_halvings > 0) return grant;
  const int segments = budget_.segments_at_once(grant.device_bytes, need.segment_bytes);
  grant.segments_at_once = std::min(segments, most_segments);
  grant.device_bytes += (grant.segments_at_once - 1) * need.segment_bytes;
  return grant;
}

}  // namespace weft::queue
