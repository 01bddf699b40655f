// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <string>

#include <gtest/gtest.h>

#include "base/log.h"

namespace weft {
namespace {

TEST(PrintableTest, WhatIsPrintableStays) {
  for (const char* text : {"", "/videos/out.mkv", "日本語 ÄÖÜ é \xf0\x9f\x8e\xac", "a b~!\"$'"})
    EXPECT_EQ(printable(text), text);
}

TEST(PrintableTest, WhatATerminalWouldActOnIsEscaped) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(printable("a\nb\r\tc\x07\x7f"), "a\\nb\\r\\tc\\x07\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m")
      << "C1: some terminals take it for ESC [";
  EXPECT_EQ(printable("gpj.\xe2\x80\xae"
                      "exe"),
            "gpj.\\u202eexe")
      << "writes backwards";
  EXPECT_EQ(printable("\xe2\x81\xa6x\xe2\x81\xa9\xe2\x80\x8f\xd8\x9c"), "\\u2066x\\u2069\\u200f\\u061c");
  EXPECT_EQ(printable("\xe2\x80\xa8\xe2\x80\xa9"), "\\u2028\\u2029");
}

TEST(PrintableTest, BytesThatAreNoTextAreEscaped) {
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "too long a form";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last";
  EXPECT_EQ(printable("\xe6\x97"), "\\xe6\\x97") << "cut";
  EXPECT_EQ(printable("\xe6\x97"
                      "a"),
            "\\xe6\\x97"
            "a");
}

// No two texts give the same output.
TEST(PrintableTest, ItCanBeHadBack) {
  EXPECT_EQ(printable("\\x1b"), "\\\\x1b");
  EXPECT_EQ(printable("\\\x1b"), "\\\\\\x1b");
}

TEST(PrintableTest, LinesStayAndBeginWithTheirIndent) {
  EXPECT_EQ(printable_lines("one\ntwo\n  three\x1b\n"), "one\n  two\n  three\\x1b\n  ");
  EXPECT_EQ(printable_lines("one\r\ntwo", "    "), "one\\r\n    two");
}

TEST(PrintableTest, ALineOfTheLogStaysOne) {
  ASSERT_TRUE(start_log({.program = "test", .level = "info"}).ok());
  testing::internal::CaptureStderr();
  log_info("The file is {}.", "a\nb\x1b[31m");
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_NE(line.find("The file is a\\nb\\x1b[31m."), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

}  // namespace
}  // namespace weft
