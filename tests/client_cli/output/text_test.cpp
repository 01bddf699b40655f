// SPDX-License-Identifier: Apache-2.0
#include "client_cli/output/text.h"

#include <clocale>
#include <cstdlib>
#include <ctime>
#include <map>

#include <gmock/gmock.h>

#include "client_cli/output/exit_codes.h"
#include "client_cli/output/table.h"
#include "client_cli/output/terminal.h"

namespace weft::cli {
namespace {

class Text : public ::testing::Test {
 protected:
  Text() { std::setlocale(LC_CTYPE, "C.UTF-8"); }
};

TEST_F(Text, ParseSeconds) {
  EXPECT_EQ(parse_seconds("90").value(), 90);
  EXPECT_EQ(parse_seconds("0.5s").value(), 0.5);
  EXPECT_EQ(parse_seconds("1h30m").value(), 5400);
  EXPECT_EQ(parse_seconds("2d").value(), 172800);
  for (const char* text : {"", "x", "5x", "-1", "1h30", "m", "inf", "nan", "1 h"})
    EXPECT_THAT(parse_seconds(text), StatusIs(StatusCode::kInvalidArgument, "is not understood")) << text;
}

TEST_F(Text, WidthCountsColumns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("映像"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u) << "a combining accent has no width of its own";
  EXPECT_EQ(display_width("\xff"), 1u);
  EXPECT_EQ(display_width(""), 0u);
}

TEST_F(Text, ShortenKeepsBothEnds) {
  EXPECT_EQ(shorten("short", 10), "short");
  EXPECT_EQ(shorten("/a/very/long/path/film.mkv", 13), "/a/v…film.mkv");
  EXPECT_EQ(shorten("映像映像映像映像", 8), "映…映像") << "wide characters are not cut in two";
  EXPECT_EQ(cut("映像映像", 6), "映像…");
  EXPECT_EQ(cut("[ 10.0%] 1/10 frames", 12), "[ 10.0%] 1/…");
}

TEST_F(Text, WrapIndents) {
  EXPECT_EQ(wrap("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrap("averylongword x", 5, 0), "averylongword\nx");
  EXPECT_EQ(wrap("", 10, 2), "");
}

TEST_F(Text, ShortIdsTellJobsApart) {
  EXPECT_EQ(short_id_length({}), 8u);
  EXPECT_EQ(short_id_length({"01JBX3Q0000000000000000001", "01JBX3R0000000000000000002"}), 8u);
  EXPECT_EQ(short_id_length({"01JBX3Q000000A000000000001", "01JBX3Q000000B000000000001"}), 14u);
  EXPECT_EQ(short_id_length({"01JBX3Q0000000000000000001", "01JBX3Q0000000000000000001"}), 8u);
}

TEST_F(Text, TimesOfThePastAreRead) {
  setenv("TZ", "UTC", 1);
  tzset();
  constexpr std::time_t kNow = 1795876200;  // 2026-11-28 14:30 UTC
  for (const auto& [text, expected] : std::map<std::string, int64_t>{{"2h", kNow - 7200},
                                                                     {"1d", kNow - 86400},
                                                                     {"today", 1795824000},
                                                                     {"yesterday", 1795737600},
                                                                     {"2026-11-28", 1795824000},
                                                                     {"2026-11-28 14:30", kNow},
                                                                     {"2026-11-28T14:30:07Z", kNow + 7}}) {
    const auto time = parse_past(text, kNow);
    ASSERT_TRUE(time.ok()) << text;
    EXPECT_EQ(time->seconds(), expected) << text;
  }
  for (const char* text : {"", "noon", "2026-13-01", "2026-11-28x", "-2h"})
    EXPECT_FALSE(parse_past(text, kNow).ok()) << text;
}

TEST_F(Text, TablesAlign) {
  Table table({{"NAME"}, {"N", Align::kRight}, {"PATH"}});
  table.add({{"a"}, {"1"}, {"/short"}});
  table.add({{"映"}, {"100"}, {"/a/very/long/path/to/a/film.mkv"}});
  EXPECT_EQ(table.format(Terminal()),
            "NAME    N  PATH\n"
            "a       1  /short\n"
            "映    100  /a/very/long/path/to/a/film.mkv\n");
  EXPECT_EQ(table.format(Terminal{true, false, true, 24}),
            "NAME    N  PATH\n"
            "a       1  /short\n"
            "映    100  /a/v…film.mkv\n");
}

TEST_F(Text, ColoursOnlyWhereThereAreSome) {
  EXPECT_EQ(paint(Terminal(), TextColour::kRed, "x"), "x");
  EXPECT_EQ(paint(Terminal{true, true, true, 80}, TextColour::kRed, "x"), "\x1b[31mx\x1b[0m");
}

TEST_F(Text, TheWorseExitCodeWins) {
  EXPECT_EQ(worse(kExitDone, kExitJobFailed), kExitJobFailed);
  EXPECT_EQ(worse(kExitCancelled, kExitJobFailed), kExitJobFailed);
  EXPECT_EQ(worse(kExitRejected, kExitDone), kExitRejected);
  EXPECT_EQ(worse(kExitUnreachable, kExitRejected), kExitUnreachable);
}

}  // namespace
}  // namespace weft::cli
