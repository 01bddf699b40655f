// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/limit_meter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::worker {

std::string_view LimitMeter::update(const JobMeter& meter, TimePoint now) {
  constexpr Duration kShortest = std::chrono::seconds(1);
  const std::lock_guard lock(mutex_);
  const Point point{now,
                    meter.decode.busy(),
                    meter.copy.busy(),
                    Duration(meter.device_ns.load()),
                    meter.encode.busy(),
                    meter.file_calls.waited(now)};
  if (points_.empty() || now - points_.back().time >= kWindow / 50) points_.push_back(point);
  while (points_.size() > 2 && now - points_[1].time >= kWindow) points_.pop_front();
  const Point& from = points_.front();
  const Duration time = now - from.time;
  if (time < kShortest) return "";
  // The device has one timeline; the other stages run once in each lane.
  const int lanes = std::max(meter.lanes.load(), 1);
  using Stage = std::pair<Duration, std::string_view>;
  const Stage busiest = std::max({Stage{(point.decoding - from.decoding) / lanes, "decoding"},
                                  Stage{(point.copying - from.copying) / lanes, "copying"},
                                  Stage{point.device - from.device, "device"},
                                  Stage{(point.encoding - from.encoding) / lanes, "encoding"}});
  if (double(busiest.first.count()) < kLeastShare * double(time.count())) return "";
  const bool uses_files = busiest.second == "decoding" || busiest.second == "encoding";
  return uses_files && (point.disk - from.disk) / lanes > busiest.first / 2 ? "disk" : busiest.second;
}

}  // namespace weft::worker
