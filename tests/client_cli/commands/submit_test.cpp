// SPDX-License-Identifier: Apache-2.0
#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

using Submit = Cli;

TEST_F(Submit, FoldersOfOutputsAreCreatedOnRequest) {
  const std::string folder = server_.folder() + "/new/deeper";
  ASSERT_EQ(weft({"submit", "bwdif", "a.ts", "-o", "new/deeper/{stem}.mkv", "--mkdir", "--dry-run"}).code,
            kExitDone);
  EXPECT_FALSE(std::filesystem::exists(folder)) << "a dry run creates nothing";
  ASSERT_EQ(weft({"submit", "bwdif", "a.ts", "-o", "new/deeper/{stem}.mkv", "--mkdir"}).code, kExitDone);
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  write_file("file", "");
  const auto refused = weft({"submit", "bwdif", "a.ts", "-o", "file/{stem}.mkv", "--mkdir"});
  EXPECT_EQ(refused.code, kExitRejected);
  EXPECT_THAT(refused.error, HasSubstr("/file) cannot be created"));
}

TEST_F(Submit, AFileWhoseNameCannotBeSentDoesNotStopTheOthers) {
  const auto result = weft({"submit", "bwdif", "a.ts", "b\xff.ts", "c.ts", "-o", "{stem}.mkv"});
  EXPECT_EQ(result.code, kExitUsage);
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2) << "two ids";
  EXPECT_THAT(result.error, AllOf(HasSubstr("b"), HasSubstr("ts: The name of the file is not valid UTF-8")));
  EXPECT_EQ(weft({"submit", "bwdif", "b\xff.ts", "-o", "{stem}.mkv"}).code, kExitUsage);
}

TEST_F(Submit, PrintsTheIdAndSaysHowToFollow) {
  const auto result = weft({"submit", "bwdif", "in.ts", "-o", "out.mkv"});
  EXPECT_EQ(result.code, kExitDone);
  const v1::Job job = server_.jobs().at(0);
  EXPECT_EQ(result.output, job.id() + "\n");
  EXPECT_THAT(result.error, HasSubstr("`weft watch " + job.id() + "` follows it"));
  EXPECT_EQ(job.spec().video().input(), server_.folder() + "/in.ts");
  EXPECT_EQ(job.spec().video().output(), server_.folder() + "/out.mkv");
}

TEST_F(Submit, DetachPrintsNothingButTheId) {
  const auto result = weft({"submit", "bwdif", "in.ts", "-o", "out.mkv", "--detach"});
  EXPECT_EQ(result.output, server_.jobs().at(0).id() + "\n");
  EXPECT_EQ(result.error, "");
}

TEST_F(Submit, FlagsReachTheSpecification) {
  const auto result = weft({"submit",
                            "yadif=rate=frame:spatial-check=false",
                            "in.ts",
                            "-o",
                            "out.mkv",
                            "--encoder",
                            "svt-av1",
                            "--encoder-option",
                            "crf=18",
                            "--encoder-option",
                            "preset=4",
                            "--class",
                            "spare",
                            "--priority",
                            "-5",
                            "--device",
                            "cpu",
                            "--label",
                            "show=film",
                            "-y",
                            "--segment-frames",
                            "30"});
  ASSERT_EQ(result.code, kExitDone) << result.error;
  const v1::Job job = server_.jobs().at(0);
  const v1::VideoJob& spec = job.spec().video();
  ASSERT_EQ(spec.filters_size(), 1);
  ASSERT_TRUE(spec.filters(0).has_yadif());
  EXPECT_EQ(spec.filters(0).yadif().rate(), v1::OUTPUT_RATE_FRAME);
  EXPECT_FALSE(spec.filters(0).yadif().spatial_check());
  EXPECT_EQ(spec.encoding().encoder(), v1::ENCODER_SVT_AV1);
  EXPECT_EQ(spec.encoding().encoder_options().at("crf"), "18");
  EXPECT_EQ(spec.encoding().encoder_options().at("preset"), "4");
  EXPECT_EQ(spec.encoding().segment_frames(), 30);
  EXPECT_EQ(job.settings().job_class(), v1::JOB_CLASS_SPARE);
  EXPECT_EQ(job.settings().priority(), -5);
  EXPECT_EQ(job.settings().device(), "cpu");
  EXPECT_EQ(job.settings().labels().at("show"), "film");
  EXPECT_TRUE(job.settings().overwrite());
}

TEST_F(Submit, SeveralInputsMakeAJobEach) {
  const auto result =
      weft({"submit", "bwdif", "a.ts", "sub/b.ts", "-o", "{dir}/{stem}.{filter}.{index}.mkv"});
  ASSERT_EQ(result.code, kExitDone) << result.error;
  const auto jobs = server_.jobs();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].spec().video().output(), server_.folder() + "/a.bwdif.1.mkv");
  EXPECT_EQ(jobs[1].spec().video().output(), server_.folder() + "/sub/b.bwdif.2.mkv");
  EXPECT_EQ(result.output, jobs[0].id() + "\n" + jobs[1].id() + "\n");
}

TEST_F(Submit, ListsAndStandardInputNameInputs) {
  write_file("list.txt", "a.ts\n# not this\n\n/abs/b.ts\r\n");
  auto with_input = options({"submit", "bwdif", "@list.txt", "@-", "-o", "done/"});
  with_input.input = "c.ts\n";
  const auto result = test::run(with_input);
  ASSERT_EQ(result.code, kExitDone) << result.error;
  const auto jobs = server_.jobs();
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].spec().video().output(), server_.folder() + "/done/a.ts");
  EXPECT_EQ(jobs[1].spec().video().input(), "/abs/b.ts");
  EXPECT_EQ(jobs[2].spec().video().input(), server_.folder() + "/c.ts");
}

TEST_F(Submit, AChainIsWrittenAsFFmpegDoes) {
  const auto result =
      weft({"submit", "video", "in.ts", "-o", "{stem}.{filter}.mkv", "--filters",
            "bwdif, resize=1280x720:kernel=spline36, merge=a='deband,bob':b=bloom=kernel=star.exr", "--from",
            "1:30", "--to", "2500f"});
  ASSERT_EQ(result.code, kExitDone) << result.error;
  const v1::VideoJob spec = server_.jobs().at(0).spec().video();
  ASSERT_EQ(spec.filters_size(), 3);
  EXPECT_EQ(spec.filters(1).resize().size(), "1280x720");
  EXPECT_EQ(spec.filters(2).merge().a_size(), 2);
  EXPECT_EQ(spec.filters(2).merge().b(0).bloom().kernel(), server_.folder() + "/star.exr");
  EXPECT_EQ(spec.output(), server_.folder() + "/in.bwdif+resize+merge.mkv");
  EXPECT_EQ(spec.from(), "1:30");
  EXPECT_EQ(spec.to(), "2500f");
}

TEST_F(Submit, AMistakeInAChainShowsItsPlace) {
  const auto result =
      weft({"submit", "video", "in.ts", "-o", "out.mkv", "--filters", "bwdif,resise=1280x720"});
  EXPECT_EQ(result.code, kExitUsage);
  EXPECT_EQ(
      result.error,
      "weft: There is no filter 'resise'; did you mean 'resize'?\n  bwdif,resise=1280x720\n        ^\n");
  EXPECT_THAT(weft({"submit", "image", "in.exr", "-o", "out.exr", "--filters", "bwdif"}).error,
              HasSubstr("There is no filter 'bwdif'"));
  EXPECT_EQ(server_.submits(), 0);
}

TEST_F(Submit, TheFirstWordIsAChainOfFilters) {
  ASSERT_EQ(weft({"submit", "yadif=rate=field,resize=1280x720", "in.ts", "-o", "out.mkv"}).code, kExitDone);
  ASSERT_EQ(weft({"submit", "-o", "{filter}.mkv", "bwdif, bob=rate=frame", "--", "-dash.ts"}).code,
            kExitDone);
  const auto jobs = server_.jobs();
  const v1::VideoJob& spec = jobs.at(0).spec().video();
  ASSERT_EQ(spec.filters_size(), 2);
  EXPECT_EQ(spec.filters(0).yadif().rate(), v1::OUTPUT_RATE_FIELD);
  EXPECT_EQ(spec.filters(1).resize().size(), "1280x720");
  EXPECT_EQ(jobs.at(1).spec().video().input(), server_.folder() + "/-dash.ts");
  EXPECT_EQ(jobs.at(1).spec().video().output(), server_.folder() + "/bwdif+bob.mkv");
}

TEST_F(Submit, TheFiltersAndTheOutputChooseTheKind) {
  ASSERT_EQ(weft({"submit", "bloom=starburst", "in.exr", "-o", "out.png", "--missing", "skip"}).code,
            kExitDone);
  ASSERT_EQ(weft({"submit", "bloom", "in.mp4", "-o", "out.mkv", "--encoder", "ffv1"}).code, kExitDone);
  ASSERT_EQ(weft({"submit", "bloom", "in.exr", "-o", "done/"}).code, kExitDone);
  ASSERT_EQ(weft({"submit", "bwdif", "in.ts", "-o", "out.png"}).code, kExitDone);
  std::filesystem::create_directory(server_.folder() + "/done");
  ASSERT_EQ(weft({"submit", "bloom", "in.exr", "-o", "done"}).code, kExitDone);
  const auto jobs = server_.jobs();
  EXPECT_EQ(jobs[0].spec().image().filters(0).bloom().preset(), v1::BLOOM_PRESET_STARBURST);
  EXPECT_EQ(jobs[0].spec().image().missing(), v1::MISSING_FRAMES_SKIP);
  EXPECT_TRUE(jobs[1].spec().video().filters(0).has_bloom());
  EXPECT_TRUE(jobs[2].spec().has_image());
  EXPECT_TRUE(jobs[3].spec().has_video()) << "an image's chain has no deinterlacer";
  EXPECT_TRUE(jobs[4].spec().has_image()) << "a folder without a slash";
  EXPECT_THAT(weft({"submit", "bloom", "in.exr", "-o", "out.exr", "--encoder", "ffv1"}).error,
              HasSubstr("--encoder does not count here, a job 'image' has no such option"));
}

TEST_F(Submit, AFirstWordThatIsNoFilterIsShownTheWay) {
  write_file("in.ts", "");
  write_file("bloom", "");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"bwdfi", "in.ts", "-o", "out.mkv"}, "no filter and no kind of job 'bwdfi'; did you mean 'bwdif'?"},
      {{"vidoe", "in.ts", "-o", "out.mkv"}, "did you mean 'video'?"},
      {{"upsample=model=none", "in.dds", "-o", "out.dds"},
       "'upsample' is a kind of job, not a filter; its options are flags"},
      {{"bwdif,resise=8x8", "in.ts", "-o", "out.mkv"},
       "did you mean 'resize'?\n  bwdif,resise=8x8\n        ^"},
      {{"bwdif=rate=x", "in.ts", "-o", "out.png"},
       "The option 'rate' (x) is not one of the choices. Use field or frame.\n  bwdif=rate=x\n             "
       "^"},
      {{"in.ts", "-o", "out.mkv"},
       "The first word (in.ts) is a file; write the filters or the kind of job in front"},
      {{"bloom", "-o", "out.mkv"},
       "there is only the word 'bloom', which names filters; write the file behind it"},
      {{"deinterlace", "in.ts", "-o", "out.mkv", "--filter", "yadif"}, "name the deinterlacer"},
      {{"yadif", "in.ts", "-o", "out.mkv", "--rate", "frame"},
       "no option '--rate': it belongs to the filter. Write it after the filter's name "
       "(yadif=rate=field|frame)"},
      {{"yadif", "in.ts", "-o", "out.mkv", "--no-spatial-check"}, "(yadif=spatial-check=VALUE)"},
  };
  for (const char* command : {"submit", "run"})
    for (const auto& [words, text] : cases) {
      std::vector<std::string> all = {command};
      all.insert(all.end(), words.begin(), words.end());
      const auto result = weft(all);
      EXPECT_EQ(result.code, kExitUsage) << result.error;
      EXPECT_THAT(result.error, HasSubstr(text));
    }
  EXPECT_EQ(server_.submits(), 0);
  EXPECT_EQ(weft({"submit", "bloom", "bloom", "-o", "out.mkv"}).code, kExitDone) << "a file like a filter";
}

TEST_F(Submit, AProfileMayHoldAChain) {
  write_file(
      "chain.json",
      R"({"spec": {"video": {"output": "{stem}.mkv", "filters": [{"bob": {}}, {"deband": {"range": 9}}]}}})");
  ASSERT_EQ(weft({"submit", "video", "a.ts", "--profile", "./chain.json"}).code, kExitDone);
  ASSERT_EQ(weft({"submit", "video", "b.ts", "--profile", "./chain.json", "--filters", "weave"}).code,
            kExitDone);
  ASSERT_EQ(weft({"submit", "yadif", "c.ts", "--profile", "./chain.json"}).code, kExitDone);
  const auto jobs = server_.jobs();
  EXPECT_EQ(jobs[0].spec().video().filters(1).deband().range(), 9);
  ASSERT_EQ(jobs[1].spec().video().filters_size(), 1);
  EXPECT_TRUE(jobs[1].spec().video().filters(0).has_weave());
  ASSERT_EQ(jobs[2].spec().video().filters_size(), 1);
  EXPECT_TRUE(jobs[2].spec().video().filters(0).has_yadif());
}

TEST_F(Submit, MistakesAreFoundBeforeTheDaemonIsAsked) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"in.ts", "-o", "out.mkv", "--segment-frames", "0"}, "'segment-frames' (0) is below its limit (1)"},
      {{"in.ts", "-o", "out.mkv", "--encoder-option", "crf"}, "KEY=VALUE"},
      {{"in.ts", "-o", "out.mkv", "--encodr", "x264"}, "did you mean '--encoder'?"},
      {{"a.ts", "b.ts", "-o", "out.mkv"}, "have the same output"},
      {{"in.ts", "-o", "{dir}/{stm}.mkv"}, "did you mean 'stem'?"},
      {{"in.ts", "-o", "{dir"}, "leaves a brace open"},
      {{"in.ts", "-o", "./in.ts"}, "is the input itself"},
      {{"@nothing.txt", "-o", "out.mkv"}, "(nothing.txt) cannot be opened"},
      {{"in.ts"}, "--output is required; give it (-o OUT)"},
      {{"in.ts", "made.mkv"}, "/made.mkv? Then write -o in front of it."},
      {{"-", "-o", "out.mkv"}, "`weft pipe` takes frames from a program"},
      {{"in.ts", "-o", "-"}, "use `weft pipe` to pass frames to a program"},
      {{"in\xff.ts", "-o", "out.mkv"}, "in\\xff.ts: The name of the file is not valid UTF-8"},
      {{"-o", "out.mkv"}, "IN is required"},
      {{"in.ts", "-o", "out.mkv", "--timeout", "soon"}, "The time (soon) is not understood"},
      {{"in.ts", "-o", "out.mkv", "--wait", "--follow"}, "excludes"},
      {{"in.ts", "-o", "out.mkv", "--timeout", "5m"},
       "--timeout (5m) is for waiting; give --wait or --follow too"},
      {{"in.ts", "-o"}, "--output needs a value"},
      {{"\xff.ts", "-o", "out.mkv"}, "UTF-8"},
  };
  for (const auto& [words, text] : cases) {
    std::vector<std::string> all = {"submit", "bwdif"};
    all.insert(all.end(), words.begin(), words.end());
    const auto result = weft(all);
    EXPECT_EQ(result.code, kExitUsage) << result.error;
    EXPECT_THAT(result.error, HasSubstr(text));
    EXPECT_EQ(result.output, "");
  }
  EXPECT_EQ(server_.submits(), 0);
}

TEST_F(Submit, ARefusalNamesTheInputAndTheOthersGoOn) {
  server_.on_submit([](const v1::SubmitJobRequest& request) {
    const bool bad = request.spec().video().input().ends_with("bad.ts");
    return bad ? test::refuse(invalid_argument("The file has no video stream.")) : grpc::Status::OK;
  });
  const auto result = weft({"submit", "bwdif", "bad.ts", "good.ts", "-o", "{stem}.mkv"});
  EXPECT_EQ(result.code, kExitRejected);
  EXPECT_THAT(result.error, HasSubstr("/bad.ts: The file has no video stream."));
  EXPECT_EQ(server_.jobs().size(), 1u);
  EXPECT_EQ(result.output, server_.jobs()[0].id() + "\n");
}

TEST_F(Submit, TheSameRequestIdIsTheSameJob) {
  const std::vector<std::string> words = {"submit",  "bwdif",        "in.ts", "-o",
                                          "out.mkv", "--request-id", "mine"};
  EXPECT_EQ(weft(words).output, weft(words).output);
  EXPECT_EQ(server_.jobs().size(), 1u);
  EXPECT_EQ(server_.jobs()[0].request_id(), "mine");
  weft({"submit", "bwdif", "a.ts", "b.ts", "-o", "{stem}.mkv", "--request-id", "two"});
  EXPECT_EQ(server_.jobs().at(1).request_id(), "two-1");
  EXPECT_EQ(server_.jobs().at(2).request_id(), "two-2");
}

TEST_F(Submit, DryRunPrintsTheJobsAndAddsNone) {
  const auto result =
      weft({"submit", "yadif=rate=field", "in.ts", "-o", "out.mkv", "--encoder", "x264", "--dry-run"});
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("/in.ts"), HasSubstr("/out.mkv"), HasSubstr("mpeg2video 720x480"),
                    HasSubstr("100 in, 200 out"), HasSubstr("1.0 MiB"),
                    HasSubstr("options   filters yadif, encoder x264\n")));
  EXPECT_TRUE(server_.jobs().empty());
  const auto json = weft({"submit", "bwdif", "in.ts", "-o", "out.mkv", "--dry-run", "--json"});
  EXPECT_THAT(json.output,
              AllOf(StartsWith("{\"schema\": 1, \"job\": {\"id\": \"\", "), HasSubstr("\"units_in\": 100")));
}

TEST_F(Submit, ADryRunSaysHowLongTheJobWouldTakeOnEachDevice) {
  const auto run = [&] { return weft({"submit", "bwdif", "in.ts", "-o", "out.mkv", "--dry-run"}).output; };
  EXPECT_THAT(run(), HasSubstr("time      not known"));
  v1::DevicePrediction slow, fast;
  slow.set_summary("cpu: done in about 100 s: it is slow.");
  fast.set_summary("cuda:0: done in about 2 s: it is fast.");
  fast.set_chosen(true);
  server_.predict({slow, fast});
  EXPECT_THAT(run(), AllOf(HasSubstr("or        cpu: done in about 100 s"),
                           HasSubstr("time      cuda:0: done in about 2 s")));
}

TEST_F(Submit, AProfileHasOptionsAndTheLineCountsMore) {
  write_file(
      "tapes.json",
      R"({"spec": {"video": {"output": "{dir}/{stem}.{encoder}.mkv", "encoding": {"encoder": "ENCODER_X265",
                 "encoder_options": {"crf": "18", "preset": "slow"}}}}, "settings": {"priority": 5}})");
  auto result = weft({"submit", "bwdif", "a.ts", "b.ts", "--profile", "./tapes.json", "--encoder-option",
                      "crf=20", "--device", "cpu"});
  ASSERT_EQ(result.code, kExitDone) << result.error;
  const auto jobs = server_.jobs();
  ASSERT_EQ(jobs.size(), 2u);
  const v1::VideoJob& spec = jobs[1].spec().video();
  EXPECT_EQ(spec.output(), server_.folder() + "/b.x265.mkv");
  EXPECT_EQ(spec.encoding().encoder_options().at("crf"), "20");
  EXPECT_EQ(spec.encoding().encoder_options().at("preset"), "slow");
  EXPECT_EQ(jobs[1].settings().priority(), 5);
  EXPECT_EQ(jobs[1].settings().device(), "cpu");
  weft({"submit", "bwdif", "c.ts", "--profile", "./tapes.json", "-o", "mine.mkv"});
  EXPECT_EQ(server_.jobs().at(2).spec().video().output(), server_.folder() + "/mine.mkv");
}

TEST_F(Submit, ProfilesAreFoundByName) {
  std::filesystem::create_directories(server_.folder() + "/weft/profiles");
  write_file("weft/profiles/spare.json", R"({"settings": {"job_class": "JOB_CLASS_SPARE"}})");
  const auto with = [&](const std::string& profile, const std::vector<std::string>& more) {
    auto call = options({"submit", "bwdif", "a.ts", "--profile", profile});
    call.words.insert(call.words.end(), more.begin(), more.end());
    call.environment["XDG_CONFIG_HOME"] = server_.folder();
    return test::run(call);
  };
  ASSERT_EQ(with("spare", {"-o", "a.mkv"}).code, kExitDone);
  EXPECT_EQ(server_.jobs().at(0).settings().job_class(), v1::JOB_CLASS_SPARE);
  EXPECT_THAT(with("spaer", {"-o", "a.mkv"}).error, HasSubstr("did you mean 'spare'?"));
  EXPECT_THAT(with("spare", {}).error, HasSubstr("--output is required"));
  write_file("glow.json", R"({"spec": {"image": {}}})");
  const auto other = with("./glow.json", {"-o", "a.mkv"});
  EXPECT_EQ(other.code, kExitUsage);
  EXPECT_THAT(other.error, HasSubstr("is for the job 'image'"));
}

TEST_F(Submit, JsonPrintsTheJobs) {
  const auto result = weft({"--json", "submit", "bwdif", "a.ts", "b.ts", "-o", "{stem}.mkv"});
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2);
  EXPECT_THAT(result.output,
              AllOf(StartsWith("{\"schema\": 1, \"id\": \"01JB"), HasSubstr("\"state\": \"queued\""),
                    HasSubstr("\"filters\": [{\"bwdif\": {\"rate\": \"field\"")));
  EXPECT_EQ(result.error, "");
}

TEST_F(Submit, FilesMayBeCalledLikeCommands) {
  const auto result = weft({"submit", "bwdif", "list", "help", "-o", "{stem}.mkv", "--json"});
  EXPECT_EQ(result.code, kExitDone) << result.error;
  EXPECT_EQ(server_.jobs().size(), 2u);
}

TEST_F(Submit, PathsThroughLinksStayWhatTheyAre) {
  std::filesystem::create_directories(server_.folder() + "/real/deep");
  std::filesystem::create_symlink(server_.folder() + "/real/deep", server_.folder() + "/link");
  weft({"submit", "bwdif", "link/in.ts", "link/../up.ts", "-o", "{stem}.mkv"});
  const auto jobs = server_.jobs();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].spec().video().input(), server_.folder() + "/link/in.ts");
  EXPECT_EQ(jobs[1].spec().video().input(), server_.folder() + "/real/up.ts");
}

}  // namespace
}  // namespace weft::cli
