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
  CommandContext context_;
  LiveValues live_{[] {
                     return std::vector<Candidate>{{"01JA", "queued"}, {"01JB", "running"}};
                   },
                   [] {
                     return std::vector<Candidate>{{"cpu", ""}, {"cuda:0", ""}};
                   }};
};

TEST_F(Complete, Commands) {
  EXPECT_THAT(words_at({"re"}), ElementsAre("resume", "retry"));
  EXPECT_THAT(words_at({"submit", ""}),
              ElementsAre("video", "image", "upsample", "bench", "tune", "deinterlace", "bloom"));
  EXPECT_THAT(words_at({""}), Not(Contains("__complete")));
  EXPECT_FALSE(at({""}).candidates[0].help.empty());
}

TEST_F(Complete, Flags) {
  EXPECT_THAT(words_at({"submit", "deinterlace", "--enc"}),
              ElementsAre("--encoder", "--encoder-option", "--encoder-threads"));
  EXPECT_THAT(words_at({"submit", "deinterlace", "--no-"}),
              ElementsAre("--no-spatial-check", "--no-rep-chroma", "--no-precise", "--no-chroma-motion",
                          "--no-true-motion", "--no-border", "--no-denoise-mc", "--no-chroma-noise",
                          "--no-stabilize-noise", "--no-fast-ma", "--no-e-search-p", "--no-refine-motion",
                          "--no-overwrite"));
  EXPECT_THAT(words_at({"list", "--js"}), ElementsAre("--json"));
}

TEST_F(Complete, ValuesOfFlags) {
  EXPECT_THAT(words_at({"submit", "deinterlace", "in.ts", "--filter", ""}),
              ElementsAre("bwdif", "bob", "weave", "yadif", "nnedi", "qtgmc"));
  EXPECT_THAT(words_at({"submit", "deinterlace", "--filter=b"}),
              ElementsAre("--filter=bwdif", "--filter=bob"));
  EXPECT_THAT(words_at({"submit", "deinterlace", "--device", "c"}), ElementsAre("cpu", "cuda:0"));
  EXPECT_THAT(words_at({"list", "--state", "f"}), ElementsAre("failed"));
  EXPECT_THAT(words_at({"--color", ""}), ElementsAre("auto", "always", "never"));
  EXPECT_THAT(words_at({"submit", "deinterlace", "--priority", ""}), IsEmpty());
}

TEST_F(Complete, InsideAChain) {
  const auto chain = [&](const std::string& typed) {
    return words_at({"submit", "video", "in.ts", "--filters", typed});
  };
  EXPECT_THAT(chain("b"), ElementsAre("bob", "bwdif", "bloom", "bilateral"));
  EXPECT_THAT(chain("bwdif,de"), ElementsAre("bwdif,deband", "bwdif,decimate"));
  EXPECT_THAT(chain("bwdif, cr"), ElementsAre("bwdif, crop"));
  EXPECT_THAT(chain("bwdif=p"), ElementsAre("bwdif=parity="));
  EXPECT_THAT(chain("bwdif=f"), ElementsAre("bwdif=field", "bwdif=frame", "bwdif=frames="));
  EXPECT_THAT(chain("bwdif=rate=fi"), ElementsAre("bwdif=rate=field"));
  EXPECT_THAT(chain("bwdif=rate=field:"),
              ElementsAre("bwdif=rate=field:parity=", "bwdif=rate=field:frames="));
  EXPECT_THAT(chain("yadif=spatial-check=t"), ElementsAre("yadif=spatial-check=true"));
  EXPECT_THAT(chain("merge=a='deband,cr"), ElementsAre("merge=a='deband,crop"));
  EXPECT_THAT(chain("nothing=x"), IsEmpty());
  EXPECT_THAT(words_at({"submit", "image", "--filters=bl"}), ElementsAre("--filters=bloom"));
  EXPECT_TRUE(at({"pipe", "--filters", ""}).goes_on);
  EXPECT_FALSE(at({"submit", "video", "--encoder", ""}).goes_on);
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
