// SPDX-License-Identifier: Apache-2.0
#include "client_cli/inputs.h"

#include <fstream>

#include <gmock/gmock.h>

#include "client/paths.h"

namespace weft::cli {
namespace {

using ::testing::ElementsAre;

TEST(ExpandInputs, ListsStandForTheirLines) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/list") << "/a.ts\n\n# no\n/b c.ts\n";
  EXPECT_THAT(expand_inputs({"/x.ts", "@" + folder + "/list", "/y.ts"}).value(),
              ElementsAre("/x.ts", "/a.ts", "/b c.ts", "/y.ts"));
  EXPECT_THAT(expand_inputs({"@@name.ts"}).value(), ElementsAre(client::absolute_path("@name.ts")));
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
