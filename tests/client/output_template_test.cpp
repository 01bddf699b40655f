// SPDX-License-Identifier: Apache-2.0
#include "client/output_template.h"

#include <gmock/gmock.h>

namespace weft::client {
namespace {

using ::testing::ElementsAre;

TEST(PathFields, TakeAPathApart) {
  const TemplateFields fields = path_fields("/films/a.b.ts", 3);
  EXPECT_EQ(fields.at("dir"), "/films");
  EXPECT_EQ(fields.at("name"), "a.b.ts");
  EXPECT_EQ(fields.at("stem"), "a.b");
  EXPECT_EQ(fields.at("ext"), "ts");
  EXPECT_EQ(fields.at("index"), "3");
  EXPECT_EQ(path_fields("/in.ts", 1).at("dir"), "") << "so that {dir}/x is /x";
  EXPECT_EQ(path_fields("/films/none", 1).at("ext"), "");
  for (const auto& [field, help] : documented_fields()) EXPECT_TRUE(fields.contains(field)) << field;
}

TEST(ExpandTemplate, ReplacesFieldsAndKeepsDoubledBraces) {
  const TemplateFields fields = {{"stem", "a"}, {"filter", "bwdif"}, {"odd", "{x}"}};
  EXPECT_EQ(expand_template("{stem}.{filter}.mkv", fields).value(), "a.bwdif.mkv");
  EXPECT_EQ(expand_template("{{{stem}}}", fields).value(), "{a}");
  EXPECT_EQ(expand_template("{odd}", fields).value(), "{x}") << "values are not expanded again";
  EXPECT_EQ(expand_template("", fields).value(), "");
}

TEST(ExpandTemplate, SaysWhatIsWrong) {
  const TemplateFields fields = {{"stem", "a"}};
  EXPECT_THAT(expand_template("{stm}", fields),
              StatusIs(StatusCode::kInvalidArgument, "(stm); did you mean 'stem'?"));
  EXPECT_THAT(expand_template("{}", fields), StatusIs(StatusCode::kInvalidArgument, "not known"));
  EXPECT_THAT(expand_template("{stem", fields),
              StatusIs(StatusCode::kInvalidArgument, "leaves a brace open"));
  EXPECT_THAT(expand_template("stem}", fields), StatusIs(StatusCode::kInvalidArgument, "closes a brace"));
}

TEST(ExpandOutputs, OneAnInput) {
  const std::vector<std::string> inputs = {"/a/x.ts", "/b/y.ts"};
  const std::vector<TemplateFields> fields = {path_fields(inputs[0], 1), path_fields(inputs[1], 2)};
  EXPECT_THAT(expand_outputs("{dir}/{stem}.mkv", inputs, fields).value(),
              ElementsAre("/a/x.mkv", "/b/y.mkv"));
  EXPECT_THAT(expand_outputs("/done/", inputs, fields).value(), ElementsAre("/done/x.ts", "/done/y.ts"));
  EXPECT_THAT(expand_outputs("/tmp", inputs, fields).value(), ElementsAre("/tmp/x.ts", "/tmp/y.ts"))
      << "a folder that is there";
  EXPECT_THAT(expand_outputs("/out.mkv", inputs, fields),
              StatusIs(StatusCode::kInvalidArgument, "have the same output (/out.mkv)"));
  EXPECT_THAT(expand_outputs("{dir}/{name}", inputs, fields),
              StatusIs(StatusCode::kInvalidArgument, "is the input itself"));
  EXPECT_THAT(expand_outputs("/b/y.ts", inputs, fields),
              StatusIs(StatusCode::kInvalidArgument, "(/a/x.ts) is another input"));
}

}  // namespace
}  // namespace weft::client
