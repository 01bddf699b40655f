// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/trace_report.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "server/worker/device/schedule_report.h"

namespace weft::worker {
namespace {

using internal::v1::FromWorker;

constexpr size_t kEventsOfCopy = 512;  // takes some 10 us, during which recording is blocked
constexpr int kChunkEvents = 4096;
constexpr int kScheduleLane = 0;

int64_t nanoseconds_of(TimePoint time) { return time.time_since_epoch().count(); }

class TraceSender {
 public:
  TraceSender(const internal::v1::ReadTrace& order, const DeviceLoop& loop,
              const std::function<void(const FromWorker&)>& send)
      : order_(order), loop_(loop), send_(send) {}

  void send_to(const std::string& device) {
    const TraceRing& ring = loop_.trace();
    const uint64_t until = ring.newest();
    FromWorker message = empty();
    message.mutable_trace_answer()->mutable_chunk()->set_device(device);
    for (uint64_t serial = 0; serial < until;) {
      const TraceRing::TraceChunk chunk = ring.after(serial, kEventsOfCopy);
      if (serial == 0) note_dropped(chunk, *message.mutable_trace_answer()->mutable_chunk());
      serial = chunk.serial;
      add(chunk, *message.mutable_trace_answer()->mutable_chunk());
      if (message.trace_answer().chunk().events_size() >= kChunkEvents)
        send_(std::exchange(message, empty()));
    }
    add_decisions(*message.mutable_trace_answer()->mutable_chunk());
    message.mutable_trace_answer()->set_last(true);
    send_(message);
  }

 private:
  FromWorker empty() const {
    FromWorker message;
    message.mutable_trace_answer()->set_request(order_.request());
    return message;
  }

  static void note_dropped(const TraceRing::TraceChunk& chunk, v1::ReadTraceResponse& response) {
    const uint64_t dropped = chunk.serial - chunk.works.size();
    if (dropped == 0 || chunk.works.empty()) return;
    response.set_events_dropped(int64_t(dropped));
    response.set_kept_from_ns(nanoseconds_of(chunk.works[0].start + chunk.works[0].duration));
  }

  void add(const TraceRing::TraceChunk& chunk, v1::ReadTraceResponse& response) {
    for (const TracedWork& work : chunk.works) {
      if (!order_.job_id().empty() && work.track->job != order_.job_id()) continue;
      begin_ = std::min(begin_, work.start);
      end_ = std::max(end_, work.start + work.duration);
      v1::TraceEvent& event = *response.add_events();
      event.set_category(work.category);
      event.set_lane(lane_of(work.track, response));
      event.set_start_ns(nanoseconds_of(work.start));
      event.set_duration_ns(work.duration.count());
      event.set_name(work.name);
      event.set_units(work.units);
    }
  }

  int lane_of(const std::shared_ptr<const TraceTrack>& track, v1::ReadTraceResponse& response) {
    const auto [found, is_new] = lanes_.try_emplace(track, int(lanes_.size()) + kScheduleLane + 1);
    if (is_new) {
      v1::TraceLane& lane = *response.add_lanes();
      lane.set_id(found->second);
      lane.set_name(track->name);
      lane.set_job_id(track->job);
      lane.set_stream(track->stream);
    }
    return found->second;
  }

  void add_decisions(v1::ReadTraceResponse& response) const {
    if (!order_.job_id().empty() && lanes_.empty()) return;
    v1::TraceLane& lane = *response.add_lanes();
    lane.set_id(kScheduleLane);
    lane.set_name("schedule");
    for (const schedule::Decision& decision : loop_.decisions_after(0, schedule::DecisionRing::kCapacity)) {
      if (!order_.job_id().empty() && (decision.time < begin_ || decision.time > end_)) continue;
      v1::TraceEvent& event = *response.add_events();
      event.set_category(v1::TRACE_CATEGORY_DECISION);
      event.set_lane(kScheduleLane);
      event.set_start_ns(nanoseconds_of(decision.time));
      event.set_name(schedule::name_of(decision.reason));
      event.set_units(decision.units);
      *event.mutable_decision() = to_message(decision);
    }
  }

  const internal::v1::ReadTrace& order_;
  const DeviceLoop& loop_;
  const std::function<void(const FromWorker&)>& send_;
  std::map<std::shared_ptr<const TraceTrack>, int> lanes_;
  TimePoint begin_ = TimePoint::max(), end_ = TimePoint::min();  // range of the events until now
};

}  // namespace

void send_trace(const internal::v1::ReadTrace& order, const std::string& device, const DeviceLoop& loop,
                const std::function<void(const FromWorker&)>& send) {
  TraceSender(order, loop, send).send_to(device);
}

}  // namespace weft::worker
