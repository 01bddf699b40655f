// SPDX-License-Identifier: Apache-2.0
#include "client/traces.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include <google/protobuf/util/time_util.h>

#include "base/printable.h"
#include "client/channel.h"
#include "options/option.h"

namespace weft::client {
namespace {

using google::protobuf::util::TimeUtil;

class ChromeTrace {
 public:
  explicit ChromeTrace(const v1::ReadTraceResponse& trace) : trace_(trace) {
    for (const v1::TraceEvent& event : trace.events()) base_ns_ = std::min(base_ns_, event.start_ns());
    if (trace.events().empty()) base_ns_ = 0;
    for (const v1::TraceLane& lane : trace.lanes()) lanes_[lane.id()] = &lane;
  }

  std::string text() {
    fmt::format_to(
        out(), R"({{"displayTimeUnit":"ms","otherData":{{"device":{},"clock_base_ns":{},"events_dropped":{})",
        json_string(trace_.device()), base_ns_, trace_.events_dropped());
    if (trace_.events_dropped() > 0)
      fmt::format_to(out(), R"(,"kept_from_us":{:.3f})", microseconds(trace_.kept_from_ns() - base_ns_));
    text_ += "},\"traceEvents\":[";
    for (const auto& [id, lane] : lanes_) add_names(*lane);
    std::vector<const v1::TraceEvent*> events;
    for (const v1::TraceEvent& event : trace_.events()) events.push_back(&event);
    // Sorts an enclosing event before the events inside it.
    std::stable_sort(events.begin(), events.end(), [](const v1::TraceEvent* a, const v1::TraceEvent* b) {
      return std::tuple(a->start_ns(), -a->duration_ns()) < std::tuple(b->start_ns(), -b->duration_ns());
    });
    for (const v1::TraceEvent* event : events) add(*event);
    add_units_on_device(events);
    return std::move(text_) + "\n]}\n";
  }

 private:
  std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }
  static double microseconds(int64_t nanoseconds) { return double(nanoseconds) / 1000; }

  // Begins a new event; its members are added afterwards.
  void begin(const char* phase) {
    text_ += is_first_ ? "\n{" : ",\n{";
    is_first_ = false;
    fmt::format_to(out(), R"("ph":"{}")", phase);
  }

  // Returns the number of the process for a job or stream. 1 is the device's schedule.
  int process_of(const v1::TraceLane& lane) {
    if (lane.job_id().empty() && lane.stream() == 0) return 1;
    const auto [found, is_new] =
        processes_.try_emplace(std::pair(lane.job_id(), lane.stream()), int(processes_.size()) + 2);
    return found->second;
  }

  void add_names(const v1::TraceLane& lane) {
    const int process = process_of(lane);
    if (!named_[process]) {
      named_[process] = true;
      const std::string name = !lane.job_id().empty() ? "job " + lane.job_id()
                               : lane.stream() > 0    ? fmt::format("stream {}", lane.stream())
                                                      : trace_.device();
      begin("M");
      fmt::format_to(out(), R"(,"name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", process,
                     json_string(name));
    }
    begin("M");
    fmt::format_to(out(), R"(,"name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process,
                   lane.id(), json_string(lane.name()));
  }

  void add(const v1::TraceEvent& event) {
    const auto lane = lanes_.find(event.lane());
    if (lane == lanes_.end()) return;
    begin("X");
    fmt::format_to(out(), R"(,"name":{},"cat":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{)",
                   json_string(event.name()), options::choice_name(event.category()),
                   process_of(*lane->second), event.lane(), microseconds(event.start_ns() - base_ns_),
                   microseconds(event.duration_ns()));
    if (event.has_decision())
      add_decision(event.decision());
    else if (event.units() > 0)
      fmt::format_to(out(), R"("units":{})", event.units());
    text_ += "}}";
  }

  void add_decision(const v1::ScheduleDecision& decision) {
    const std::string work_class = options::choice_name(decision.work_class());
    fmt::format_to(out(), R"("units":{},"work_class":{})", decision.units(), json_string(work_class));
    const auto add_time = [&](const char* name, bool is_known, const google::protobuf::Duration& time) {
      if (is_known)
        fmt::format_to(out(), R"(,"{}_us":{:.3f})", name,
                       microseconds(TimeUtil::DurationToNanoseconds(time)));
    };
    add_time("spare", decision.has_spare(), decision.spare());
    add_time("budget", decision.has_budget(), decision.budget());
    add_time("gap", decision.has_gap(), decision.gap());
    add_time("predicted", decision.has_predicted(), decision.predicted());
    add_time("real", decision.has_real(), decision.real());
  }

  // Adds a counter that increases at the start of a batch and decreases at its end.
  void add_units_on_device(const std::vector<const v1::TraceEvent*>& events) {
    std::vector<std::pair<int64_t, int64_t>> changes;
    for (const v1::TraceEvent* event : events) {
      if (event->category() != v1::TRACE_CATEGORY_NODES) continue;
      changes.emplace_back(event->start_ns(), event->units());
      changes.emplace_back(event->start_ns() + event->duration_ns(), -event->units());
    }
    std::sort(changes.begin(), changes.end());
    int64_t units = 0;
    for (const auto& [time, change] : changes) {
      units += change;
      begin("C");
      fmt::format_to(out(),
                     R"(,"name":"units on the device","pid":1,"tid":0,"ts":{:.3f},"args":{{"units":{}}}}})",
                     microseconds(time - base_ns_), units);
    }
  }

  const v1::ReadTraceResponse& trace_;
  int64_t base_ns_ = std::numeric_limits<int64_t>::max();
  std::map<int, const v1::TraceLane*> lanes_;
  std::map<std::pair<std::string, uint64_t>, int> processes_;
  std::map<int, bool> named_;
  std::string text_;
  bool is_first_ = true;
};

}  // namespace

StatusOr<v1::ReadTraceResponse> read_trace(Connection& connection, const v1::ReadTraceRequest& request,
                                           const std::stop_token& stop) {
  v1::ReadTraceResponse trace;
  const std::function<bool(const v1::ReadTraceResponse&)> receive = [&](const v1::ReadTraceResponse& chunk) {
    trace.MergeFrom(chunk);
    return true;
  };
  const Stubs& stubs = connection.stubs();
  RETURN_IF_ERROR(
      read_stream(stubs, *stubs.traces, &v1::TraceService::Stub::ReadTrace, request, receive, stop));
  if (stop.stop_requested()) return cancelled("The request of the timeline was cancelled.");
  return trace;
}

std::string chrome_trace(const v1::ReadTraceResponse& trace) { return ChromeTrace(trace).text(); }

}  // namespace weft::client
