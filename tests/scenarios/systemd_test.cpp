// SPDX-License-Identifier: Apache-2.0
// Tests the daemon's notifications to systemd, over a socket of the test.
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
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
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
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
  // Returns the next message, or an empty one if none comes in time.
  std::string next(milliseconds limit) {
    pollfd wanted{socket_, POLLIN, 0};
    if (::poll(&wanted, 1, int(limit.count())) != 1) return "";
    char text[1024];
    const ssize_t got = ::recv(socket_, text, sizeof(text), 0);
    return std::string(text, size_t(std::max<ssize_t>(got, 0)));
  }
  // Reads messages until one begins with `words`. Returns false after the deadline.
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
  // Another program keeps a write transaction of the store open. The next commit waits for it, up
  // to five seconds.
  sqlite3* store = nullptr;
  ASSERT_EQ(sqlite3_open(path("daemon/state/jobs.db").c_str(), &store), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(store, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::thread change([&] {
    v1::DrainDevicesResponse drained;
    EXPECT_TRUE(daemon.devices().DrainDevices(call_context().get(), {}, &drained).ok());
  });
  // No message arrives for longer than the interval of the watchdog. At most one message is under
  // way when the silence begins.
  bool silent = false;
  for (int i = 0; i < 2 && !silent; i++) silent = next(kWatchdog).empty();
  EXPECT_TRUE(silent);
  EXPECT_EQ(sqlite3_exec(store, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(store);
  change.join();
  EXPECT_TRUE(wait_for_message("WATCHDOG=1"));
  EXPECT_EQ(daemon.stop(), 0);
}

// Returns the answer of a health check: 1 SERVING, 2 NOT_SERVING.
int health_of(const Daemon& daemon) {
  const std::shared_ptr<grpc::Channel> channel = daemon.new_channel();
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  const auto context = call_context();
  const grpc::Slice nothing;  // an empty request: the status of the whole server
  const grpc::ByteBuffer request(&nothing, 1);
  auto call = stub.PrepareUnaryCall(context.get(), "/grpc.health.v1.Health/Check", request, &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool is_done = false;
  grpc::Slice bytes;
  if (!queue.Next(&tag, &is_done) || !status.ok() || !answer.DumpToSingleSlice(&bytes).ok() ||
      bytes.size() != 2)
    return -1;
  return bytes.begin()[1];  // the number in field 1
}

int devices_in_service(const Daemon& daemon) {
  v1::GetServerInfoResponse info;
  EXPECT_TRUE(
      v1::ServerService::NewStub(daemon.new_channel())->GetServerInfo(call_context().get(), {}, &info).ok());
  return info.devices_in_service();
}

TEST_F(SystemdTest, ADaemonWithoutADeviceInServiceAnswersAndIsNotReady) {
  Daemon first(path("first"));
  ASSERT_TRUE(first.start());
  ASSERT_TRUE(wait_until([&] { return devices_in_service(first) == 1 && health_of(first) == 1; }));
  Daemon second(path("second"), {"--device", "cpu", "--lock-dir", path("first/locks")});
  second.spawn(environment());
  EXPECT_TRUE(wait_for_message("READY=1\nSTATUS=No device is in service; jobs wait."));
  ASSERT_TRUE(second.wait_until_it_answers());
  EXPECT_EQ(devices_in_service(second), 0);
  EXPECT_EQ(health_of(second), 2);
  const auto health_command = [](const Daemon& daemon) {
    std::string said;
    return run({WEFT, "--server", daemon.address(), "server", "--health"}, &said);
  };
  EXPECT_EQ(health_command(first), 0);
  EXPECT_EQ(health_command(second), 3);
  EXPECT_THAT(second.log(),
              AllOf(HasSubstr("No device is in service"), Not(HasSubstr("The daemon is ready"))));
  EXPECT_EQ(first.stop(), 0);
  EXPECT_TRUE(wait_for_message("READY=1\nSTATUS=Running."));
  EXPECT_EQ(health_of(second), 1);
  EXPECT_EQ(devices_in_service(second), 1);
  EXPECT_THAT(second.log(), HasSubstr("The daemon is ready"));
  EXPECT_EQ(second.stop(), 0);
}

TEST_F(SystemdTest, ADaemonWhoseDevicesAreNotThereDoesNotStart) {
  Daemon daemon(path("daemon"), {"--device", "gpu0"});
  daemon.spawn(environment());
  EXPECT_EQ(daemon.wait_for_end(), 69);
  EXPECT_THAT(daemon.log(),
              HasSubstr("None of the devices that the configuration names is there (gpu0); there are: "));
}

}  // namespace
}  // namespace weft::scenarios
