// SPDX-License-Identifier: Apache-2.0
#include "options/file_set.h"

#include <gmock/gmock.h>

#include "options/job_files.h"
#include "options/job_kinds.h"
#include "options/validate.h"

namespace weft::options {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::JobSpec spec_of(const std::string& input, const std::string& output) {
  v1::JobSpec spec;
  spec.mutable_texture()->set_input(input);
  spec.mutable_texture()->set_output(output);
  return spec;
}

// Returns lines such as "a.dds > made.dds", or the error.
std::vector<std::string> listed(const v1::JobSpec& spec, const std::vector<std::string>& names) {
  const StatusOr<std::vector<SetFile>> files = file_set_of(spec).value().list(names);
  if (!files.ok()) return {message_of(files.status())};
  std::vector<std::string> lines;
  for (const SetFile& file : *files) lines.push_back(fmt::format("{} > {}", file.name, file.output_name));
  return lines;
}

TEST(FileSet, StarsAreSigns) {
  EXPECT_TRUE(is_file_set("/t/*.dds"));
  EXPECT_TRUE(is_file_set("*"));
  EXPECT_FALSE(is_file_set("/t*/a.dds"));
  EXPECT_FALSE(is_file_set("/t/a\\*.dds"));
  EXPECT_EQ(name_without_signs("/t/a\\*.dds"), "/t/a*.dds");
  EXPECT_EQ(with_signs("/t*/a*.dds"), "/t*/a\\*.dds");
  EXPECT_EQ(name_without_signs(with_signs("/t/a*b\\c.dds")), "/t/a*b\\c.dds");
}

TEST(FileSet, TakesWhatItsSignsAndExtensionsSay) {
  const std::vector<std::string> names = {"b_n.dds", "a.DDS", "a_n.ktx2", "c.png", ".d.dds", "e.txt", "dds"};
  EXPECT_THAT(listed(spec_of("/t/*", "/o/*"), names),
              ElementsAre("a.DDS > a.dds", "a_n.ktx2 > a_n.ktx2", "b_n.dds > b_n.dds", "c.png > c.dds"));
  EXPECT_THAT(listed(spec_of("/t/*_n.*", "/o/*_2x.dds"), names),
              ElementsAre("a_n.ktx2 > a_n_2x.dds", "b_n.dds > b_n_2x.dds"));
  EXPECT_THAT(listed(spec_of("/t/*a*n*2", "/o/*.ktx2"), names), ElementsAre("a_n.ktx2 > a_n.ktx2"));
  EXPECT_THAT(listed(spec_of("/t/x*", "/o/*"), names),
              ElementsAre(HasSubstr("no file that is meant (/t/x*)")));
}

TEST(FileSet, ChosenNamesAloneAreMeant) {
  v1::JobSpec spec = spec_of("/t/*", "/o/*");
  const std::vector<std::string> chosen = {"b.dds", "without"};
  choose_names(spec, chosen);
  const std::vector<std::string> names = {"a.dds", "b.dds", "without"};
  EXPECT_THAT(listed(spec, names), ElementsAre("b.dds > b.dds", "without > without.dds"));
  EXPECT_THAT(listed(spec, {}), ElementsAre(HasSubstr("is not there (b.dds)")));
  const std::vector<std::string> above = {"../a.dds"};
  choose_names(spec, above);
  EXPECT_THAT(listed(spec, names), ElementsAre(HasSubstr("is not there (../a.dds)")));
}

TEST(FileSet, OutputsDiffer) {
  const std::vector<std::string> names = {"a.dds", "a.png"};
  EXPECT_THAT(listed(spec_of("/t/*", "/o/*"), names), ElementsAre(HasSubstr("the same output (a.dds)")));
  EXPECT_THAT(listed(spec_of("/t/*", "/o/all.dds"), names), ElementsAre(HasSubstr("has 0 stars")));
  EXPECT_THAT(listed(spec_of("/t/*", "/o/*_*.dds"), names), ElementsAre(HasSubstr("has 2 stars")));
}

TEST(FileSet, HasALimit) {
  std::vector<std::string> names;
  for (size_t i = 0; i <= kMaxSetFiles; i++) names.push_back(fmt::format("{:05}.dds", i));
  EXPECT_THAT(listed(spec_of("/t/*", "/o/*"), names), ElementsAre(HasSubstr("has 4097 files, at most 4096")));
  names.pop_back();
  EXPECT_EQ(listed(spec_of("/t/*", "/o/*"), names).size(), kMaxSetFiles);
  v1::JobSpec spec = spec_of("/t/*", "/o/*");
  choose_names(spec, names);
  EXPECT_THAT(validate(spec, "spec"), ElementsAre());
  names.push_back("more.dds");
  choose_names(spec, names);
  EXPECT_THAT(validate(spec, "spec"),
              ElementsAre(testing::Field(&Violation::description, HasSubstr("4097, at most 4096"))));
}

TEST(FileSet, IsSeenInAJobsFiles) {
  const JobFiles set = files_of_job(spec_of("/t/*.dds", "/o/*.dds"));
  EXPECT_TRUE(set.inputs[0].is_set && set.inputs[0].is_sequence && set.outputs[0].is_set);
  const JobFiles one = files_of_job(spec_of("/t/a\\*.dds", "/o/a.dds"));
  EXPECT_FALSE(one.inputs[0].is_set || one.inputs[0].is_sequence || one.outputs[0].is_set);
  EXPECT_EQ(one.inputs[0].path, "/t/a*.dds");
}

TEST(JobKinds, AKindMayHaveAClassOfItsOwn) {
  v1::JobSettings settings, given, of_video;
  apply_defaults(spec_of("/a.dds", "/b.dds"), settings);
  EXPECT_EQ(settings.job_class(), v1::JOB_CLASS_SPARE);
  EXPECT_EQ(settings.max_attempts(), 3);
  given.set_job_class(v1::JOB_CLASS_NORMAL);
  apply_defaults(spec_of("/a.dds", "/b.dds"), given);
  EXPECT_EQ(given.job_class(), v1::JOB_CLASS_NORMAL);
  v1::JobSpec video;
  video.mutable_video();
  apply_defaults(video, of_video);
  EXPECT_EQ(of_video.job_class(), v1::JOB_CLASS_NORMAL);
}

}  // namespace
}  // namespace weft::options
