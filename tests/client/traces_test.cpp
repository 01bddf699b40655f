// SPDX-License-Identifier: Apache-2.0
// Tests traces with protobuf's JSON parser.
#include "client/traces.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

namespace weft::client {
namespace {

using google::protobuf::Struct;

v1::TraceEvent& add(v1::ReadTraceResponse& trace, v1::TraceCategory category, int lane, int64_t start,
                    int64_t duration) {
  v1::TraceEvent& event = *trace.add_events();
  event.set_category(category);
  event.set_lane(lane);
  event.set_start_ns(start);
  event.set_duration_ns(duration);
  event.set_name("work");
  return event;
}

v1::ReadTraceResponse trace_of_a_job() {
  v1::ReadTraceResponse trace;
  trace.set_device("cuda:0");
  trace.set_events_dropped(9);
  trace.set_kept_from_ns(1'000'500);
  for (const auto& [id, name] : std::map<int, std::string>{{0, "schedule"}, {1, "input"}, {2, "nodes"}}) {
    v1::TraceLane& lane = *trace.add_lanes();
    lane.set_id(id);
    lane.set_name(name);
    if (id > 0) lane.set_job_id("01ABC");
  }
  add(trace, v1::TRACE_CATEGORY_WAIT, 1, 1'000'250, 1'500);
  add(trace, v1::TRACE_CATEGORY_DECODE, 1, 1'000'250, 2'000);  // this span contains the wait
  add(trace, v1::TRACE_CATEGORY_NODES, 2, 1'004'000, 1'000).set_units(3);
  v1::TraceEvent& decision = add(trace, v1::TRACE_CATEGORY_DECISION, 0, 1'000'000, 0);
  decision.mutable_decision()->set_units(3);
  decision.mutable_decision()->set_work_class(v1::WORK_CLASS_SPARE);
  decision.mutable_decision()->mutable_predicted()->set_nanos(1'250);
  return trace;
}

std::vector<Struct> events_of(const std::string& text, const std::string& phase, Struct* whole = nullptr) {
  Struct object;
  const auto status = google::protobuf::util::JsonStringToMessage(text, &object);
  EXPECT_TRUE(status.ok()) << status.ToString() << text;
  std::vector<Struct> events;
  for (const auto& event : object.fields().at("traceEvents").list_value().values())
    if (event.struct_value().fields().at("ph").string_value() == phase)
      events.push_back(event.struct_value());
  if (whole != nullptr) *whole = object;
  return events;
}
double number(const Struct& event, const char* name) { return event.fields().at(name).number_value(); }
std::string word(const Struct& event, const char* name) { return event.fields().at(name).string_value(); }

TEST(ChromeTraceTest, EventsHaveTimesInMicrosecondsSinceTheFirst) {
  Struct whole;
  const auto events = events_of(chrome_trace(trace_of_a_job()), "X", &whole);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(word(events[0], "cat"), "decision");
  EXPECT_EQ(word(events[0].fields().at("args").struct_value(), "work_class"), "spare");
  EXPECT_EQ(number(events[0], "ts"), 0);
  EXPECT_EQ(number(events[0].fields().at("args").struct_value(), "predicted_us"), 1.25);
  EXPECT_EQ(word(events[1], "cat"), "decode") << "the one around the other is first";
  EXPECT_EQ(number(events[1], "ts"), 0.25);
  EXPECT_EQ(number(events[1], "dur"), 2);
  EXPECT_EQ(word(events[2], "cat"), "wait");
  EXPECT_EQ(number(events[3].fields().at("args").struct_value(), "units"), 3);
  const Struct& other = whole.fields().at("otherData").struct_value();
  EXPECT_EQ(number(other, "events_dropped"), 9);
  EXPECT_EQ(number(other, "kept_from_us"), 0.5);
}

TEST(ChromeTraceTest, ProcessesAndThreadsHaveNames) {
  std::map<std::string, std::string> names;
  for (const Struct& event : events_of(chrome_trace(trace_of_a_job()), "M"))
    names[fmt::format("{} {} {}", word(event, "name"), number(event, "pid"), number(event, "tid"))] =
        word(event.fields().at("args").struct_value(), "name");
  EXPECT_EQ(names, (std::map<std::string, std::string>{{"process_name 1 0", "cuda:0"},
                                                       {"process_name 2 0", "job 01ABC"},
                                                       {"thread_name 1 0", "schedule"},
                                                       {"thread_name 2 1", "input"},
                                                       {"thread_name 2 2", "nodes"}}));
}

TEST(ChromeTraceTest, ACounterFollowsTheUnitsOnTheDevice) {
  const auto events = events_of(chrome_trace(trace_of_a_job()), "C");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(number(events[0], "ts"), 4);
  EXPECT_EQ(number(events[0].fields().at("args").struct_value(), "units"), 3);
  EXPECT_EQ(number(events[1], "ts"), 5);
  EXPECT_EQ(number(events[1].fields().at("args").struct_value(), "units"), 0);
}

TEST(ChromeTraceTest, ATraceWithoutEventsIsOne) { EXPECT_TRUE(events_of(chrome_trace({}), "X").empty()); }

}  // namespace
}  // namespace weft::client
