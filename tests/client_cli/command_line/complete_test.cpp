// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/complete.h"

#include <gmock/gmock.h>

#include "client_cli/commands/commands.h"
#include "client_cli/context/context.h"
#include "options/job_kinds.h"
#include "weft/v1/filters.pb.h"

namespace weft::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Complete : public ::testing::Test {
 protected:
  Complete() { build_commands(root_, context_); }

  Completion at(const std::vector<std::string>& words) { return complete(root_, words, live_); }
  std::vector<std::string> words_at(const std::vector<std::string>& words) {
    std::vector<std::string> result;
    for (const Candidate& candidate : at(words).candidates) result.push_back(candidate.word);
    return result;
  }

  Command root_{"weft", "The tool."};
  CommandContext context_;
  LiveValues live_{[](const std::vector<v1::JobState>& states) {
                     if (states.empty())
                       return std::vector<Candidate>{{"01JA", "queued"}, {"01JB", "running"}};
                     std::vector<Candidate> jobs;
                     for (const v1::JobState state : states)
                       jobs.push_back({options::choice_name(state), ""});
                     return jobs;
                   },
                   [] {
                     return std::vector<Candidate>{{"cpu", ""}, {"cuda:0", ""}};
                   }};
};

TEST_F(Complete, Commands) {
  EXPECT_THAT(words_at({"re"}), ElementsAre("resume", "retry", "resubmit"));
  std::vector<std::string> kinds;
  for (const options::JobKind& kind : options::job_kinds()) kinds.push_back(kind.name);
  for (const std::string& name : options::names_of(options::filters_of(v1::VideoFilter::descriptor())))
    kinds.push_back(name);
  EXPECT_EQ(words_at({"submit", ""}), kinds);
  EXPECT_EQ(words_at({"run", ""}), kinds);
  EXPECT_THAT(words_at({""}), Not(Contains("__complete")));
  EXPECT_FALSE(at({""}).candidates[0].help.empty());
}

TEST_F(Complete, Flags) {
  EXPECT_THAT(words_at({"submit", "bwdif", "--enc"}),
              ElementsAre("--encoder", "--encoder-preset", "--encoder-option", "--encoder-threads"));
  EXPECT_THAT(words_at({"submit", "bwdif", "--no-"}),
              AllOf(Contains("--no-overwrite"), Each(StartsWith("--no-"))));
  EXPECT_THAT(words_at({"list", "--js"}), ElementsAre("--json"));
}

TEST_F(Complete, ColumnsOfAList) {
  EXPECT_THAT(words_at({"list", "--columns", "id,la"}), ElementsAre("id,labels"));
  EXPECT_THAT(words_at({"list", "--sort=state,-prio"}), ElementsAre("--sort=state,-priority"));
  EXPECT_THAT(words_at({"list", "--sort", "-prio"}), ElementsAre("-priority"));
  EXPECT_TRUE(at({"list", "--columns", "i"}).goes_on);
}

TEST_F(Complete, ValuesOfFlags) {
  EXPECT_THAT(words_at({"submit", "bwdif", "in.ts", "--encoder", "x26"}), ElementsAre("x264", "x265"));
  EXPECT_THAT(words_at({"submit", "-o", "out.mkv", "bwdif", "--encoder=x26"}),
              ElementsAre("--encoder=x264", "--encoder=x265"));
  EXPECT_THAT(words_at({"submit", "bwdif", "--device", "c"}), ElementsAre("cpu", "cuda:0"));
  EXPECT_THAT(words_at({"list", "--state", "f"}), ElementsAre("failed"));
  EXPECT_THAT(words_at({"--color", ""}), ElementsAre("auto", "always", "never"));
  EXPECT_THAT(words_at({"submit", "bwdif", "--priority", ""}), IsEmpty());
}

TEST_F(Complete, InsideAChain) {
  const auto chain = [&](const std::string& typed) {
    return words_at({"submit", "video", "in.ts", "--filters", typed});
  };
  std::vector<std::string> filters;
  for (const options::FilterKind& filter : options::filters_of(v1::VideoFilter::descriptor()))
    filters.push_back("bwdif, " + filter.name());
  EXPECT_EQ(chain("bwdif, "), filters);
  EXPECT_THAT(chain("b"), AllOf(Contains("bob"), Contains("bwdif"), Each(StartsWith("b"))));
  EXPECT_THAT(chain("bwdif,deba"), ElementsAre("bwdif,deband"));
  EXPECT_THAT(chain("bwdif=p"), ElementsAre("bwdif=parity="));
  EXPECT_THAT(chain("bwdif=f"), ElementsAre("bwdif=field", "bwdif=frame", "bwdif=frames="));
  EXPECT_THAT(chain("bwdif=rate=fi"), ElementsAre("bwdif=rate=field"));
  EXPECT_THAT(chain("bwdif=rate=field:"),
              ElementsAre("bwdif=rate=field:parity=", "bwdif=rate=field:frames="));
  EXPECT_THAT(chain("yadif=spatial-check=t"), ElementsAre("yadif=spatial-check=true"));
  EXPECT_THAT(chain("merge=a='deband,cro"), ElementsAre("merge=a='deband,crop"));
  EXPECT_THAT(chain("nothing=x"), IsEmpty());
  EXPECT_THAT(words_at({"submit", "image", "--filters=bloo"}), ElementsAre("--filters=bloom"));
  EXPECT_TRUE(at({"pipe", "bwd"}).goes_on);
  EXPECT_THAT(words_at({"submit", "bwd"}), ElementsAre("bwdif"));
  EXPECT_THAT(words_at({"run", "bwdif=p"}), ElementsAre("bwdif=parity="));
  EXPECT_THAT(words_at({"pipe", "bwdif=frame,yadif=rate=fi"}), ElementsAre("bwdif=frame,yadif=rate=field"));
  EXPECT_FALSE(at({"submit", "bwd"}).files);
  EXPECT_FALSE(at({"submit", "video", "--encoder", ""}).goes_on);
}

TEST_F(Complete, WordsOfCommands) {
  EXPECT_THAT(words_at({"show", ""}), ElementsAre("01JA", "01JB"));
  EXPECT_THAT(words_at({"show", "01JA", "01JB"}), ElementsAre("01JB"));
  EXPECT_THAT(words_at({"logs", "01JA", ""}), IsEmpty());
  EXPECT_THAT(words_at({"priority", ""}), IsEmpty());
  EXPECT_THAT(words_at({"priority", "3", ""}), ElementsAre("queued", "running", "paused"));
  EXPECT_THAT(words_at({"cancel", ""}), ElementsAre("queued", "running", "paused"));
  EXPECT_THAT(words_at({"retry", ""}), ElementsAre("failed", "cancelled"));
  EXPECT_THAT(words_at({"resume", ""}), ElementsAre("paused", "cpu", "cuda:0"));
  EXPECT_THAT(words_at({"trace", "c"}), ElementsAre("cpu", "cuda:0"));
  EXPECT_THAT(words_at({"trace", "0"}), ElementsAre("01JA", "01JB"));
  EXPECT_THAT(words_at({"bench", "run", "vec"}), ElementsAre("vector"));
  EXPECT_THAT(words_at({"drain", "cu"}), ElementsAre("cuda:0"));
  EXPECT_THAT(words_at({"completion", "z"}), ElementsAre("zsh"));
}

TEST_F(Complete, SettingsOfAJob) {
  EXPECT_THAT(words_at({"resubmit", "01JA", "--set", "cr"}), ElementsAre("crf="));
  EXPECT_THAT(words_at({"resubmit", "01JA", "--set=lab"}), ElementsAre("--set=label="));
  EXPECT_TRUE(at({"resubmit", "01JA", "--set", "cr"}).goes_on);
  EXPECT_THAT(words_at({"resubmit", "01JA", "--set", "encoder=x26"}),
              ElementsAre("encoder=x264", "encoder=x265"));
  EXPECT_THAT(words_at({"resubmit", "01JA", "--set", "filters=bwd"}), Contains("filters=bwdif"));
  EXPECT_THAT(words_at({"resubmit", "01JA", "--set", "nothing=x"}), IsEmpty());
}

TEST_F(Complete, TopicsOfHelp) {
  EXPECT_THAT(words_at({"help", ""}), AllOf(Contains("submit"), Contains("filters"), Contains("encoders"),
                                            Contains("bwdif"), Contains("x264")));
  EXPECT_THAT(words_at({"help", "BW"}), ElementsAre("bwdif"));
  EXPECT_THAT(words_at({"help", "filters", "BW"}), ElementsAre("bwdif"));
  EXPECT_THAT(words_at({"help", "filters", ""}), Not(Contains("submit")));
  EXPECT_THAT(words_at({"help", "encoders", "x"}), ElementsAre("x264", "x265"));
  EXPECT_THAT(words_at({"help", "bench", "r"}), ElementsAre("run", "report"));
}

TEST_F(Complete, Files) {
  EXPECT_TRUE(at({"submit", "bwdif", ""}).files);
  EXPECT_TRUE(at({"submit", "bwdif", "a.ts", ""}).files);
  EXPECT_TRUE(at({"submit", "bwdif", "-o", ""}).files);
  EXPECT_FALSE(at({"list", ""}).files);
}

TEST_F(Complete, TheDaemonIsAskedOnlyWhenNeeded) {
  live_.jobs = [](const auto&) -> std::vector<Candidate> { throw std::runtime_error("asked"); };
  live_.devices = []() -> std::vector<Candidate> { throw std::runtime_error("asked"); };
  EXPECT_NO_THROW(at({"submit", "bwdif", "--"}));
  EXPECT_NO_THROW(at({"li"}));
}

}  // namespace
}  // namespace weft::cli
