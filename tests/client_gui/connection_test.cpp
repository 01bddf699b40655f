// SPDX-License-Identifier: Apache-2.0
// Tests the connection to a fake daemon and to servers that are no daemon.
#include <QElapsedTimer>
#include <thread>

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client_gui/models/fleet.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

v1::Job fake_job(v1::JobState state = v1::JOB_STATE_QUEUED) {
  v1::Job job;
  job.mutable_spec()->mutable_video()->set_input("/media/in.ts");
  job.mutable_spec()->mutable_video()->set_output("/media/out.mkv");
  job.mutable_settings()->set_owner("ann");
  job.set_state(state);
  job.set_waiting_reason("The device cpu is busy.");
  return job;
}

class ConnectionTest : public ::testing::Test {
 protected:
  int add(const std::string& address) { return fleet_.add(QString::fromStdString(address)).value(); }
  bool wait_for_link(int server, LinkState state) {
    return wait_until([&] { return fleet_.link(server).state == state; });
  }
  bool wait_for_rows(int rows) {
    return wait_until([&] { return fleet_.jobs().rowCount() == rows; });
  }
  bool wait_for_device(int server) {
    const QModelIndex node = fleet_.tree().server_index(server);
    return wait_until([&] { return fleet_.tree().rowCount(node) > int(job_states().size()); });
  }

  Fleet fleet_;
};

TEST_F(ConnectionTest, JobsAndDevicesArrive) {
  test::FakeServer daemon;
  v1::DeviceStatus device;
  device.set_id("cuda:0");
  device.set_name("A GPU");
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  daemon.add_device(device);
  daemon.add(fake_job());
  const int server = add(daemon.address());
  ASSERT_TRUE(wait_for_rows(1));
  EXPECT_TRUE(wait_for_link(server, LinkState::kLive));
  const JobRow& job = fleet_.jobs().job_at(0).job;
  EXPECT_EQ(job.files, "in.ts -> out.mkv");
  EXPECT_EQ(job.kind, "video");
  EXPECT_EQ(job.owner, "ann");
  EXPECT_EQ(job.note, "The device cpu is busy.");
  EXPECT_LT(job.rate, 0) << "it is not known";
  ASSERT_TRUE(wait_for_device(server));
  EXPECT_EQ(fleet_.tree().index(0, 0, fleet_.tree().server_index(server)).data().toString(), "cuda:0: A GPU");
}

TEST_F(ConnectionTest, NamesAreShownWithTheirControlCharacters) {
  test::FakeServer daemon;
  v1::Job job = fake_job();
  job.mutable_spec()->mutable_video()->set_input("/media/a\x1b\n\xe2\x80\xae.ts");
  job.mutable_settings()->set_owner("ann\x07");
  job.set_waiting_reason("It waits\x1b.");
  daemon.add(job);
  add(daemon.address());
  ASSERT_TRUE(wait_for_rows(1));
  const JobRow& row = fleet_.jobs().job_at(0).job;
  EXPECT_EQ(row.files, "a\\x1b\\n\\u202e.ts -> out.mkv");
  EXPECT_EQ(row.owner, "ann\\x07");
  EXPECT_EQ(row.note, "It waits\\x1b.");
}

TEST_F(ConnectionTest, ChangesArriveAndOnlyTheNewestOfAJobCounts) {
  test::FakeServer daemon;
  const std::string id = daemon.add(fake_job());
  add(daemon.address());
  ASSERT_TRUE(wait_for_rows(1));
  for (int done = 1; done <= 500; done++)
    daemon.change(id, [&](v1::Job& job) {
      job.set_state(v1::JOB_STATE_RUNNING);
      job.mutable_progress()->set_units_total(500);
      job.mutable_progress()->set_units_done(done);
    });
  int deliveries = 0;
  QObject::connect(&fleet_.jobs(), &JobsModel::counts_changed, &fleet_, [&] { deliveries++; });
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().job_at(0).job.done == 1; }));
  EXPECT_LT(deliveries, 50);
}

TEST_F(ConnectionTest, AForgottenJobGoes) {
  test::FakeServer daemon;
  const std::string id = daemon.add(fake_job());
  daemon.add(fake_job());
  add(daemon.address());
  ASSERT_TRUE(wait_for_rows(2));
  daemon.forget(id);
  ASSERT_TRUE(wait_for_rows(1));
}

TEST_F(ConnectionTest, AfterARestartItGoesOnWhereItWas) {
  test::FakeServer daemon;
  const std::string id = daemon.add(fake_job());
  const int server = add(daemon.address());
  ASSERT_TRUE(wait_for_rows(1));
  daemon.stop();
  ASSERT_TRUE(wait_for_link(server, LinkState::kOffline));
  EXPECT_EQ(fleet_.jobs().rowCount(), 1) << "what was known stays";
  EXPECT_GE(fleet_.link(server).age_seconds, 0);
  EXPECT_THAT(fleet_.link(server).reason.toStdString(), ::testing::HasSubstr("No daemon answers at unix:"));
  daemon.change(id, [](v1::Job& job) { job.set_state(v1::JOB_STATE_SUCCEEDED); });
  daemon.start();
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().job_at(0).job.state == v1::JOB_STATE_SUCCEEDED; }));
  EXPECT_TRUE(wait_for_link(server, LinkState::kLive));
  const std::vector<std::string> tokens = daemon.watch_tokens();
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_NE(tokens[1], "") << "it began anew";
}

TEST_F(ConnectionTest, AWatchThatHasToBeginAnewForgetsWhatIsGone) {
  test::FakeServer daemon;
  const std::string id = daemon.add(fake_job());
  daemon.add(fake_job());
  const int server = add(daemon.address());
  ASSERT_TRUE(wait_for_rows(2));
  daemon.stop();
  ASSERT_TRUE(wait_for_link(server, LinkState::kOffline));
  daemon.forget(id);
  daemon.forget_history();
  daemon.start();
  ASSERT_TRUE(wait_for_rows(1));
}

TEST_F(ConnectionTest, StartsWithoutAServerAndFindsItOnceItIsThere) {
  test::FakeServer daemon;
  daemon.add(fake_job());
  daemon.stop();
  const int server = add(daemon.address());
  ASSERT_TRUE(wait_for_link(server, LinkState::kOffline));
  EXPECT_TRUE(fleet_.is_settled());
  EXPECT_LT(fleet_.link(server).age_seconds, 0) << "nothing was ever known";
  EXPECT_GE(fleet_.link(server).retry_in_seconds, 0);
  daemon.start();
  fleet_.retry_now(server);
  ASSERT_TRUE(wait_for_rows(1));
  EXPECT_EQ(fleet_.link(server).state, LinkState::kLive);
}

TEST_F(ConnectionTest, ASilentDeviceMakesItStale) {
  test::FakeServer daemon;
  v1::DeviceStatus device;
  device.set_id("cpu");
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  daemon.add_device(device);
  const int server = add(daemon.address());
  ASSERT_TRUE(wait_for_device(server));
  ASSERT_TRUE(wait_for_link(server, LinkState::kLive));
  daemon.hold();  // Changes of devices are not reported any more; the watch of jobs continues.
  ASSERT_TRUE(wait_for_link(server, LinkState::kStale));
  EXPECT_GE(fleet_.link(server).age_seconds, 3);
  daemon.release();
  EXPECT_TRUE(wait_for_link(server, LinkState::kLive));
}

TEST_F(ConnectionTest, DevicesThatAreNeverToldMakeItStale) {
  test::FakeServer daemon;
  daemon.hold();
  const int server = add(daemon.address());
  ASSERT_TRUE(wait_for_link(server, LinkState::kStale));
  daemon.release();
  EXPECT_TRUE(wait_for_link(server, LinkState::kLive));
}

TEST_F(ConnectionTest, DevicesWithoutJobsHaveAnAge) {
  test::FakeServer daemon;
  v1::DeviceStatus device;
  device.set_id("cpu");
  daemon.add_device(device);
  daemon.hold_watches();
  const int server = add(daemon.address());
  ASSERT_TRUE(wait_for_device(server));
  EXPECT_EQ(fleet_.link(server).state, LinkState::kConnecting);
  daemon.stop();
  ASSERT_TRUE(wait_for_link(server, LinkState::kOffline));
  EXPECT_GE(fleet_.link(server).age_seconds, 0);
}

TEST_F(ConnectionTest, TwoServersHaveTheirJobsSideBySide) {
  test::FakeServer one, two;
  one.add(fake_job());
  two.add(fake_job());
  const int first = add(one.address());
  const int second = add(two.address());
  EXPECT_EQ(add(one.address()), first) << "the same server is looked at once";
  ASSERT_TRUE(wait_for_rows(2));
  JobScope scope;
  scope.server = second;
  fleet_.jobs().set_scope(scope);
  EXPECT_EQ(fleet_.jobs().rowCount(), 1);
  fleet_.remove(second);
  EXPECT_EQ(fleet_.jobs().rowCount(), 0);
  fleet_.jobs().set_scope({});
  EXPECT_EQ(fleet_.jobs().rowCount(), 1);
}

TEST_F(ConnectionTest, AWrongAddressIsAnErrorAtOnce) {
  EXPECT_THAT(fleet_.add("nowhere").status(), StatusIs(StatusCode::kInvalidArgument, "write one of the two"));
  EXPECT_TRUE(fleet_.servers().empty());
}

// A server that answers every connection with bytes that are not HTTP/2, or with nothing.
class NoDaemon {
 public:
  NoDaemon(const std::string& path, std::string answer) : answer_(std::move(answer)) {
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(socket_, 16) != 0)
      ADD_FAILURE() << "cannot listen at " << path;
    thread_ = std::thread([this] { serve(); });
  }
  ~NoDaemon() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

 private:
  void serve() {
    std::vector<int> open;
    for (int peer = 0; (peer = ::accept(socket_, nullptr, nullptr)) >= 0;) {
      open.push_back(peer);
      if (answer_.empty()) continue;
      [[maybe_unused]] const ssize_t sent = ::send(peer, answer_.data(), answer_.size(), MSG_NOSIGNAL);
      ::shutdown(peer, SHUT_WR);
    }
    for (const int peer : open) ::close(peer);
  }

  const std::string answer_;
  int socket_ = -1;
  std::thread thread_;
};

TEST_F(ConnectionTest, AServerThatTalksNonsenseIsOffline) {
  test::FakeServer folder;
  std::string bytes;
  for (int i = 0; i < 100000; i++) bytes += char(i * 7919 >> 3);
  const NoDaemon nonsense(folder.folder() + "/nonsense.sock", bytes);
  const int server = add("unix:" + folder.folder() + "/nonsense.sock");
  ASSERT_TRUE(wait_for_link(server, LinkState::kOffline));
  EXPECT_FALSE(fleet_.link(server).reason.isEmpty());
  fleet_.retry_now(server);
  fleet_.remove(server);
}

TEST_F(ConnectionTest, AServerThatSaysNothingIsOfflineInTheEndAndHoldsUpNothing) {
  test::FakeServer folder;
  const NoDaemon silence(folder.folder() + "/silence.sock", "");
  QElapsedTimer timer;
  timer.start();
  const int server = add("unix:" + folder.folder() + "/silence.sock");
  ASSERT_TRUE(wait_for_link(server, LinkState::kOffline));
  const qint64 attempt = timer.restart();
  fleet_.remove(server);
  EXPECT_LT(timer.elapsed(), attempt) << "it waited for the next attempt's end";
}

TEST_F(ConnectionTest, ADaemonThatHangsDoesNotHoldUpTheEnd) {
  test::FakeServer daemon;
  daemon.hold();
  const int server = add(daemon.address());
  ASSERT_TRUE(wait_until([&] { return !daemon.watch_tokens().empty(); }));
  fleet_.remove(server);  // Ends the watch, which has no deadline while the daemon hangs.
  daemon.release();
}

}  // namespace
}  // namespace weft::gui
