// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/inputs.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "client/paths.h"

namespace weft::cli {
namespace {

using ::testing::ElementsAre;

class ExpandInputs : public ::testing::Test {
 protected:
  ExpandInputs() { std::filesystem::create_directories(folder_); }
  ~ExpandInputs() override { std::filesystem::remove_all(folder_); }

  const std::string folder_ = fmt::format("{}weft_inputs.{}", testing::TempDir(), ::getpid());
};

TEST_F(ExpandInputs, ListsStandForTheirLines) {
  std::ofstream(folder_ + "/list") << "/a.ts\n\n# no\n/b c.ts\n";
  EXPECT_THAT(expand_inputs({"/x.ts", "@" + folder_ + "/list", "/y.ts"}).value(),
              ElementsAre("/x.ts", "/a.ts", "/b c.ts", "/y.ts"));
  EXPECT_THAT(expand_inputs({"@@name.ts"}).value(), ElementsAre(client::absolute_path("@name.ts")));
}

TEST_F(ExpandInputs, ListsOfOtherSystemsAreRead) {
  std::ofstream(folder_ + "/list") << "\xEF\xBB\xBF/a.ts\r\n\r\n# no\r\n/b \xEF\xBB\xBF.ts\r\n/c.ts";
  EXPECT_THAT(expand_inputs({"@" + folder_ + "/list"}).value(),
              ElementsAre("/a.ts", "/b \xEF\xBB\xBF.ts", "/c.ts"));
  std::ofstream(folder_ + "/list") << "\xEF\xBB\xBF# a comment comes first\n/a.ts\n";
  EXPECT_THAT(expand_inputs({"@" + folder_ + "/list"}).value(), ElementsAre("/a.ts"));
  std::ofstream(folder_ + "/list") << std::string("\xFF\xFE/\0a\0\r\0\n\0", 10);
  EXPECT_THAT(expand_inputs({"@" + folder_ + "/list"}),
              StatusIs(StatusCode::kInvalidArgument, "no text in UTF-8"));
}

TEST_F(ExpandInputs, EmptyAndMissingListsAreErrors) {
  std::ofstream(folder_ + "/empty") << "# only this\n";
  EXPECT_THAT(expand_inputs({"@" + folder_ + "/empty"}),
              StatusIs(StatusCode::kInvalidArgument, "names no file"));
  EXPECT_THAT(expand_inputs({"@/nowhere/list"}), StatusIs(StatusCode::kNotFound, "No such file"));
}

}  // namespace
}  // namespace weft::cli
