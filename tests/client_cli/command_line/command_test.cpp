// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/command.h"

#include <gmock/gmock.h>

#include "client_cli/commands/commands.h"
#include "client_cli/context/context.h"
#include "client_cli/output/terminal.h"
#include "options/words.h"

namespace weft::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Parsing : public ::testing::Test {
 protected:
  Parsing() {
    Command& group = root_.add("group", "A group.");
    Command& command = group.add("work", "Works.");
    command.words("FILE", files_, "Files.").require();
    command.flag("-f,--fast", fast_, "Be fast.");
    command.value("-n,--name", "NAME", name_, "A name.");
    command.value("--tag", "TAG", tags_, "Tags.").under(kAdvanced);
    command.flag("--slow", slow_, "Be slow.").without("--fast");
    command.run = [] { return 0; };
    root_.flag("--json", json_, "JSON.");
    Argument& colour = root_.value("--color", "WHEN", colour_, "Colour.");
    root_.choose(colour, colour_, {{"always", "", 0}, {"never", "", 0}});
  }

  Status read(std::vector<std::string> words) {
    const auto parsed = parse(root_, words);
    if (parsed.ok()) parsed_ = *parsed;
    return parsed.status();
  }

  Command root_{"tool", "A tool."};
  std::vector<std::string> files_, tags_;
  std::string name_, colour_;
  bool fast_ = false, slow_ = false, json_ = false;
  Parsed parsed_;
};

TEST_F(Parsing, WordsFlagsAndValuesInAnyOrder) {
  ASSERT_THAT(read({"group", "work", "a", "--tag", "x", "-n", "me", "b", "--tag=y", "--json", "-f"}), IsOk());
  EXPECT_EQ(parsed_.command->full_name(), "tool group work");
  EXPECT_THAT(files_, ElementsAre("a", "b"));
  EXPECT_THAT(tags_, ElementsAre("x", "y"));
  EXPECT_EQ(name_, "me");
  EXPECT_TRUE(fast_ && json_);
}

TEST_F(Parsing, TheLastOfARepeatedValueCounts) {
  ASSERT_THAT(read({"group", "work", "a", "--name", "x", "--name", "y"}), IsOk());
  EXPECT_EQ(name_, "y");
}

TEST_F(Parsing, AfterTwoDashesEverythingIsAWord) {
  ASSERT_THAT(read({"group", "work", "--", "-f", "--name"}), IsOk());
  EXPECT_THAT(files_, ElementsAre("-f", "--name"));
  EXPECT_FALSE(fast_);
}

TEST_F(Parsing, NothingIsStoredFromAWrongLine) {
  EXPECT_THAT(read({"group", "work", "a", "--name", "me", "--nmae"}),
              StatusIs(StatusCode::kInvalidArgument,
                       "tool group work has no option '--nmae'; did you mean '--name'?"));
  EXPECT_EQ(name_, "");
  EXPECT_THAT(read({"group", "work"}), StatusIs(StatusCode::kInvalidArgument, "FILE is required"));
  EXPECT_THAT(read({"group", "wrok"}),
              StatusIs(StatusCode::kInvalidArgument, "no command 'wrok'; did you mean 'work'?"));
  EXPECT_THAT(read({"group", "work", "a", "--name"}),
              StatusIs(StatusCode::kInvalidArgument, "--name needs a value"));
  EXPECT_THAT(read({"group", "work", "a", "--fast", "--slow"}),
              StatusIs(StatusCode::kInvalidArgument, "--fast"));
  EXPECT_THAT(read({"group", "work", "a", "--color", "alway"}),
              StatusIs(StatusCode::kInvalidArgument,
                       "cannot be 'alway'; did you mean 'always'? Use always or never."));
}

TEST_F(Parsing, HelpIsAnsweredEvenWhereWordsAreMissing) {
  ASSERT_THAT(read({"group", "work", "--help"}), IsOk());
  EXPECT_TRUE(parsed_.help);
  EXPECT_EQ(parsed_.command->name, "work");
  ASSERT_THAT(read({"group"}), IsOk());
  EXPECT_TRUE(parsed_.incomplete);
}

TEST_F(Parsing, HelpShowsTheTree) {
  const Command& work = *root_.find("group")->find("work");
  EXPECT_EQ(work.usage(), "tool group work FILE... [OPTIONS]");
  const std::string help = format_help(work, root_, 60, false, Terminal());
  EXPECT_THAT(help, HasSubstr("  -n, --name NAME             A name.\n"));
  EXPECT_THAT(help, Not(HasSubstr("--tag")));
  EXPECT_THAT(help, HasSubstr("--help-all shows them"));
  EXPECT_THAT(format_help(work, root_, 60, true, Terminal()), HasSubstr("--tag TAG"));
}

TEST(ParseWhole, NamesTheLimits) {
  EXPECT_EQ(parse_whole("--n", "-3", -5, 5).value(), -3);
  for (const char* text : {"6", "-6", "x", "", "1.0", " 1"})
    EXPECT_THAT(parse_whole("--n", text, -5, 5),
                StatusIs(StatusCode::kInvalidArgument, "is not a whole number from -5 to 5"));
}

// Checks that a command and its options have all texts that manual and reference need.
void check_tree(const Command& command) {
  if (command.hidden) return;
  EXPECT_TRUE(command.summary.ends_with('.')) << command.full_name();
  EXPECT_TRUE(command.run || !command.commands.empty()) << command.full_name();
  for (const Argument& option : command.options) {
    EXPECT_TRUE(option.help.ends_with('.')) << command.full_name() << " " << option.title();
    EXPECT_TRUE(option.set != nullptr) << command.full_name() << " " << option.title();
  }
  for (const Command& inside : command.commands) check_tree(inside);
}

TEST(CommandTree, IsComplete) {
  Command root("weft", "The tool.");
  CommandContext context;
  build_commands(root, context);
  check_tree(root);
  ASSERT_NE(root.find("submit"), nullptr);
  EXPECT_EQ(root.find("submit")->find("FILTERS")->usage(), "weft submit FILTERS IN... -o OUT [OPTIONS]");
}

}  // namespace
}  // namespace weft::cli
