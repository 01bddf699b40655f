// SPDX-License-Identifier: Apache-2.0
#include "client_cli/output/json.h"

#include <gmock/gmock.h>

#include "google/rpc/error_details.pb.h"
#include "options/validate.h"
#include "weft/v1/job.pb.h"
#include "weft/v1/server_service.pb.h"

namespace weft::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Json, ValuesHaveTheirNaturalForm) {
  v1::Job job;
  job.set_id("01J");
  job.set_state(v1::JOB_STATE_RUNNING);
  job.set_revision(int64_t(1) << 60);
  job.mutable_settings()->set_overwrite(true);
  (*job.mutable_settings()->mutable_labels())["b"] = "2";
  (*job.mutable_settings()->mutable_labels())["a"] = "1";
  job.mutable_progress()->set_units_per_second(12.5);
  job.mutable_progress()->mutable_eta()->set_seconds(89);
  job.mutable_progress()->mutable_eta()->set_nanos(500000000);
  job.mutable_submit_time()->set_seconds(1790000000);
  job.mutable_submit_time()->set_nanos(123456789);
  job.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_SVT_AV1);
  const std::string json = to_json(job);
  EXPECT_THAT(json, HasSubstr("\"state\": \"running\""));
  EXPECT_THAT(json, HasSubstr("\"revision\": 1152921504606846976"));
  EXPECT_THAT(json, HasSubstr("\"overwrite\": true"));
  EXPECT_THAT(json, HasSubstr("\"labels\": {\"a\": \"1\", \"b\": \"2\"}"));
  EXPECT_THAT(json, HasSubstr("\"units_per_second\": 12.5"));
  EXPECT_THAT(json, HasSubstr("\"eta\": 89.5"));
  EXPECT_THAT(json, HasSubstr("\"submit_time\": \"2026-09-21T14:13:20.123Z\""));
  EXPECT_THAT(json, HasSubstr("\"encoder\": \"svt-av1\""));
  EXPECT_THAT(json, HasSubstr("\"attempts\": []"));
  EXPECT_THAT(json, Not(HasSubstr("\"result\"")));
  EXPECT_THAT(json, Not(HasSubstr("\"start_time\"")));
  EXPECT_THAT(json, Not(HasSubstr("\n")));
}

TEST(Json, TextIsEscaped) {
  EXPECT_EQ(json_text("a\"b\\c\n\t\x01\x7f映"), "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f映\"");
}

TEST(Json, NumbersThatJsonLacksAreNull) {
  v1::JobProgress progress;
  progress.set_units_per_second(std::numeric_limits<double>::infinity());
  EXPECT_THAT(to_json(progress), HasSubstr("\"units_per_second\": null"));
}

TEST(Json, MapsOfNumbers) {
  v1::GetServerInfoResponse info;
  (*info.mutable_limits())["queued_jobs"] = 1000000;
  EXPECT_THAT(to_json(info), HasSubstr("\"limits\": {\"queued_jobs\": 1000000}"));
}

TEST(Json, DetailsOfKnownTypesAreOpened) {
  google::rpc::BadRequest details;
  details.add_field_violations()->set_field("spec.a");
  v1::Job job;
  job.mutable_error()->set_code(3);
  job.mutable_error()->add_details()->PackFrom(details);
  auto& unknown = *job.mutable_error()->add_details();
  unknown.set_type_url("type.googleapis.com/of.Nobody");
  EXPECT_THAT(
      to_json(job),
      HasSubstr(
          "\"details\": [{\"@type\": \"type.googleapis.com/google.rpc.BadRequest\", \"field_violations\": "
          "[{\"field\": \"spec.a\", \"description\": \"\"}]}, {\"@type\": "
          "\"type.googleapis.com/of.Nobody\"}]"));
}

TEST(Json, Errors) {
  const Status error = options::to_status({{"spec.a", "A is wrong."}});
  EXPECT_EQ(to_json(error),
            "{\"error\": {\"code\": \"invalid-argument\", \"message\": \"A is wrong.\", \"violations\": "
            "[{\"field\": \"spec.a\", "
            "\"description\": \"A is wrong.\"}]}}");
}

}  // namespace
}  // namespace weft::cli
