// SPDX-License-Identifier: Apache-2.0
#include "client/json.h"

#include <gmock/gmock.h>

#include "google/rpc/error_details.pb.h"
#include "weft/v1/job.pb.h"
#include "weft/v1/job_service.pb.h"
#include "weft/v1/profile.pb.h"
#include "weft/v1/server_service.pb.h"

namespace weft::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Json, ValuesHaveTheirNaturalForm) {
  v1::Job job;
  job.set_id("01J");
  job.set_state(v1::JOB_STATE_RUNNING);
  job.set_revision(int64_t(1) << 40);
  job.mutable_settings()->set_overwrite(true);
  (*job.mutable_settings()->mutable_labels())["b"] = "2";
  (*job.mutable_settings()->mutable_labels())["a"] = "1";
  job.mutable_progress()->set_units_per_second(12.5);
  job.mutable_progress()->mutable_eta()->set_seconds(89);
  job.mutable_progress()->mutable_eta()->set_nanos(500000000);
  job.mutable_submit_time()->set_seconds(1790000000);
  job.mutable_submit_time()->set_nanos(123000000);
  job.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_SVT_AV1);
  EXPECT_THAT(to_json(job), AllOf(StartsWith("{\"id\": \"01J\", "), HasSubstr("\"state\": \"running\""),
                                  HasSubstr("\"revision\": 1099511627776"), HasSubstr("\"overwrite\": true"),
                                  HasSubstr("\"labels\": {\"a\": \"1\", \"b\": \"2\"}"),
                                  HasSubstr("\"units_per_second\": 12.5"), HasSubstr("\"eta\": 89.5"),
                                  HasSubstr("\"submit_time\": \"2026-09-21T14:13:20.123Z\""),
                                  HasSubstr("\"encoder\": \"svt-av1\""), Not(HasSubstr("\n"))));
  EXPECT_EQ(to_json_answer(job), "{\"schema\": 1, " + to_json(job).substr(1));
}

TEST(Json, FieldsThatAreNotSetAreThere) {
  EXPECT_THAT(to_json(v1::Job()),
              AllOf(StartsWith("{\"id\": \"\", "), HasSubstr("\"spec\": null"), HasSubstr("\"state\": null"),
                    HasSubstr("\"result\": null"), HasSubstr("\"error\": null"),
                    HasSubstr("\"end_time\": null"), HasSubstr("\"attempts\": []")));
  v1::Job job;
  job.mutable_settings();
  job.mutable_spec();
  EXPECT_THAT(to_json(job), AllOf(HasSubstr("\"priority\": null"), HasSubstr("\"job_class\": null"),
                                  HasSubstr("\"labels\": {}"), HasSubstr("\"spec\": {}")))
      << "members of a oneof that are not chosen are absent";
}

TEST(Json, NumbersThatOthersWouldChange) {
  v1::Job job;
  job.mutable_progress()->set_units_per_second(std::numeric_limits<double>::infinity());
  job.mutable_progress()->set_units_done((int64_t(1) << 53) - 1);
  job.mutable_progress()->set_units_total(-(int64_t(1) << 53) - 1);
  EXPECT_THAT(to_json(job),
              AllOf(HasSubstr("\"units_per_second\": null"), HasSubstr("\"units_done\": 9007199254740991,"),
                    HasSubstr("\"units_total\": \"-9007199254740993\"")));
}

TEST(Json, MapsOfNumbers) {
  v1::GetServerInfoResponse info;
  (*info.mutable_limits())["queued_jobs"] = 1000000;
  EXPECT_THAT(to_json(info), HasSubstr("\"limits\": {\"queued_jobs\": 1000000}"));
}

// Expects the codes of google.rpc.Code by the table of its definition.
TEST(Json, CodesHaveNames) {
  const char* names[] = {
      "ok",        "cancelled",      "unknown",           "invalid-argument",   "deadline-exceeded",
      "not-found", "already-exists", "permission-denied", "resource-exhausted", "failed-precondition",
      "aborted",   "out-of-range",   "unimplemented",     "internal",           "unavailable",
      "data-loss", "unauthenticated"};
  for (int code = 0; code < 17; code++) {
    google::rpc::Status status, back;
    status.set_code(code);
    const std::string json = to_json(status);
    EXPECT_THAT(json, StartsWith(fmt::format("{{\"code\": \"{}\", ", names[code])));
    ASSERT_THAT(parse_json(json, back), IsOk());
    EXPECT_EQ(back.code(), code);
  }
  EXPECT_EQ(code_name(99), "99");
}

TEST(Json, DetailsOfKnownTypesAreOpened) {
  google::rpc::BadRequest details;
  details.add_field_violations()->set_field("spec.a");
  v1::Job job, back;
  job.mutable_error()->set_code(3);
  job.mutable_error()->add_details()->PackFrom(details);
  auto& unknown = *job.mutable_error()->add_details();
  unknown.set_type_url("type.googleapis.com/of.Nobody");
  unknown.set_value("abc");
  const std::string json = to_json(job);
  EXPECT_THAT(json, HasSubstr("\"error\": {\"code\": \"invalid-argument\", \"message\": \"\", \"details\": "
                              "[{\"@type\": \"google.rpc.BadRequest\", \"field_violations\": [{\"field\": "
                              "\"spec.a\", \"description\": \"\"}]}, {\"@type\": \"of.Nobody\", \"value\": "
                              "\"YWJj\"}]}"));
  ASSERT_THAT(parse_json(json, back), IsOk());
  EXPECT_EQ(back.SerializeAsString(), job.SerializeAsString());
}

TEST(Json, FilesHoldWhatIsSet) {
  v1::Profile profile;
  profile.mutable_settings()->set_priority(0);
  profile.mutable_spec()->mutable_video()->add_filters()->mutable_yadif();
  EXPECT_EQ(to_json_file(profile),
            "{\n"
            " \"schema\": 1,\n"
            " \"spec\": {\n"
            "  \"video\": {\n"
            "   \"filters\": [\n"
            "    {\n"
            "     \"yadif\": {}\n"
            "    }\n"
            "   ]\n"
            "  }\n"
            " },\n"
            " \"settings\": {\n"
            "  \"priority\": 0\n"
            " }\n"
            "}\n");
}

TEST(Json, FormsOfProtobufAreRead) {
  v1::Job job;
  ASSERT_THAT(parse_json(R"({"spec": {"video": {"encoding": {"encoder": "ENCODER_X265"}}},
                             "settings": {"jobClass": 3, "max_attempts": "4"}, "revision": "1152921504606846977",
                             "progress": {"eta": "1.5s"}, "attempts": null})",
                         job),
              IsOk());
  EXPECT_EQ(job.spec().video().encoding().encoder(), v1::ENCODER_X265);
  EXPECT_EQ(job.settings().job_class(), v1::JOB_CLASS_SPARE);
  EXPECT_EQ(job.settings().max_attempts(), 4);
  EXPECT_EQ(job.revision(), (int64_t(1) << 60) + 1);
  EXPECT_EQ(job.progress().eta().nanos(), 500000000);
}

TEST(Json, MistakesAreNamed) {
  v1::Job job;
  job.set_id("it stays");
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a JSON object"},
      {"[]", "not a JSON object"},
      {"{", "not a JSON object"},
      {R"({"schema": 2})", "a later schema (2) than this program reads (1)"},
      {R"({"schema": "x"})", "'schema' (\"x\") is not a whole number"},
      {R"({"spec": {"video": {"inptu": "a"}}})", "no field 'spec.video.inptu'; did you mean 'input'?"},
      {R"({"spec": 3})", "'spec' (3) is not an object"},
      {R"({"attempts": {}})", "'attempts' (an object) is not a list"},
      {R"({"settings": {"labels": []}})", "'settings.labels' (a list) is not an object"},
      {R"({"settings": {"labels": {"a": 1}}})", "'settings.labels.a' (1) is not a text"},
      {R"({"settings": {"job_class": "soon"}})",
       "'settings.job_class' (\"soon\") is not one of the choices: normal or spare"},
      {R"({"settings": {"priority": 1.5}})", "'settings.priority' (1.5) is not a whole number of 32 bits"},
      {R"({"settings": {"priority": 3000000000}})", "is not a whole number of 32 bits"},
      {R"({"settings": {"overwrite": "maybe"}})", "is not true or false"},
      {R"({"settings": {"weight": "much"}})", "is not a number"},
      {R"({"attempts": [{"number": 1}, {"number": "x"}]})", "'attempts[1].number'"},
      {R"({"progress": {"eta": "soon"}})", "is not a duration in seconds"},
      {R"({"progress": {"eta": 1e300}})", "is not a duration in seconds"},
      {R"({"submit_time": "yesterday"})", "is not a time as 2026-"},
      {R"({"error": {"code": "bad-luck"}})", "is not the code of an error"},
      {R"({"error": {"details": [{"field": "x"}]}})", "'error.details[0].@type'"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(parse_json(text, job), StatusIs(StatusCode::kInvalidArgument, message)) << text;
    EXPECT_EQ(job.id(), "it stays") << text;
  }
}

TEST(Json, UnknownFieldsMayBeIgnored) {
  v1::Job job;
  ASSERT_THAT(
      parse_json(R"({"id": "01J", "colour": {"x": [1]}, "state": "dreaming"})", job, UnknownFields::kIgnore),
      IsOk());
  EXPECT_EQ(job.id(), "01J");
  EXPECT_EQ(job.state(), v1::JOB_STATE_UNSPECIFIED);
}

}  // namespace
}  // namespace weft::client
