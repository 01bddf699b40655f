// SPDX-License-Identifier: Apache-2.0
#include "client/profiles.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <unistd.h>

namespace weft::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ProfilesTest : public ::testing::Test {
 protected:
  ProfilesTest() {
    std::filesystem::remove_all(home_);
    setenv("XDG_CONFIG_HOME", home_.c_str(), 1);
  }
  ~ProfilesTest() override { unsetenv("XDG_CONFIG_HOME"); }

  static v1::SubmitJobRequest profile() {
    v1::SubmitJobRequest request;
    v1::VideoJob& job = *request.mutable_spec()->mutable_video();
    job.set_output("{dir}/{stem}.mkv");
    job.mutable_encoding()->set_encoder(v1::ENCODER_X265);
    (*job.mutable_encoding()->mutable_encoder_options())["crf"] = "18";
    request.mutable_settings()->set_priority(0);
    request.mutable_settings()->set_job_class(v1::JOB_CLASS_SPARE);
    return request;
  }

  const std::string home_ = fmt::format("{}/weft_profiles.{}", testing::TempDir(), ::getpid());
};

TEST_F(ProfilesTest, AreKeptListedRenamedAndRemoved) {
  EXPECT_THAT(profile_names(), IsEmpty());
  EXPECT_THAT(read_profile("archive"), StatusIs(StatusCode::kNotFound, "no other in " + home_));
  ASSERT_THAT(write_profile("tape archive", profile()), IsOk());
  ASSERT_THAT(write_profile("web", {}), IsOk());
  EXPECT_THAT(profile_names(), ElementsAre("tape archive", "web"));
  EXPECT_TRUE(
      google::protobuf::util::MessageDifferencer::Equals(read_profile("tape archive").value(), profile()))
      << "a priority of 0 that was given is not one that was not";
  EXPECT_THAT(rename_profile("tape archive", "web"), StatusIs(StatusCode::kAlreadyExists, "'web'"));
  EXPECT_THAT(rename_profile("tape archive", "tapes"), IsOk());
  EXPECT_THAT(read_profile("tape"),
              StatusIs(StatusCode::kNotFound, "did you mean 'tapes'? There are tapes and web"));
  EXPECT_THAT(remove_profile("web"), IsOk());
  EXPECT_THAT(remove_profile("web"), StatusIs(StatusCode::kNotFound, "no profile 'web'"));
  EXPECT_THAT(profile_names(), ElementsAre("tapes"));
}

TEST_F(ProfilesTest, AreFilesThatCanBeShared) {
  const std::string path = home_ + ".shared.json";
  ASSERT_THAT(write_profile(path, profile()), IsOk());
  EXPECT_THAT(profile_names(), IsEmpty()) << "a file is no name";
  EXPECT_EQ(read_profile(path)->spec().video().output(), "{dir}/{stem}.mkv");
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, HasSubstr("\"job_class\": \"JOB_CLASS_SPARE\""));
}

TEST_F(ProfilesTest, ChoicesMayHaveTheirShortNames) {
  const auto read = parse_profile(
      R"({"spec": {"video": {"encoding": {"encoder": "svt-av1", "audio_streams": {"2": "aac"}}}}, "settings": {"job_class": "spare"}})",
      "it");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->settings().job_class(), v1::JOB_CLASS_SPARE);
  EXPECT_EQ(read->spec().video().encoding().encoder(), v1::ENCODER_SVT_AV1);
  EXPECT_EQ(read->spec().video().encoding().audio_streams().at(2), v1::AUDIO_AAC);
  EXPECT_THAT(parse_profile(R"({"settings": {"job_class": "soon"}})", "it"),
              StatusIs(StatusCode::kInvalidArgument,
                       "(settings.job_class): invalid value \"soon\" for type JobClass"));
}

TEST_F(ProfilesTest, OnlySpecificationAndSettingsCount) {
  const auto read =
      parse_profile(R"({"request_id": "x", "validate_only": true, "spec": {"image": {}}})", "it");
  EXPECT_EQ(read->request_id(), "");
  EXPECT_FALSE(read->validate_only());
  EXPECT_TRUE(read->spec().has_image());
}

TEST_F(ProfilesTest, WhatIsNoProfileIsSaid) {
  const std::string path = home_ + ".wrong.json";
  const auto read = [&](const std::string& text) {
    std::ofstream(path) << text;
    return read_profile(path).status();
  };
  for (const char* text : {"", "{", "[]", "{\"spec\": {\"video\": {\"inptu\": 1}}}",
                           "{\"spec\": {\"video\": {\"encoding\": {\"segment_frames\": \"many\"}}}}"})
    EXPECT_THAT(read(text), StatusIs(StatusCode::kInvalidArgument, "is not understood")) << text;
  EXPECT_THAT(read(std::string(kMaxProfileBytes + 1, ' ')),
              StatusIs(StatusCode::kInvalidArgument, "too large"));
  EXPECT_THAT(read_profile("/nowhere/x.json"), StatusIs(StatusCode::kNotFound, "No such file"));
  EXPECT_THAT(read_profile("/tmp/"), StatusIs(StatusCode::kDataLoss, "(/tmp/)"));
  EXPECT_THAT(write_profile("/nowhere/x.json", {}), StatusIs(StatusCode::kUnavailable, "cannot be written"));
  for (const std::string& name :
       {std::string(), std::string(".hidden"), std::string(101, 'x'), std::string("\xff")})
    EXPECT_THAT(write_profile(name, {}), StatusIs(StatusCode::kInvalidArgument, "is not one"));
}

}  // namespace
}  // namespace weft::client
