// SPDX-License-Identifier: Apache-2.0
// Tests jobs that write the decisions of analyses, and jobs that read them in place of analyses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/video/decision_file.h"
#include "server/worker/video/video_runner.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class DecisionsJobTest : public testing::Test {
 protected:
  TestJob job_of(const std::string& name, const std::string& output, const std::string& filters) {
    TestJob job(folder_, name, clip_, output);
    set_filters(job.video(), filters);
    return job;
  }
  // Runs the analyses of a chain and returns the text of their decisions.
  std::string analysed(const std::string& name, const std::string& filters) {
    const TestJob job = job_of(name, name + ".json", filters);
    const Ran ran = run_attempt(job);
    EXPECT_THAT(ran.end.status, IsOk());
    EXPECT_GT(ran.end.result.output_bytes(), 0);
    return media::read_file(job.finished_path());
  }
  TestJob encode_with(const std::string& name, const std::string& filters, const std::string& decisions) {
    TestJob job = job_of(name, "out.mkv", filters);
    const std::string path = folder_.path(name + ".decisions.json");
    media::write_file(path, decisions);
    job.video().set_decisions(path);
    return job;
  }

  media::TestFolder folder_;
  std::string clip_ = make_interlaced(folder_, "clip.ts", 40);
};

TEST_F(DecisionsJobTest, AnEncodeWithDecisionsEqualsOneThatMeasures) {
  const TestJob measured = job_of("measured", "out.mkv", "yadif=frame,decimate,deband");
  const Ran expected = run_attempt(measured);
  ASSERT_THAT(expected.end.status, IsOk());
  const std::string text = analysed("alone", "yadif=frame,decimate");
  // Filters after the analysis do not matter to it.
  const TestJob job = encode_with("given", "yadif=frame,decimate,deband", text);
  const Ran ran = run_attempt(job);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(measured.finished_path())));
  EXPECT_EQ(ran.end.result.stages(0).units(), 40) << "the frames are decoded once";
  EXPECT_THAT(ran.end.result.notes(), ElementsAre("decimate drops 8 of 40 pictures."));
}

TEST_F(DecisionsJobTest, AnEditedDecisionIsFollowed) {
  std::string text = analysed("edited", "yadif=frame,decimate=cycle=4");
  // The file has a line for each frame. The one of the first frame is removed.
  const size_t line = text.find("\"frames\"");
  const size_t begin = text.find('\n', line) + 1, end = text.find('\n', begin) + 1;
  EXPECT_THAT(text.substr(begin, end - begin), testing::ContainsRegex("\"0 [0-9]+ [0-9]+\",\n"));
  text.erase(begin, end - begin);
  const TestJob job = encode_with("edit", "yadif=frame,decimate=cycle=4", text);
  const Ran ran = run_attempt(job);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_EQ(ran.end.result.units_out(), 29);
}

TEST_F(DecisionsJobTest, TheReportAndTheSectionsAreThoseOfAnEditedCadence) {
  const std::string filters = "kfm=mode=24p:preset=ultra-fast";
  const std::string found = analysed("kfm", filters);
  const auto measured = parse_decisions(std::as_bytes(std::span(found)));
  ASSERT_THAT(measured, IsOk());
  ASSERT_EQ(measured->decisions_size(), 2);
  EXPECT_THAT(measured->decisions(0).report(), HasSubstr("0.0% of 40 source frames as film"))
      << "it is video";
  // The first of 8 cycles becomes film. The other decision follows from the cadence, and is made
  // anew.
  v1::DecisionFile file = *measured;
  file.mutable_decisions()->DeleteSubrange(1, 1);
  ASSERT_THAT(file.decisions(0).lines(), Contains(HasSubstr(" 60p ")));
  std::string& line = *file.mutable_decisions(0)->mutable_lines(1);
  line.replace(line.find("60p"), 3, "film");
  const auto text = print_decisions(file);
  ASSERT_THAT(text, IsOk());
  const std::string path = folder_.path("edited-kfm.json");
  media::write_file(path, *text);
  TestJob job = job_of("again", "again.json", filters);
  job.video().set_decisions(path);
  const Ran ran = run_attempt(job);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.end.result.notes(),
              Contains("kfm treats 12.5% of 40 source frames as film, 0.0% as 30p and 87.5% as 60p."));
  const std::string written = media::read_file(job.finished_path());
  const auto followed = parse_decisions(std::as_bytes(std::span(written)));
  ASSERT_THAT(followed, IsOk());
  ASSERT_EQ(followed->decisions_size(), 2);
  const v1::DecisionTimeline& timeline = followed->decisions(0).timeline();
  ASSERT_EQ(timeline.sections_size(), 8);
  EXPECT_EQ(timeline.sections(0).kind(), "24p film");
  EXPECT_EQ(timeline.sections(1).kind(), "60p");
  // 40 frames of 1001/30000 s in 8 cycles
  for (int i = 0; i < 8; i++) {
    EXPECT_EQ(timeline.sections(i).first_frame(), 5 * i);
    EXPECT_NEAR(timeline.sections(i).begin(), 5 * i * 1.001 / 30, 1e-5);
    EXPECT_NEAR(timeline.sections(i).end(), 5 * (i + 1) * 1.001 / 30, 1e-5);
    EXPECT_EQ(timeline.sections(i).values_size(), timeline.series_size());
  }
}

TEST_F(DecisionsJobTest, DecisionsOfOtherFiltersOrAnotherInputAreRefused) {
  const std::string text = analysed("other", "yadif=frame,decimate");
  const auto refusal = [&](const std::string& name, const std::string& filters, std::string decisions) {
    return run_attempt(encode_with(name, filters, decisions)).end.status;
  };
  EXPECT_THAT(
      refusal("options", "yadif=frame,decimate=cycle=6", text),
      StatusIs(StatusCode::kInvalidArgument,
               "made for the filters 'yadif=frame:parity=auto:frames=all:spatial-check=true,decimate=5'"));
  EXPECT_THAT(refusal("unused", "yadif=frame", text),
              StatusIs(StatusCode::kInvalidArgument, "the filters use 0 of them"));
  EXPECT_THAT(refusal("text", "yadif=frame,decimate", "{"),
              StatusIs(StatusCode::kInvalidArgument, "is not valid JSON"));
  EXPECT_THAT(refusal("version", "yadif=frame,decimate", R"({"version": 7})"),
              StatusIs(StatusCode::kInvalidArgument, "has version 7"));
  TestJob part = encode_with("part", "yadif=frame,decimate", text);
  part.video().set_from("5f");
  EXPECT_THAT(run_attempt(part).end.status, StatusIs(StatusCode::kInvalidArgument, "for another input"));
  const auto with_frame = [&](const std::string& frame) {
    std::string changed = text;
    const size_t at = changed.find("\"1 ");
    changed.replace(at, changed.find(',', at) - at, "\"" + frame + "\"");
    return changed;
  };
  for (const char* frame :
       {"1", "1 2", "1 2 3 4 5", "1 x 3", "", "1 2 3 ", "-1 2 3", "1 -99999999 3", "1 2 0"})
    EXPECT_THAT(refusal("frame", "yadif=frame,decimate", with_frame(frame)),
                StatusIs(StatusCode::kInvalidArgument, "decimate"))
        << frame;
}

TEST_F(DecisionsJobTest, MapsBeyondTheLimitsAreRefused) {
  const std::string text = analysed("limits", "yadif=frame,decimate");
  const auto parsed = parse_decisions(std::as_bytes(std::span(text)));
  ASSERT_THAT(parsed, IsOk());
  const auto refusal = [&](const std::string& name, const std::vector<std::string>& frames) {
    v1::DecisionFile file = *parsed;
    v1::DecisionMap& map = *file.mutable_decisions(0)->mutable_map();
    for (const std::string& frame : frames) map.add_frames(frame);
    return run_attempt(encode_with(name, "yadif=frame,decimate", *print_decisions(file))).end.status;
  };
  std::vector<std::string> repeated;
  for (int i = 0; i < 20; i++) repeated.push_back(fmt::format("39 {} 1", 90'000'000 + i));
  EXPECT_THAT(refusal("repeated", repeated),
              StatusIs(StatusCode::kInvalidArgument, "makes more than 16 frames"));
  EXPECT_THAT(refusal("gap", {"9000000000 90000000 1"}),
              StatusIs(StatusCode::kInvalidArgument, "leaves out more than 1024 frames"));
}

TEST_F(DecisionsJobTest, AChainWithoutAnalysisHasNoDecisions) {
  const TestJob job = job_of("none", "out.json", "yadif");
  EXPECT_THAT(run_attempt(job).end.status, StatusIs(StatusCode::kInvalidArgument, "have no analysis"));
}

TEST_F(DecisionsJobTest, AFrameBehindTheEndIsIgnored) {
  v1::DecisionFile file;
  const std::string text = analysed("behind", "yadif=frame,decimate");
  const auto parsed = parse_decisions(std::as_bytes(std::span(text)));
  ASSERT_THAT(parsed, IsOk());
  file = *parsed;
  file.mutable_decisions(0)->mutable_map()->add_frames("400 90000000 1000");
  const auto changed = print_decisions(file);
  ASSERT_THAT(changed, IsOk());
  const TestJob job = encode_with("more", "yadif=frame,decimate", *changed);
  const Ran ran = run_attempt(job);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_EQ(ran.end.result.units_out(), 32);
}

}  // namespace
}  // namespace weft::worker
