// SPDX-License-Identifier: Apache-2.0
// Tests more connections than the limits permit, by real users (the test must run as root to act as
// them), and a state folder that is removed.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <grp.h>
#include <grpcpp/generic/generic_stub.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/rpc/limits.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;

// few descriptors of the daemon, so that a small number of connections reaches its limit
constexpr int kDescriptors = 240;
constexpr uid_t kNobody = 65534;
constexpr uid_t kDaemon = 1;  // users of every Debian system
constexpr uid_t kGames = 5;
const rpc::ConnectionLimits kLimits = rpc::connection_limits(kDescriptors);

class ConnectionsTest : public ScenarioTest {
 protected:
  ConnectionsTest()
      : daemon_(path("daemon"), {"--device", "cpu", "--socket-mode", "0666"}, path("few-descriptors")) {}

  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "Only root can be other users.";
    write_file(path("few-descriptors"),
               "#!/bin/sh\nulimit -n " + std::to_string(kDescriptors) + "\nexec " WEFTD " \"$@\"\n");
    ASSERT_EQ(::chmod(path("few-descriptors").c_str(), 0755), 0);
    std::filesystem::create_directory(path("daemon"));
    for (const std::string& each : {folder(), path("daemon")}) ASSERT_EQ(::chmod(each.c_str(), 0755), 0);
    // Other users may have no access to the source folder.
    std::filesystem::copy_file(WEFT, path("weft"));
    ASSERT_TRUE(daemon_.start());
    ASSERT_TRUE(wait_until([&] { return worker() > 0; }));
  }
  void TearDown() override {
    for (const pid_t each : crowds_) {
      ::kill(each, SIGKILL);
      ::waitpid(each, nullptr, 0);
    }
  }

  // Returns the process id of the ready worker, or 0 if there is none.
  int64_t worker() {
    const auto device = daemon_.device("cpu");
    return device && device->state() == v1::DEVICE_STATE_IN_SERVICE ? device->worker_pid() : 0;
  }
  // Starts a process of `user` that opens `connections` connections and then waits.
  void crowd(uid_t user, int connections) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::setgroups(0, nullptr) != 0 || ::setresgid(user, user, user) != 0 ||
          ::setresuid(user, user, user) != 0)
        ::_exit(1);
      sockaddr_un name{};
      name.sun_family = AF_UNIX;
      const std::string socket = daemon_.address().substr(daemon_.address().find(':') + 1);
      socket.copy(name.sun_path, sizeof(name.sun_path) - 1);
      for (int i = 0; i < connections; i++)
        if (::connect(::socket(AF_UNIX, SOCK_STREAM, 0), reinterpret_cast<const sockaddr*>(&name),
                      sizeof(name)) != 0)
          ::_exit(1);
      static_cast<void>(::write(ready[1], "", 1) == 1);
      ::pause();
      ::_exit(0);
    }
    crowds_.push_back(child);
    ::close(ready[1]);
    char byte;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "it cannot connect";
    ::close(ready[0]);
  }
  // Returns the exit status of a `weft` that `user` runs.
  int weft(uid_t user, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"setpriv", "--reuid=" + std::to_string(user),
                                         "--regid=" + std::to_string(user), "--clear-groups", "env",
                                         "HOME=/nonexistent", path("weft"), "--server", daemon_.address()});
    words_.clear();
    return run(arguments, &words_);
  }

  Daemon daemon_;
  std::vector<pid_t> crowds_;
  std::string words_;
};

TEST_F(ConnectionsTest, AUsersManyConnectionsAreHisOwnTrouble) {
  crowd(kNobody, kLimits.of_a_user);
  ASSERT_TRUE(wait_until([&] { return weft(kNobody, {"list"}) != 0; }));
  EXPECT_THAT(words_, HasSubstr("The user 65534 has too many connections"));
  EXPECT_THAT(words_, HasSubstr("at most " + std::to_string(kLimits.of_a_user)));
  EXPECT_EQ(weft(kDaemon, {"list"}), 0) << words_;
  EXPECT_EQ(weft(0, {"list"}), 0) << words_;
  ::kill(crowds_[0], SIGKILL);
  EXPECT_TRUE(wait_until([&] { return weft(kNobody, {"list"}) == 0; })) << words_;
}

TEST_F(ConnectionsTest, AFullDaemonPublishesAndStartsWorkersAgain) {
  v1::DrainDevicesResponse drained;
  ASSERT_TRUE(daemon_.devices().DrainDevices(call_context().get(), {}, &drained).ok());
  const std::string id = daemon_.submit(request(clip(2), path("out.mkv")));
  crowd(kNobody, kLimits.of_a_user);
  crowd(kDaemon, kLimits.of_a_user);
  ASSERT_TRUE(wait_until([&] { return weft(kGames, {"list"}) != 0; }));
  EXPECT_THAT(words_, HasSubstr("The daemon has too many connections"));
  // Connected clients continue.
  v1::ResumeDevicesResponse resumed;
  ASSERT_TRUE(daemon_.devices().ResumeDevices(call_context().get(), {}, &resumed).ok());
  EXPECT_EQ(daemon_.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(std::filesystem::exists(path("out.mkv")));

  const int64_t before = worker();
  ASSERT_GT(before, 0);
  ::kill(pid_t(before), SIGKILL);
  EXPECT_TRUE(wait_until([&] { return worker() > 0 && worker() != before; }));
  const std::string second = daemon_.submit(request(clip(2), path("second.mkv")));
  EXPECT_EQ(daemon_.wait_for_end_of(second).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(weft(kGames, {"list"}), 4) << "nobody has left meanwhile";
}

// Returns the status of grpc.health.v1: 1 SERVING, 2 NOT_SERVING.
int health(const Daemon& daemon) {
  const auto call = call_context();
  grpc::GenericStub stub(daemon.new_channel());
  grpc::CompletionQueue queue;
  const grpc::Slice nothing;
  const grpc::ByteBuffer everything(&nothing, 1);
  auto answer = stub.PrepareUnaryCall(call.get(), "/grpc.health.v1.Health/Check", everything, &queue);
  grpc::ByteBuffer bytes;
  grpc::Status status;
  void* tag = nullptr;
  bool good = false;
  answer->StartCall();
  answer->Finish(&bytes, &status, nullptr);
  queue.Next(&tag, &good);
  std::vector<grpc::Slice> slices;
  if (!status.ok() || !bytes.Dump(&slices).ok() || slices.empty() || slices[0].size() != 2) return 0;
  return slices[0].begin()[1];
}

class StoreTest : public ScenarioTest {};

TEST_F(StoreTest, ARemovedStateFolderTakesNoJob) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  ASSERT_TRUE(wait_until([&] { return health(daemon) == 1; }));
  daemon.submit(request(clip(2), path("first.mkv")));
  std::filesystem::remove_all(daemon.state_folder());
  v1::SubmitJobResponse response;
  const grpc::Status refused = daemon.submit(request(clip(2), path("out.mkv")), &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::DATA_LOSS);
  EXPECT_THAT(refused.error_message(), HasSubstr("somebody removed or replaced the state folder"));
  EXPECT_TRUE(wait_until([&] { return health(daemon) == 2; }));
  daemon.kill();
  ASSERT_TRUE(daemon.start());
  EXPECT_EQ(daemon.list().jobs_size(), 0)
      << "they were removed with the folder, and the one of after was not taken";
  EXPECT_EQ(daemon.wait_for_end_of(daemon.submit(request(clip(2), path("out.mkv")))).state(),
            v1::JOB_STATE_SUCCEEDED);
}

}  // namespace
}  // namespace weft::scenarios
