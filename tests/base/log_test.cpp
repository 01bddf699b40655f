// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

namespace weft {
namespace {

using ::testing::IsEmpty;
using ::testing::MatchesRegex;

std::string written(const LogOptions& options, const std::function<void()>& log) {
  EXPECT_THAT(start_log(options), IsOk());
  testing::internal::CaptureStderr();
  log();
  return testing::internal::GetCapturedStderr();
}

// Returns the line as parsed by protobuf's parser; it must be one object of JSON.
google::protobuf::Struct parsed(const std::string& line) {
  google::protobuf::Struct object;
  const auto status = google::protobuf::util::JsonStringToMessage(line, &object);
  EXPECT_TRUE(status.ok()) << line << status.ToString();
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
  return object;
}

std::string member(const google::protobuf::Struct& object, const std::string& name) {
  const auto found = object.fields().find(name);
  return found == object.fields().end() ? "" : found->second.string_value();
}

TEST(LogTest, AJsonLineHasItsFieldsAsMembers) {
  const auto object = parsed(written({.program = "weftd", .level = "info", .format = LogFormat::kJson}, [] {
    log_warning({.job = "01ABC", .attempt = 2, .stream = 7, .device = "cuda:0"}, "The input changed: {}", 3);
  }));
  EXPECT_THAT(member(object, "time"), MatchesRegex("....-..-..T..:..:..[.]...Z"));
  EXPECT_EQ(member(object, "level"), "warning");
  EXPECT_EQ(member(object, "program"), "weftd");
  EXPECT_EQ(member(object, "device"), "cuda:0");
  EXPECT_EQ(member(object, "job"), "01ABC");
  EXPECT_EQ(object.fields().at("attempt").number_value(), 2);
  EXPECT_EQ(object.fields().at("stream").number_value(), 7);
  EXPECT_EQ(member(object, "message"), "The input changed: 3");
  EXPECT_EQ(object.fields_size(), 8);
}

TEST(LogTest, AJsonLineHasNoMembersOfFieldsThatAreNotKnown) {
  const auto object = parsed(
      written({.program = "weftd", .level = "info", .format = LogFormat::kJson}, [] { log_info("Word."); }));
  EXPECT_EQ(object.fields_size(), 4);
}

TEST(LogTest, AJsonLineHasTheDeviceOfItsProcess) {
  const LogOptions options{
      .program = "weft-worker", .level = "info", .format = LogFormat::kJson, .device = "cpu"};
  EXPECT_EQ(member(parsed(written(options, [] { log_info("Word."); })), "device"), "cpu");
}

TEST(LogTest, JsonCarriesTextAsItIs) {
  const std::string text = "a\"b\\c\n\x1b[31m\t\xe2\x80\xae \xc3\xa9 \xf0\x9f\x98\x80";
  const auto object = parsed(
      written({.program = "x", .level = "info", .format = LogFormat::kJson}, [&] { log_error("{}", text); }));
  EXPECT_EQ(member(object, "message"), text);
  EXPECT_EQ(member(object, "level"), "error");
}

TEST(LogTest, JsonReplacesBytesThatAreNoText) {
  const auto object = parsed(written({.program = "x", .level = "info", .format = LogFormat::kJson},
                                     [] { log_info("{}", "a\xff"); }));
  EXPECT_EQ(member(object, "message"), "a\xef\xbf\xbd");
}

TEST(LogTest, TextBeginsWithTheFields) {
  const std::string line = written({.program = "weftd", .level = "info", .format = LogFormat::kJournal}, [] {
    log_info({.job = "01ABC", .attempt = 2, .device = "cpu"}, "One.");
    log_info({.stream = 7, .program = "weft-worker"}, "Two.");
    log_info("Three.");
  });
  EXPECT_EQ(line,
            "info weftd: [cpu] [01ABC #2] One.\ninfo weftd: [weft-worker] [stream 7] Two.\ninfo weftd: "
            "Three.\n");
}

TEST(LogTest, ALevelLeavesOutWhatIsBelowIt) {
  const auto log = [] {
    log_debug("a");
    log_info("b");
    log_warning("c");
    log_error("d");
  };
  const auto lines = [&](const std::string& level) {
    return written({.program = "x", .level = level, .format = LogFormat::kJournal}, log);
  };
  EXPECT_EQ(lines("debug"), "debug x: a\ninfo x: b\nwarning x: c\nerror x: d\n");
  EXPECT_EQ(lines("info"), "info x: b\nwarning x: c\nerror x: d\n");
  EXPECT_EQ(lines("warning"), "warning x: c\nerror x: d\n");
  EXPECT_EQ(lines("error"), "error x: d\n");
  EXPECT_THAT(lines("off"), IsEmpty());
  EXPECT_THAT(set_log_level("info"), IsOk());
}

TEST(LogTest, LevelsThatNobodyUsesAreRefused) {
  for (const char* level : {"trace", "critical", "warn", "loud", ""})
    EXPECT_THAT(set_log_level(level),
                StatusIs(StatusCode::kInvalidArgument, "debug, info, warning, error or off"));
}

}  // namespace
}  // namespace weft
