// SPDX-License-Identifier: Apache-2.0
#include "client_cli/complete.h"

#include <gmock/gmock.h>

#include "client_cli/commands.h"
#include "client_cli/context.h"

namespace weft::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

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
  Context context_;
  LiveValues live_{[] {
                     return std::vector<Candidate>{{"01JA", "queued"}, {"01JB", "running"}};
                   },
                   [] {
                     return std::vector<Candidate>{{"cpu", ""}, {"cuda:0", ""}};
                   }};
};

TEST_F(Complete, Commands) {
  EXPECT_THAT(words_at({"re"}), ElementsAre("resume", "retry"));
  EXPECT_THAT(words_at({"submit", ""}), ElementsAre("deinterlace", "bloom"));
  EXPECT_THAT(words_at({""}), Not(Contains("__complete")));
  EXPECT_FALSE(at({""}).candidates[0].help.empty());
}

TEST_F(Complete, Flags) {
  EXPECT_THAT(words_at({"submit", "deinterlace", "--enc"}),
              ElementsAre("--encoder", "--encoder-option", "--encoder-threads"));
  EXPECT_THAT(words_at({"submit", "deinterlace", "--no-"}),
              ElementsAre("--no-yadif-spatial-check", "--no-overwrite"));
  EXPECT_THAT(words_at({"list", "--js"}), ElementsAre("--json"));
}

TEST_F(Complete, ValuesOfFlags) {
  EXPECT_THAT(words_at({"submit", "deinterlace", "in.ts", "--filter", ""}),
              ElementsAre("bob", "weave", "yadif", "bwdif"));
  EXPECT_THAT(words_at({"submit", "deinterlace", "--filter=b"}),
              ElementsAre("--filter=bob", "--filter=bwdif"));
  EXPECT_THAT(words_at({"submit", "deinterlace", "--device", "c"}), ElementsAre("cpu", "cuda:0"));
  EXPECT_THAT(words_at({"list", "--state", "f"}), ElementsAre("failed"));
  EXPECT_THAT(words_at({"--color", ""}), ElementsAre("auto", "always", "never"));
  EXPECT_THAT(words_at({"submit", "deinterlace", "--priority", ""}), IsEmpty());
}

TEST_F(Complete, WordsOfCommands) {
  EXPECT_THAT(words_at({"show", ""}), ElementsAre("01JA", "01JB"));
  EXPECT_THAT(words_at({"show", "01JA", "01JB"}), ElementsAre("01JB"));
  EXPECT_THAT(words_at({"logs", "01JA", ""}), IsEmpty());
  EXPECT_THAT(words_at({"priority", ""}), IsEmpty());
  EXPECT_THAT(words_at({"priority", "3", ""}), ElementsAre("01JA", "01JB"));
  EXPECT_THAT(words_at({"drain", "cu"}), ElementsAre("cuda:0"));
  EXPECT_THAT(words_at({"completion", "z"}), ElementsAre("zsh"));
}

TEST_F(Complete, Files) {
  EXPECT_TRUE(at({"submit", "deinterlace", ""}).files);
  EXPECT_TRUE(at({"submit", "deinterlace", "a.ts", ""}).files);
  EXPECT_TRUE(at({"submit", "deinterlace", "-o", ""}).files);
  EXPECT_FALSE(at({"list", ""}).files);
}

TEST_F(Complete, TheDaemonIsAskedOnlyWhenNeeded) {
  live_.jobs = live_.devices = []() -> std::vector<Candidate> { throw std::runtime_error("asked"); };
  EXPECT_NO_THROW(at({"submit", "deinterlace", "--"}));
  EXPECT_NO_THROW(at({"li"}));
}

}  // namespace
}  // namespace weft::cli
