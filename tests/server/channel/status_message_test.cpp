// SPDX-License-Identifier: Apache-2.0
#include "server/channel/status_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::channel {
namespace {

TEST(StatusMessage, GoesThereAndBackWithItsPayloads) {
  Status status = invalid_argument("The picture is too wide ({}).", 7);
  status.SetPayload("type.googleapis.com/x.Y", absl::Cord(std::string("\0\xff", 2)));
  EXPECT_EQ(to_status(to_message(status)), status);
  EXPECT_EQ(to_status(to_message(ok_status())), ok_status());
}

TEST(StatusMessage, EveryCodeSurvives) {
  for (int code = 0; code <= int(StatusCode::kUnauthenticated); code++) {
    google::rpc::Status message;
    message.set_code(code);
    EXPECT_EQ(int(to_status(message).code()), code);
  }
}

TEST(StatusMessage, AnUnknownCodeIsAnErrorStill) {
  google::rpc::Status message;
  message.set_code(99);
  EXPECT_THAT(to_status(message), StatusIs(StatusCode::kUnknown));
  message.set_code(-1);
  EXPECT_THAT(to_status(message), StatusIs(StatusCode::kUnknown));
}

TEST(StatusMessage, WhatIsNoUtf8BecomesQuestionMarks) {
  EXPECT_EQ(as_utf8("a\xff z\xc3\xa9 \xe2\x82"), "a? z\xc3\xa9 ??");
  EXPECT_EQ(as_utf8("\xc0\x80\xed\xa0\x80"), "?????") << "overlong, surrogate";
  EXPECT_EQ(as_utf8("\xf0\x9f\x8e\xa5"), "\xf0\x9f\x8e\xa5");
  google::rpc::Status parsed;
  EXPECT_TRUE(parsed.ParseFromString(to_message(not_found("no '\xfe' here")).SerializeAsString()));
}

}  // namespace
}  // namespace weft::channel
