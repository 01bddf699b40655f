// SPDX-License-Identifier: Apache-2.0
#include "client/address.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/client/fake_server.h"

namespace weft::client {
namespace {

TEST(Address, TakesTheTwoForms) {
  EXPECT_EQ(parse_address("unix:/run/weft/weft.sock").value(), "unix:/run/weft/weft.sock");
  EXPECT_EQ(parse_address("unix:///run/weft.sock").value(), "unix:/run/weft.sock");
  EXPECT_EQ(parse_address("unix:a/../b.sock").value(),
            "unix:" + (std::filesystem::current_path() / "b.sock").string());
  EXPECT_EQ(parse_address("localhost:7411").value(), "localhost:7411");
  EXPECT_EQ(parse_address("[::1]:7411").value(), "[::1]:7411");
}

TEST(Address, SaysWhatIsWrong) {
  EXPECT_THAT(parse_address(""), StatusIs(StatusCode::kInvalidArgument, "neither unix:PATH nor HOST:PORT"));
  EXPECT_THAT(parse_address("/run/weft.sock"),
              StatusIs(StatusCode::kInvalidArgument, "write unix:/run/weft.sock"));
  EXPECT_THAT(parse_address("unix:"), StatusIs(StatusCode::kInvalidArgument, "names no socket"));
  EXPECT_THAT(parse_address("unix:/" + std::string(200, 'x')),
              StatusIs(StatusCode::kInvalidArgument, "at most 107"));
  for (const char* text : {"host:", "host:0", "host:65536", "host:x", "host:-1"})
    EXPECT_THAT(parse_address(text), StatusIs(StatusCode::kInvalidArgument, "from 1 to 65535")) << text;
  for (const char* text : {":7411", "::1:7411", "a b:7411"})
    EXPECT_THAT(parse_address(text), StatusIs(StatusCode::kInvalidArgument, "The host")) << text;
}

class DefaultAddress : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("WEFT_SERVER");
    unsetenv("XDG_RUNTIME_DIR");
  }
};

TEST_F(DefaultAddress, TheVariableWins) {
  setenv("WEFT_SERVER", "host:1", 1);
  EXPECT_EQ(default_address(), "host:1");
}

TEST_F(DefaultAddress, TheUsersSocketIsTakenWhenItIsThere) {
  test::FakeServer server;
  const std::string weft = server.folder() + "/run/weft";
  std::filesystem::create_directories(weft);
  setenv("XDG_RUNTIME_DIR", (server.folder() + "/run").c_str(), 1);
  std::filesystem::rename(server.folder() + "/weft.sock", weft + "/weft.sock");
  EXPECT_EQ(default_address(), "unix:" + weft + "/weft.sock");
}

TEST_F(DefaultAddress, WithoutAnySocketTheUsersPlaceIsNamed) {
  setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
  if (access("/run/weft/weft.sock", F_OK) == 0) GTEST_SKIP() << "a daemon runs on this machine";
  if (access(fmt::format("/tmp/weft-{}", geteuid()).c_str(), F_OK) == 0)
    GTEST_SKIP() << "a daemon runs on this machine";
  EXPECT_EQ(default_address(), "unix:/nowhere/weft/weft.sock");
}

}  // namespace
}  // namespace weft::client
