// SPDX-License-Identifier: Apache-2.0
// What the daemon tells systemd, over a socket that stands for systemd's.
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <poll.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr milliseconds kWatchdog{2000};

class SystemdTest : public ScenarioTest {
 protected:
  SystemdTest() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string path = notify_path();
    std::memcpy(name.sun_path, path.c_str(), path.size());
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0) << strerror(errno);
  }
  ~SystemdTest() override { ::close(socket_); }

  std::string notify_path() const { return path("notify"); }
  std::vector<std::string> environment() const {
    return {"NOTIFY_SOCKET=" + notify_path(), "WATCHDOG_USEC=" + std::to_string(kWatchdog.count() * 1000)};
  }
  // The next message; empty: none comes in time.
  std::string next(milliseconds limit) {
    pollfd wanted{socket_, POLLIN, 0};
    if (::poll(&wanted, 1, int(limit.count())) != 1) return "";
    char text[1024];
    const ssize_t got = ::recv(socket_, text, sizeof(text), 0);
    return std::string(text, size_t(std::max<ssize_t>(got, 0)));
  }
  // Reads until a message begins with that; false: the deadline passed.
  bool wait_for_message(const std::string& words) {
    const auto deadline = steady_clock::now() + kDeadline;
    while (steady_clock::now() < deadline)
      if (next(milliseconds(100)).rfind(words, 0) == 0) return true;
    return false;
  }

 private:
  const int socket_;
};

TEST_F(SystemdTest, HearsOfReadinessLifeAndTheEnd) {
  Daemon daemon(path("daemon"));
  daemon.spawn(environment());
  EXPECT_TRUE(wait_for_message("READY=1"));
  ASSERT_TRUE(wait_for_message("WATCHDOG=1"));
  for (int i = 0; i < 2; i++) {
    const auto before = steady_clock::now();
    ASSERT_TRUE(wait_for_message("WATCHDOG=1"));
    const auto passed = steady_clock::now() - before;
    EXPECT_GT(passed, kWatchdog / 4) << "it need not be told so often";
    EXPECT_LT(passed, kWatchdog * 9 / 10) << "at half of the limit there is time to be late";
  }
  daemon.signal(SIGTERM);
  EXPECT_TRUE(wait_for_message("STOPPING=1"));
  EXPECT_EQ(daemon.wait_for_end(), 0);
}

TEST_F(SystemdTest, AQueueThatStandsStillIsNotCalledAlive) {
  Daemon daemon(path("daemon"));
  daemon.spawn(environment());
  ASSERT_TRUE(wait_for_message("READY=1"));
  ASSERT_TRUE(wait_for_message("WATCHDOG=1"));
  // Another program writes to the store and does not come to an end: the next commit waits for it, up to five seconds.
  sqlite3* store = nullptr;
  ASSERT_EQ(sqlite3_open(path("daemon/state/jobs.db").c_str(), &store), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(store, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::thread change([&] {
    v1::DrainDevicesResponse drained;
    EXPECT_TRUE(daemon.devices().DrainDevices(call_context().get(), {}, &drained).ok());
  });
  // Silence for longer than the watchdog would take: at most one message is on its way when it begins.
  bool silent = false;
  for (int i = 0; i < 2 && !silent; i++) silent = next(kWatchdog).empty();
  EXPECT_TRUE(silent);
  EXPECT_EQ(sqlite3_exec(store, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(store);
  change.join();
  EXPECT_TRUE(wait_for_message("WATCHDOG=1"));
  EXPECT_EQ(daemon.stop(), 0);
}

}  // namespace
}  // namespace weft::scenarios
