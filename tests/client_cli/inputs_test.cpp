// SPDX-License-Identifier: Apache-2.0
#include "client_cli/inputs.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

namespace weft::cli {
namespace {

using ::testing::ElementsAre;

TEST(AbsolutePath, KeepsWhatTheUserMeant) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(absolute_path("a.ts"), here + "/a.ts");
  EXPECT_EQ(absolute_path("./x//a.ts"), here + "/x/a.ts");
  EXPECT_EQ(absolute_path("/a/b.ts"), "/a/b.ts");
  EXPECT_EQ(absolute_path("/a/./b.ts"), "/a/b.ts");
  EXPECT_EQ(absolute_path("/nowhere/x/../b.ts"), "/nowhere/b.ts");
}

TEST(ExpandInputs, ListsStandForTheirLines) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/list") << "/a.ts\n\n# no\n/b c.ts\n";
  EXPECT_THAT(expand_inputs({"/x.ts", "@" + folder + "/list", "/y.ts"}).value(),
              ElementsAre("/x.ts", "/a.ts", "/b c.ts", "/y.ts"));
  EXPECT_THAT(expand_inputs({"@@name.ts"}).value(), ElementsAre(absolute_path("@name.ts")));
}

TEST(ExpandInputs, EmptyAndMissingListsAreErrors) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/empty") << "# only this\n";
  EXPECT_THAT(expand_inputs({"@" + folder + "/empty"}),
              StatusIs(StatusCode::kInvalidArgument, "names no file"));
  EXPECT_THAT(expand_inputs({"@/nowhere/list"}), StatusIs(StatusCode::kNotFound, "No such file"));
}

}  // namespace
}  // namespace weft::cli
