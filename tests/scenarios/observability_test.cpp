// SPDX-License-Identifier: Apache-2.0
// Tests timelines and the log of the real daemon. Protobuf's parser of JSON reads both.
#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "client/traces.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using google::protobuf::Struct;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

Struct parsed(const std::string& text) {
  Struct object;
  const auto status = google::protobuf::util::JsonStringToMessage(text, &object);
  EXPECT_TRUE(status.ok()) << status.ToString() << "\n" << text.substr(0, 2000);
  return object;
}

std::string word(const Struct& object, const std::string& name) {
  const auto found = object.fields().find(name);
  return found == object.fields().end() ? "" : found->second.string_value();
}

class ObservabilityTest : public ScenarioTest {
 protected:
  void start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    daemon_ = std::make_unique<Daemon>(path("daemon"), arguments);
    ASSERT_TRUE(daemon_->start());
    connection_ = client::Connection::open({.server = daemon_->address()}).value();
  }
  std::string finish_job() {
    const std::string id = daemon_->submit(request(clip(2), path(fmt::format("out{}.mkv", jobs_++))));
    EXPECT_EQ(daemon_->wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
    return id;
  }
  StatusOr<v1::ReadTraceResponse> trace_of_job(const std::string& id) {
    v1::ReadTraceRequest request;
    request.set_job_id(id);
    return client::read_trace(*connection_, request);
  }
  StatusOr<v1::ReadTraceResponse> trace_of_device(const std::string& device) {
    v1::ReadTraceRequest request;
    request.set_device(device);
    return client::read_trace(*connection_, request);
  }

  int jobs_ = 0;
  std::unique_ptr<Daemon> daemon_;
  std::shared_ptr<client::Connection> connection_;
};

// Expects that two spans of a lane are either apart or nested.
void expect_nested(const v1::ReadTraceResponse& trace) {
  std::map<int, std::vector<const v1::TraceEvent*>> lanes;
  for (const v1::TraceEvent& event : trace.events()) lanes[event.lane()].push_back(&event);
  for (auto& [lane, events] : lanes) {
    std::stable_sort(events.begin(), events.end(), [](const auto* a, const auto* b) {
      return std::pair(a->start_ns(), -a->duration_ns()) < std::pair(b->start_ns(), -b->duration_ns());
    });
    std::vector<const v1::TraceEvent*> open;
    for (const v1::TraceEvent* event : events) {
      EXPECT_GE(event->duration_ns(), 0);
      while (!open.empty() && open.back()->start_ns() + open.back()->duration_ns() <= event->start_ns())
        open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(event->start_ns() + event->duration_ns(),
                  open.back()->start_ns() + open.back()->duration_ns())
            << "lane " << lane << ": " << event->ShortDebugString() << " and "
            << open.back()->ShortDebugString();
      }
      open.push_back(event);
    }
  }
}

TEST_F(ObservabilityTest, ATraceShowsTheTimeOfAJob) {
  start();
  const std::string id = finish_job();
  const auto trace = trace_of_job(id);
  ASSERT_THAT(trace, IsOk());
  EXPECT_EQ(trace->device(), "cpu");
  EXPECT_EQ(trace->events_dropped(), 0);
  std::map<int, int64_t> time, units;
  std::set<int> categories;
  int64_t begin = 0, end = 0;
  for (const v1::TraceEvent& event : trace->events()) {
    categories.insert(event.category());
    time[event.category()] += event.duration_ns();
    units[event.category()] += event.units();
    if (event.name() != "attempt") continue;
    begin = event.start_ns();
    end = begin + event.duration_ns();
  }
  EXPECT_THAT(categories,
              IsSupersetOf({v1::TRACE_CATEGORY_DECODE, v1::TRACE_CATEGORY_UPLOAD, v1::TRACE_CATEGORY_NODES,
                            v1::TRACE_CATEGORY_DOWNLOAD, v1::TRACE_CATEGORY_ENCODE, v1::TRACE_CATEGORY_WAIT,
                            v1::TRACE_CATEGORY_DECISION, v1::TRACE_CATEGORY_JOB}));
  ASSERT_GT(end, begin);
  for (const v1::TraceEvent& event : trace->events()) {
    EXPECT_GE(event.start_ns(), begin) << event.ShortDebugString();
    EXPECT_LE(event.start_ns() + event.duration_ns(), end) << event.ShortDebugString();
  }
  for (const auto category : {v1::TRACE_CATEGORY_DECODE, v1::TRACE_CATEGORY_NODES, v1::TRACE_CATEGORY_ENCODE})
    EXPECT_LE(time[category], end - begin) << category;
  EXPECT_EQ(units[v1::TRACE_CATEGORY_NODES], 50) << "frames of the clip";
  EXPECT_EQ(units[v1::TRACE_CATEGORY_DOWNLOAD], 50);
  for (const v1::TraceLane& lane : trace->lanes())
    EXPECT_EQ(lane.job_id(), lane.id() == 0 ? "" : id) << lane.name();
  expect_nested(*trace);
}

TEST_F(ObservabilityTest, ATraceOfADeviceShowsItsJobsAndDecisions) {
  start();
  const std::set<std::string> ids{finish_job(), finish_job()};
  const auto trace = trace_of_device("cpu");
  ASSERT_THAT(trace, IsOk());
  std::set<std::string> jobs, reasons;
  for (const v1::TraceLane& lane : trace->lanes())
    if (!lane.job_id().empty()) jobs.insert(lane.job_id());
  EXPECT_EQ(jobs, ids);
  for (const v1::TraceEvent& event : trace->events())
    if (event.category() == v1::TRACE_CATEGORY_DECISION) reasons.insert(event.name());
  EXPECT_TRUE(reasons.contains("quantum")) << testing::PrintToString(reasons);
  expect_nested(*trace);
}

TEST_F(ObservabilityTest, TheCommandWritesWhatPerfettoReads) {
  start();
  const std::string id = finish_job();
  std::string words;
  ASSERT_EQ(run({WEFT, "--server", daemon_->address(), "trace", id, "-o", path("trace.json")}, &words), 0)
      << words;
  EXPECT_THAT(words, HasSubstr("perfetto"));
  std::set<std::string> phases, categories;
  const Struct object = parsed(read_file(path("trace.json")));
  for (const auto& event : object.fields().at("traceEvents").list_value().values()) {
    phases.insert(word(event.struct_value(), "ph"));
    categories.insert(word(event.struct_value(), "cat"));
  }
  EXPECT_THAT(phases, IsSupersetOf({"X", "M", "C"}));
  EXPECT_THAT(categories,
              IsSupersetOf({"decode", "upload", "nodes", "download", "encode", "wait", "decision"}));
  ASSERT_EQ(run({WEFT, "--server", daemon_->address(), "trace", "cpu"}, &words), 0) << words;
  EXPECT_FALSE(parsed(words).fields().at("traceEvents").list_value().values().empty());
}

TEST_F(ObservabilityTest, AnErrorSaysWhyThereIsNoTrace) {
  start();
  EXPECT_THAT(trace_of_device("cuda:77"), StatusIs(StatusCode::kNotFound, "cuda:77"));
  EXPECT_THAT(trace_of_job("01ABCDEFGH"), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(trace_of_job(""), StatusIs(StatusCode::kInvalidArgument));
  const std::string id = finish_job();
  ASSERT_THAT(trace_of_job(id), IsOk());
  // A new worker has no timelines of the previous worker's jobs.
  const auto before = daemon_->device("cpu");
  ASSERT_TRUE(before.has_value());
  ASSERT_EQ(::kill(pid_t(before->worker_pid()), SIGKILL), 0);
  ASSERT_TRUE(wait_until([&] {
    const auto now = daemon_->device("cpu");
    return now && now->worker_starts() == 2 && now->state() == v1::DEVICE_STATE_IN_SERVICE;
  }));
  EXPECT_THAT(trace_of_job(id), StatusIs(StatusCode::kFailedPrecondition, "keeps no event of the job"));
}

TEST_F(ObservabilityTest, EachLineOfTheLogIsAnObject) {
  start({"--log-format", "json", "--log-level", "debug"});
  const std::string id = finish_job();
  EXPECT_EQ(daemon_->stop(), 0);
  std::set<std::string> programs, attempts;
  std::istringstream lines(daemon_->log());
  for (std::string line; std::getline(lines, line);) {
    const Struct object = parsed(line);
    for (const char* member : {"time", "level", "program", "message"})
      EXPECT_NE(word(object, member), "") << line;
    programs.insert(word(object, "program"));
    if (word(object, "job") == id)
      attempts.insert(fmt::format("{} {} {}", word(object, "program"), word(object, "device"),
                                  object.fields().at("attempt").number_value()));
  }
  EXPECT_EQ(programs, (std::set<std::string>{"weftd", "weft-worker"}));
  EXPECT_TRUE(attempts.contains("weft-worker cpu 1")) << testing::PrintToString(attempts);
}

}  // namespace
}  // namespace weft::scenarios
