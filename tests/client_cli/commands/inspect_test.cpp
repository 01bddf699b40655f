// SPDX-License-Identifier: Apache-2.0
// Tests the commands that only read jobs: list, show, explain, logs, stats.
#include <google/protobuf/util/json_util.h>

#include "options/values.h"
#include "tests/client_cli/fixture.h"
#include "weft/v1/decisions.pb.h"

namespace weft::cli {
namespace {

using Look = Cli;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST_F(Look, ListAlignsItsColumnsAndShortensIds) {
  add_job(v1::JOB_STATE_SUCCEEDED, "/films/a.ts");
  const std::string id = add_job(v1::JOB_STATE_RUNNING, "/films/映像.ts");
  server_.change(id, progress(50));
  const auto result = weft({"list"});
  EXPECT_EQ(result.code, kExitDone);
  const auto lines = lines_of(result.output);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], MatchesRegex("ID +STATE +DONE +FPS +ETA +PRIORITY +DEVICE +AGE +FILES"));
  EXPECT_THAT(lines[1], AllOf(StartsWith("01JB"), HasSubstr("running    25.0%  25.0  0:00:06"),
                              EndsWith("映像.ts -> out.mkv")));
  EXPECT_THAT(lines[2], AllOf(HasSubstr("succeeded   100%"), HasSubstr("100%")));
  EXPECT_EQ(lines[1].find("running"), lines[2].find("succeeded"));
  EXPECT_EQ(lines[0].find("STATE"), lines[2].find("succeeded"));
}

TEST_F(Look, ListsAreSortedAndHaveChosenColumns) {
  for (const int priority : {3, 9, 1}) {
    v1::Job job;
    job.set_state(v1::JOB_STATE_QUEUED);
    job.mutable_spec()->mutable_video()->set_input(fmt::format("/films/{}.ts", priority));
    job.mutable_spec()->mutable_video()->set_output("/out.mkv");
    job.mutable_settings()->set_priority(priority);
    job.mutable_settings()->set_owner("ada");
    (*job.mutable_settings()->mutable_labels())["batch"] = "7";
    job.mutable_submit_time()->set_seconds(1790000000 + priority);
    server_.add(job);
  }
  EXPECT_EQ(weft({"list", "--sort", "-priority", "--columns", "priority,Owner,labels,path"}).output,
            "PRIORITY  OWNER  LABELS   PATH\n"
            "       9  ada    batch=7  /films/9.ts -> /out.mkv\n"
            "       3  ada    batch=7  /films/3.ts -> /out.mkv\n"
            "       1  ada    batch=7  /films/1.ts -> /out.mkv\n");
  EXPECT_EQ(weft({"list", "--sort=owner,priority", "--columns=input", "-n", "2"}).output,
            "INPUT\n/films/1.ts\n/films/3.ts\n");
  EXPECT_THAT(weft({"list", "--columns", "id,onwer"}).error,
              AllOf(HasSubstr("There is no column 'onwer'; did you mean 'owner'?"), HasSubstr("labels")));
  EXPECT_EQ(weft({"list", "--sort", "+id"}).code, kExitUsage);
  const std::string json = weft({"list", "--json", "--sort", "priority", "--columns", "id"}).output;
  EXPECT_LT(json.find("/films/1.ts"), json.find("/films/3.ts"));
  EXPECT_LT(json.find("/films/3.ts"), json.find("/films/9.ts"));
  EXPECT_EQ(weft({"list", "--since", "2026-09-21T14:13:24Z", "--columns", "priority"}).output,
            "PRIORITY\n       9\n");
  EXPECT_EQ(weft({"list", "--since", "1h"}).error, "No job matches.\n");
  EXPECT_EQ(weft({"list", "--since", "noon"}).code, kExitUsage);
}

TEST_F(Look, ListFiltersAndPages) {
  for (int i = 0; i < 7; i++) add_job(v1::JOB_STATE_QUEUED);
  add_job(v1::JOB_STATE_FAILED);
  EXPECT_EQ(lines_of(weft({"list", "--state", "failed"}).output).size(), 2u);
  const auto some = weft({"list", "-n", "3"});
  EXPECT_EQ(lines_of(some.output).size(), 4u);
  EXPECT_THAT(some.error, HasSubstr("3 of 8 jobs; --all shows every one."));
  EXPECT_EQ(lines_of(weft({"list", "--all"}).output).size(), 9u);
  EXPECT_THAT(weft({"list", "--state", "faild"}).error, HasSubstr("did you mean 'failed'?"));
  EXPECT_EQ(weft({"list", "-n", "0"}).code, kExitUsage);
  EXPECT_EQ(weft({"list", "--kind", "x"}).code, kExitUsage);
}

TEST_F(Look, ListWithoutJobsSaysSoOnStandardError) {
  const auto result = weft({"list"});
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.error, "There are no jobs.\n");
  EXPECT_EQ(weft({"list", "--state", "failed"}).error, "No job matches.\n");
  EXPECT_THAT(weft({"list", "--json"}).output,
              HasSubstr("{\"schema\": 1, \"jobs\": [], \"next_page_token\": \"\", \"total\": 0"));
}

TEST_F(Look, ShowTellsEverything) {
  const std::string id = add_job(v1::JOB_STATE_QUEUED);
  server_.change(id, begin());
  server_.change(id, succeed());
  const auto result = weft({"show", id});
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_THAT(result.output, AllOf(HasSubstr(id), HasSubstr("succeeded on cpu"), HasSubstr("/films/in.ts"),
                                   HasSubstr("200 in, 400 out"), HasSubstr("25.00 fps in, 50.00 fps out")));
  EXPECT_THAT(weft({"show", id, "--json"}).output, AllOf(StartsWith("{\"schema\": 1, \"id\": \"" + id),
                                                         HasSubstr("\"submit_time\": \"2026-09-2")));
  // With equal numbers of input and output frames one rate is printed.
  server_.change(id, [](v1::Job& job) { job.mutable_result()->set_units_out(200); });
  EXPECT_THAT(weft({"show", id}).output, AllOf(HasSubstr("25.00 fps\n"), Not(HasSubstr("fps in"))));
}

TEST_F(Look, ShowPrintsHashesAsSha256sumDoes) {
  v1::Job job;
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  job.mutable_spec()->mutable_image()->set_input("/films/in.%04d.exr");
  v1::OutputHash& frames = *job.mutable_result()->add_output_hashes();
  frames.set_path("/films/out.%04d.exr");
  frames.set_sha256("ab12");
  frames.set_files(48);
  v1::OutputHash& preview = *job.mutable_result()->add_output_hashes();
  preview.set_path("/films/look.png");
  preview.set_sha256("cd34");
  const std::string id = server_.add(job);
  EXPECT_THAT(weft({"show", id}).output, AllOf(HasSubstr("ab12  (list of 48 files) /films/out.%04d.exr\n"),
                                               HasSubstr("cd34  /films/look.png\n")));
  EXPECT_THAT(weft({"show", "--json", id}).output,
              HasSubstr("{\"path\": \"/films/look.png\", \"sha256\": \"cd34\", \"files\": 0}"));
}

TEST_F(Look, ShowPrintsTheOrderOfTheWorkerAlone) {
  const std::string id = add_job(v1::JOB_STATE_QUEUED);
  server_.change(id, begin());
  server_.change(id, succeed());
  const auto result = weft({"show", "--json", "--order", id});
  EXPECT_EQ(result.code, kExitDone);
  v1::Job order;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(result.output, &order).ok()) << result.output;
  EXPECT_EQ(order.id(), id);
  EXPECT_EQ(order.attempt(), 1);
  EXPECT_EQ(order.device(), "cpu");
  EXPECT_EQ(order.spec().video().input(), "/films/in.ts");
  EXPECT_EQ(order.state(), v1::JOB_STATE_UNSPECIFIED);
  EXPECT_FALSE(order.has_result() || order.has_submit_time());
}

// The daemon sends the text in parts.
TEST_F(Look, DecisionsArePrintedWithTheirTimeline) {
  const std::string id = add_job(v1::JOB_STATE_SUCCEEDED), other = add_job(v1::JOB_STATE_SUCCEEDED);
  v1::DecisionFile file;
  v1::DecisionTimeline& timeline = *file.add_decisions()->mutable_timeline();
  timeline.add_kinds("film");
  for (int i = 0; i < 100; i++) {
    v1::DecisionSection& section = *timeline.add_sections();
    section.set_first_frame(5 * i);
    section.set_frames(5);
    section.set_kind("film");
    section.add_values(i / 8.0);
  }
  std::string text;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(file, &text).ok());
  server_.set_decisions(id, text);
  for (const char* flag : {"--decisions", "--json"}) {
    const auto result = weft({"show", "--decisions", flag, id});
    v1::DecisionFile printed;
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(result.output, &printed).ok());
    EXPECT_EQ(printed.SerializeAsString(), file.SerializeAsString());
  }
  const auto none = weft({"show", "--decisions", other});
  EXPECT_EQ(none.code, kExitRejected);
  EXPECT_THAT(none.error, HasSubstr("There are no decisions of job"));
}

// The lines have the form of a table of exceptions. Characters with a meaning in it are escaped.
TEST_F(Look, ShowPrintsLinesForATableOfExceptions) {
  const std::string id = add_job(v1::JOB_STATE_QUEUED), other = add_job(v1::JOB_STATE_QUEUED);
  server_.change(id, [](v1::Job& job) {
    for (const char* name : {"door.dds", "#1 of *.dds", "back\\slash?.dds", "new\nline.dds"}) {
      v1::UpsampleException& found = *job.mutable_result()->mutable_textures()->add_exceptions();
      found.set_name(name);
      found.set_reason("Edges of blocks show.");
    }
  });
  const auto result = weft({"show", "--exceptions", id, other});
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_EQ(result.output,
            "door.dds\tEdges of blocks show.\n"
            "\\#1 of \\*.dds\tEdges of blocks show.\n"
            "back\\\\slash\\?.dds\tEdges of blocks show.\n"
            "new?line.dds\tEdges of blocks show.\n");
  EXPECT_THAT(weft({"show", "--json", "--exceptions", id}).output, HasSubstr("\"exceptions\": ["));
}

// The daemon stores jobs with every default filled in.
TEST_F(Look, ShowLeavesDefaultsOut) {
  v1::Job job;
  job.set_state(v1::JOB_STATE_QUEUED);
  v1::ImageJob& image = *job.mutable_spec()->mutable_image();
  image.set_input("/films/in.exr");
  image.set_output("/films/out.exr");
  v1::BloomOptions& bloom = *image.add_filters()->mutable_bloom();
  bloom.set_preset(v1::BLOOM_PRESET_STARBURST);
  bloom.set_padding(v1::BLOOM_PADDING_MIRROR);
  options::apply_defaults(*job.mutable_spec());
  options::apply_defaults(*job.mutable_settings());
  const std::string id = server_.add(job);
  const std::string page = weft({"show", id}).output;
  EXPECT_THAT(page, MatchesRegex(".*\nimage\n  input +/films/in.exr\n  output +/films/out.exr\n  filters "
                                 "+bloom=starburst:padding=mirror\n"
                                 "Defaults +[0-9]+ more options; `weft show --json " +
                                 id + "` has them.\n"));
  EXPECT_THAT(weft({"show", "--json", id}).output, HasSubstr("\"blades\": 6"));

  job.mutable_settings()->set_job_class(v1::JOB_CLASS_SPARE);
  EXPECT_THAT(weft({"show", server_.add(job)}).output, HasSubstr("\nqueue\n  class               spare\n"));
}

TEST_F(Look, ShowGoesOnAfterAnUnknownJob) {
  const std::string id = add_job(v1::JOB_STATE_QUEUED);
  const auto result = weft({"show", "nothing", id});
  EXPECT_EQ(result.code, kExitRejected);
  EXPECT_THAT(result.error, HasSubstr("There is no job (nothing)."));
  EXPECT_THAT(result.output, HasSubstr(id));
}

// Names may contain any characters. A terminal must display them and not interpret them.
TEST_F(Look, NamesAreShownNotActedOn) {
  v1::Job job;
  job.set_state(v1::JOB_STATE_FAILED);
  job.mutable_spec()->mutable_video()->set_input(
      "/films/a\x1b[2J\n\xc2\x9b"
      "1m\xe2\x80\xae.ts");
  job.mutable_spec()->mutable_video()->set_output("/films/out.mkv");
  job.mutable_settings()->set_owner("\x1b[31mmallory");
  job.set_waiting_reason("It waits for a\x1b[2J.");
  job.mutable_error()->set_message("The input (a\x1b[2J\n) is damaged.");
  const std::string id = server_.add(job);
  server_.add_log("The input (a\x1b[2J\nb) is damaged.");
  const std::string name = "a\\x1b[2J\\n\\u009b1m\\u202e.ts";
  EXPECT_THAT(weft({"list"}).output, HasSubstr(name + " -> out.mkv"));
  const std::string page = weft({"show", id}).output;
  EXPECT_THAT(page, AllOf(HasSubstr("/films/" + name), HasSubstr("\\x1b[31mmallory"),
                          HasSubstr("(a\\x1b[2J\\n) is")));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"list"},
                                             {"show", id},
                                             {"logs", id},
                                             {"explain", id},
                                             {"watch", id},
                                             {"top", "--once"},
                                             {"show", "\x1b[2J"},
                                             {"list", "--state", "\x1b[2J"},
                                             {"submit", "bwdif", "\x1b[2J", "-o", "x.mkv", "--\x1b[2J"}}) {
    const auto result = weft(words);
    EXPECT_THAT(result.output + result.error, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\xc2\x9b"))))
        << words[0];
  }
  EXPECT_THAT(weft({"show", id, "--json"}).output, HasSubstr("\"/films/a\\u001b[2J\\u000a"))
      << "data stays what it is";
}

TEST_F(Look, Explain) {
  const std::string id = add_job(v1::JOB_STATE_QUEUED);
  EXPECT_EQ(weft({"explain", id}).output,
            id + ": queued\n- The device cpu is busy.\n- 3 jobs stand before this one.\n");
  EXPECT_THAT(weft({"explain", id, "--json"}).output, HasSubstr("\"reasons\": [\"The device cpu is busy.\""));
}

TEST_F(Look, ExplainPrintsThePlanOfFiltersOrOfAJob) {
  std::vector<v1::SubmitJobRequest> asked;
  server_.on_submit([&](const v1::SubmitJobRequest& request) {
    asked.push_back(request);
    return grpc::Status::OK;
  });
  EXPECT_EQ(weft({"explain", "--graph", "bwdif=rate=frame,bob", "in.ts"}).output, "digraph plan {}\n");
  EXPECT_EQ(weft({"explain", add_job(v1::JOB_STATE_SUCCEEDED), "--graph"}).output, "digraph plan {}\n");
  ASSERT_EQ(asked.size(), 2u);
  for (const v1::SubmitJobRequest& request : asked)
    EXPECT_TRUE(request.validate_only() && request.plan_graph() && request.settings().overwrite());
  EXPECT_EQ(asked[0].spec().video().input(), server_.folder() + "/in.ts");
  EXPECT_EQ(asked[0].spec().video().filters(0).bwdif().rate(), v1::OUTPUT_RATE_FRAME);
  EXPECT_TRUE(asked[0].spec().video().filters(1).has_bob());
  EXPECT_EQ(asked[1].spec().video().input(), "/films/in.ts");
  EXPECT_THAT(asked[1].spec().video().output(), EndsWith("/weft-plan.out.mkv"))
      << "it may be writing its own";
  weft({"explain", "--graph", "bloom", "in.exr"});
  EXPECT_TRUE(asked.back().spec().has_image());
  EXPECT_THAT(asked.back().spec().image().output(), EndsWith("/weft-plan.exr"));
  weft({"explain", "--graph", "bloom", "in.####.exr"});
  EXPECT_THAT(asked.back().spec().image().output(), EndsWith("/weft-plan.%04d.exr"));
  EXPECT_EQ(server_.jobs().size(), 1u) << "none is added";
}

TEST_F(Look, APlanNeedsFiltersAndAFile) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--graph", "bwdif"}, "The plan of filters (bwdif) depends on their input"},
      {{"bwdif", "in.ts"}, "A file (in.ts) follows filters; add --graph to print their plan"},
      {{"--graph", "bwdfi", "in.ts"}, "did you mean 'bwdif'?"},
      {{"--graph", "video", "in.ts"}, "'video' is a kind of job, not a filter"},
  };
  for (const auto& [words, text] : cases) {
    std::vector<std::string> all = {"explain"};
    all.insert(all.end(), words.begin(), words.end());
    const auto result = weft(all);
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error, HasSubstr(text));
  }
  v1::Job job;
  job.mutable_spec()->mutable_benchmark();
  const auto result = weft({"explain", "--graph", server_.add(job)});
  EXPECT_EQ(result.code, kExitRejected);
  EXPECT_THAT(result.error, HasSubstr("A job 'bench' has no chain of filters"));
}

TEST_F(Look, LogsArePrintedAndFollowed) {
  const std::string id = add_job(v1::JOB_STATE_RUNNING);
  server_.add_log("Segment 0 is durable.");
  EXPECT_THAT(weft({"logs", id}).output, MatchesRegex("[0-9: -]+ #1 info    Segment 0 is durable.\n"));
  EXPECT_THAT(weft({"logs", id, "--json"}).output, HasSubstr("\"text\": \"Segment 0 is durable.\""));
  test::Process process(options({"logs", "-f", id}));
  ASSERT_TRUE(process.wait_for_output("Segment 0"));
  server_.add_log("Segment 1 is durable.");
  ASSERT_TRUE(process.wait_for_output("Segment 1"));
  server_.change(id, succeed());
  EXPECT_EQ(process.wait(), kExitDone);
}

TEST_F(Look, Stats) {
  EXPECT_THAT(weft({"stats"}).output, HasSubstr("No job ended"));
  v1::GetStatisticsResponse statistics;
  for (const char* day : {"2026-11-21", "2026-11-22"}) statistics.add_days()->set_day(day);
  v1::JobTotals totals;
  totals.set_succeeded(12);
  totals.set_failed(3);
  totals.set_units(4500);
  totals.mutable_gpu_time()->set_seconds(90);
  *statistics.mutable_days(1)->mutable_totals() = totals;
  *statistics.mutable_total() = totals;
  statistics.add_owners()->set_name("ann");
  v1::FailureTotals& failure = *statistics.add_failures();
  failure.set_reason("data-loss");
  failure.set_jobs(3);
  failure.set_newest_message("The file (a.ts) is damaged.");
  server_.set_statistics(statistics);
  const std::string output = weft({"stats", "--days", "2"}).output;
  EXPECT_EQ(server_.statistics_request().days(), 2);
  EXPECT_THAT(output, AllOf(HasSubstr("2026-11-22         12       3          0   4500      0:01:30"),
                            Not(HasSubstr("2026-11-21")), HasSubstr("OWNER"), HasSubstr("ann"),
                            HasSubstr("data-loss"), HasSubstr("The file (a.ts) is damaged.")));
  EXPECT_THAT(weft({"stats", "--json"}).output, HasSubstr("\"succeeded\": 12"));
  static_cast<void>(weft({"stats", "--from", "2026-11-01", "--to", "2026-11-02"}));
  EXPECT_EQ(server_.statistics_request().first_day(), "2026-11-01");
  EXPECT_EQ(server_.statistics_request().last_day(), "2026-11-02");
  EXPECT_THAT(weft({"stats", "--days", "0"}).error, HasSubstr("--days"));
}

}  // namespace
}  // namespace weft::cli
