// SPDX-License-Identifier: Apache-2.0
#include "options/job_kinds.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "options/validate.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::options {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> flags_declared_in(const google::protobuf::Descriptor* message) {
  std::vector<std::string> flags;
  for (const Option& option : options_of(message)) flags.push_back(option.flag());
  return flags;
}

TEST(JobKind, EveryKindIsNamedAndSoundlyDeclared) {
  ASSERT_FALSE(job_kinds().empty());
  for (const auto* message : {v1::JobSettings::descriptor(), v1::StreamSettings::descriptor(),
                              v1::FrameColour::descriptor(), v1::TextureStream::descriptor()})
    EXPECT_THAT(check_declarations(message), IsEmpty()) << message->name();
  // Frames and textures have separate commands, so both may have a flag of the same name.
  for (const Violation& violation : check_declarations(v1::OpenStream::descriptor()))
    EXPECT_THAT(violation.field, ::testing::HasSubstr("texture.")) << violation.description;
  const std::vector<std::string> settings = flags_declared_in(v1::JobSettings::descriptor());
  for (const JobKind& kind : job_kinds()) {
    EXPECT_FALSE(kind.name.empty()) << kind.field->full_name();
    EXPECT_TRUE(kind.summary.ends_with('.')) << kind.name;
    EXPECT_FALSE(kind.declaration().unit().empty()) << kind.name;
    EXPECT_EQ(kind.declaration().media() != v1::MEDIA_KIND_UNSPECIFIED, kind.input_option().has_value())
        << kind.name;
    EXPECT_THAT(check_declarations(kind.message()), IsEmpty()) << kind.name;
    // The flags of the settings and of the kind appear on one command line.
    for (const std::string& flag : flags_declared_in(kind.message()))
      EXPECT_THAT(settings, Not(Contains(flag))) << kind.name;
  }
}

TEST(JobKind, ChoosesAndFinds) {
  v1::JobSpec spec;
  EXPECT_FALSE(job_kind_of(spec));
  EXPECT_EQ(kind_name(spec), "unspecified");
  const JobKind kind = find_job_kind("video").value();
  kind.choose(spec);
  EXPECT_TRUE(spec.has_video());
  spec.mutable_video()->set_input("/a");
  EXPECT_EQ(&kind.choose(spec), &spec.video());
  EXPECT_EQ(spec.video().input(), "/a");
  EXPECT_EQ(kind_name(spec), "video");
  EXPECT_EQ(&job_message(spec), &spec.video());
  EXPECT_EQ(kind.input_option()->flag(), "input");
  EXPECT_EQ(kind.output_option()->flag(), "output");
  EXPECT_EQ(kind.chain()->name(), "filters");
  EXPECT_FALSE(find_job_kind("vido"));
}

TEST(JobKind, TheOutputsExtensionChoosesTheKind) {
  const std::vector<JobKind> kinds = {*find_job_kind("video"), *find_job_kind("image")};
  const auto kind = [&](const char* name) { return kind_for_output(kinds, name).name; };
  EXPECT_EQ(kind("/a/b.exr"), "image");
  EXPECT_EQ(kind("shot.%04d.PNG"), "image");
  EXPECT_EQ(kind("out.mkv"), "video");
  EXPECT_EQ(kind("/a.png/out"), "video");
  EXPECT_EQ(kind(""), "video");
}

}  // namespace
}  // namespace weft::options
