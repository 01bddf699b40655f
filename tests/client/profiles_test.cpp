// SPDX-License-Identifier: Apache-2.0
#include "client/profiles.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <unistd.h>

#include "client/built_in_profiles.h"
#include "client/json.h"
#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::client {
namespace {

using google::protobuf::util::MessageDifferencer;
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

  static v1::Profile profile() {
    v1::Profile profile;
    v1::VideoJob& job = *profile.mutable_spec()->mutable_video();
    job.set_output("{dir}/{stem}.mkv");
    job.mutable_encoding()->set_encoder(v1::ENCODER_X265);
    (*job.mutable_encoding()->mutable_encoder_options())["crf"] = "18";
    profile.mutable_settings()->set_priority(0);
    profile.mutable_settings()->set_job_class(v1::JOB_CLASS_SPARE);
    profile.set_description("For tapes.");
    return profile;
  }

  const std::string home_ = fmt::format("{}/weft_profiles.{}", testing::TempDir(), ::getpid());
};

TEST_F(ProfilesTest, AreKeptListedRenamedAndRemoved) {
  EXPECT_THAT(profile_names(), IsEmpty());
  EXPECT_THAT(read_profile("archive"), StatusIs(StatusCode::kNotFound, "There are anime-tv, film-dvd,"));
  ASSERT_THAT(write_profile("tape archive", profile()), IsOk());
  ASSERT_THAT(write_profile("web", {}), IsOk());
  EXPECT_THAT(profile_names(), ElementsAre("tape archive", "web"));
  EXPECT_TRUE(MessageDifferencer::Equals(read_profile("tape archive").value(), profile()))
      << "a priority of 0 that was given is not one that was not";
  EXPECT_THAT(rename_profile("tape archive", "web"), StatusIs(StatusCode::kAlreadyExists, "'web'"));
  EXPECT_THAT(rename_profile("tape archive", "tapes"), IsOk());
  EXPECT_THAT(read_profile("tape"),
              StatusIs(StatusCode::kNotFound, "did you mean 'tapes'? There are tapes, web, anime-tv"));
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
  EXPECT_THAT(text, HasSubstr("\"job_class\": \"spare\""));
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
              StatusIs(StatusCode::kInvalidArgument, "'settings.job_class' (\"soon\")"));
}

TEST_F(ProfilesTest, FilesOfFormerVersionsAreRead) {
  const auto read = parse_profile(
      R"({"spec": {"video": {"output": "{stem}.mkv", "filters": [{"bwdif": {"rate": "OUTPUT_RATE_FRAME"}}],
                             "encoding": {"encoder": "ENCODER_X265", "segment_frames": 100}}},
          "settings": {"job_class": "JOB_CLASS_SPARE", "priority": 5}})",
      "it");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->spec().video().filters(0).bwdif().rate(), v1::OUTPUT_RATE_FRAME);
  EXPECT_EQ(read->spec().video().encoding().encoder(), v1::ENCODER_X265);
  EXPECT_EQ(read->settings().job_class(), v1::JOB_CLASS_SPARE);
}

v1::Job job_of(v1::JobSpec spec, v1::JobSettings settings) {
  v1::Job job;
  job.set_id("01JB");
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  options::apply_defaults(spec);
  options::apply_defaults(spec, settings);
  *job.mutable_spec() = spec;
  *job.mutable_settings() = settings;
  job.mutable_settings()->set_owner("anna");
  job.mutable_result()->set_units_in(7);
  return job;
}

TEST_F(ProfilesTest, AJobIsOneWithoutFilesOwnerAndDefaults) {
  v1::JobSpec spec;
  v1::VideoJob& video = *spec.mutable_video();
  video.set_input("/films/a.ts");
  video.set_output("/films/a.mkv");
  video.add_filters()->mutable_bwdif()->set_rate(v1::OUTPUT_RATE_FRAME);
  video.mutable_encoding()->set_encoder(v1::ENCODER_X265);
  v1::JobSettings settings;
  settings.set_priority(5);
  v1::Profile wanted;
  wanted.mutable_spec()->mutable_video()->add_filters()->mutable_bwdif()->set_rate(v1::OUTPUT_RATE_FRAME);
  wanted.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_X265);
  wanted.mutable_settings()->set_priority(5);
  const v1::Job job = job_of(spec, settings);
  for (const std::string& json : {to_json(job), to_json_answer(job), to_json_file(job)}) {
    auto read = parse_profile(json, "it");
    ASSERT_THAT(read, IsOk()) << json;
    EXPECT_TRUE(MessageDifferencer::Equivalent(*read, wanted)) << read->DebugString();
    options::apply_defaults(*read->mutable_spec());
    EXPECT_TRUE(read->spec().video().input().empty() && read->spec().video().output().empty());
    read->mutable_spec()->mutable_video()->set_input("/films/a.ts");
    read->mutable_spec()->mutable_video()->set_output("/films/a.mkv");
    EXPECT_TRUE(MessageDifferencer::Equals(read->spec(), job.spec())) << "defaults complete it again";
  }
  EXPECT_THAT(parse_profile(R"({"id": "01JB", "spec": {"vidoe": {}}})", "it"),
              StatusIs(StatusCode::kInvalidArgument, "no field 'spec.vidoe'; did you mean 'video'?"));
}

// The default class depends on the kind of job.
TEST_F(ProfilesTest, TheClassOfAJobStays) {
  v1::JobSpec video, texture;
  video.mutable_video()->set_input("/a.ts");
  texture.mutable_texture()->set_input("/textures/*.dds");
  texture.mutable_texture()->set_output("/2x/*.dds");
  texture.mutable_texture()->add_files("a.dds");
  const std::pair<v1::JobSpec, std::pair<v1::JobClass, v1::JobClass>> cases[] = {
      {video, {v1::JOB_CLASS_NORMAL, v1::JOB_CLASS_UNSPECIFIED}},
      {video, {v1::JOB_CLASS_SPARE, v1::JOB_CLASS_SPARE}},
      {texture, {v1::JOB_CLASS_NORMAL, v1::JOB_CLASS_NORMAL}},
      {texture, {v1::JOB_CLASS_SPARE, v1::JOB_CLASS_UNSPECIFIED}},
  };
  for (const auto& [spec, classes] : cases) {
    v1::JobSettings settings;
    settings.set_job_class(classes.first);
    const v1::Profile profile = profile_of(job_of(spec, settings));
    EXPECT_EQ(profile.settings().job_class(), classes.second);
    EXPECT_EQ(profile.spec().texture().files_size(), 0);
  }
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

TEST_F(ProfilesTest, BuiltInOnesAreReadAndReplaced) {
  for (const BuiltInProfile& each : built_in_profiles()) {
    const auto read = read_profile(std::string(each.name));
    ASSERT_THAT(read, IsOk()) << each.name;
    EXPECT_FALSE(read->description().empty()) << each.name;
    EXPECT_GE(read->spec().video().filters_size(), 1) << each.name;
    EXPECT_GT(read->spec().video().encoding().crf(), 0);
  }
  EXPECT_THAT(remove_profile("vhs"), StatusIs(StatusCode::kFailedPrecondition, "comes with the program"));
  EXPECT_THAT(rename_profile("vhs", "tapes"),
              StatusIs(StatusCode::kFailedPrecondition, "comes with the program"));
  ASSERT_THAT(write_profile("vhs", profile()), IsOk());
  EXPECT_TRUE(MessageDifferencer::Equals(read_profile("vhs").value(), profile()));
  EXPECT_THAT(remove_profile("vhs"), IsOk());
  EXPECT_EQ(read_profile("vhs")->spec().video().encoding().encoder(), v1::ENCODER_X264);
}

}  // namespace
}  // namespace weft::client
