// SPDX-License-Identifier: Apache-2.0
// Tests tables of textures that are processed without a network: valid lines, and the error of an
// invalid one.
#include "server/worker/texture/exception_table.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::worker {
namespace {

using testing::Pointee;

ExceptionTable table_of(std::string_view text) {
  StatusOr<ExceptionTable> table = ExceptionTable::parse(text, "table.txt");
  EXPECT_THAT(table, IsOk());
  return table.ok() ? *std::move(table) : ExceptionTable();
}

TEST(ExceptionTable, ALineIsANameAndAReason) {
  const ExceptionTable table = table_of(
      "# what the check found\n"
      "\n"
      "door.dds   Its colours shift.\r\n"
      "  \t \n"
      "  two words.dds\t Steps show. \n"
      "last.png because");
  EXPECT_THAT(table.reason_of("door.dds"), Pointee(std::string("Its colours shift.")));
  EXPECT_THAT(table.reason_of("two words.dds"), Pointee(std::string("Steps show.")));
  EXPECT_THAT(table.reason_of("last.png"), Pointee(std::string("because")));
  for (const char* name : {"Door.dds", "door.dds2", "two", "#", ""})
    EXPECT_EQ(table.reason_of(name), nullptr) << name;
  EXPECT_EQ(table_of("").reason_of("door.dds"), nullptr);
  EXPECT_NE(table_of("\xEF\xBB\xBF"
                     "door.dds why")
                .reason_of("door.dds"),
            nullptr);
}

TEST(ExceptionTable, PatternsStandForNames) {
  const ExceptionTable table = table_of(
      "*_ui.dds letters\n"
      "ice?.png clear\n"
      "a*b*c.dds pieces\n"
      "star\\*.dds starred\n"
      "\\#1.dds number\n");
  const auto reason = [&](const char* name) {
    const std::string* found = table.reason_of(name);
    return found == nullptr ? std::string() : *found;
  };
  EXPECT_EQ(reason("menu_ui.dds"), "letters");
  EXPECT_EQ(reason("_ui.dds"), "letters");
  EXPECT_EQ(reason("menu_ui.dds.png"), "");
  EXPECT_EQ(reason("ice1.png"), "clear");
  EXPECT_EQ(reason("ice\u00e9.png"), "clear");
  EXPECT_EQ(reason("ice.png"), "");
  EXPECT_EQ(reason("ice12.png"), "");
  EXPECT_EQ(reason("abc.dds"), "pieces");
  EXPECT_EQ(reason("axbxxbbc.dds"), "pieces");
  EXPECT_EQ(reason("axbxxb.dds"), "");
  EXPECT_EQ(reason("star*.dds"), "starred");
  EXPECT_EQ(reason("starry.dds"), "");
  EXPECT_EQ(reason("#1.dds"), "number");
}

// The pattern has many stars before a letter that the name does not contain.
TEST(ExceptionTable, NoPatternTakesLong) {
  std::string pattern;
  for (int i = 0; i < 100; i++) pattern += "*a";
  const ExceptionTable table = table_of(pattern + "b reason");
  EXPECT_EQ(table.reason_of(std::string(250, 'a')), nullptr);
  EXPECT_NE(table.reason_of(std::string(250, 'a') + "b"), nullptr);
}

TEST(ExceptionTable, TheFirstLineCountsAndNamesBeforePatterns) {
  const ExceptionTable table = table_of("*.dds all\na.dds first\na.dds second\n?.dds one\n");
  EXPECT_THAT(table.reason_of("a.dds"), Pointee(std::string("first")));
  EXPECT_THAT(table.reason_of("b.dds"), Pointee(std::string("all")));
}

TEST(ExceptionTable, ABadLineIsToldOfWithItsNumber) {
  const auto refusal = [](const std::string& text) {
    return ExceptionTable::parse(text, "table.txt").status();
  };
  EXPECT_THAT(
      refusal("# first\na.dds why\nb.dds\n"),
      StatusIs(StatusCode::kInvalidArgument,
               "Line 3 of the table of exceptions (table.txt) has a name without a reason ('b.dds')"));
  EXPECT_THAT(refusal("b.dds \t \n"), StatusIs(StatusCode::kInvalidArgument, "without a reason ('b.dds')"));
  EXPECT_THAT(
      refusal("textures/b.dds why\n"),
      StatusIs(StatusCode::kInvalidArgument, "Line 1 of the table of exceptions (table.txt) names a folder"));
  EXPECT_THAT(refusal(std::string("DDS |\0\0\0\n", 9)), StatusIs(StatusCode::kInvalidArgument, "is no text"));
  EXPECT_THAT(refusal(std::string(256, 'a') + " why"),
              StatusIs(StatusCode::kInvalidArgument, "at most 255 bytes"));
  EXPECT_THAT(refusal("a " + std::string(1001, 'b')),
              StatusIs(StatusCode::kInvalidArgument, "a reason 1000"));
  std::string many;
  for (size_t i = 0; i < ExceptionTable::kMaxEntries; i++) many += fmt::format("{}.dds why\n", i);
  EXPECT_THAT(ExceptionTable::parse(many, "table.txt"), IsOk());
  EXPECT_THAT(refusal(many + "one.dds more\n"),
              StatusIs(StatusCode::kInvalidArgument, "more than 10000 entries"));
}

}  // namespace
}  // namespace weft::worker
