// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "client/devices.h"
#include "client/errors.h"
#include "client/jobs.h"
#include "client/pictures.h"
#include "client/server.h"
#include "options/validate.h"
#include "tests/client/fake_server.h"

namespace weft::client {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;

v1::SubmitJobRequest request(const std::string& input = "/in.ts") {
  v1::SubmitJobRequest result;
  result.mutable_spec()->mutable_video()->set_input(input);
  result.mutable_spec()->mutable_video()->set_output("/out.mkv");
  return result;
}

class Calls : public ::testing::Test {
 protected:
  std::shared_ptr<Connection> connect(std::chrono::milliseconds deadline = std::chrono::seconds(10)) {
    return Connection::open({.server = server_.address(), .deadline = deadline, .submit_deadline = deadline})
        .value();
  }

  test::FakeServer server_;
};

TEST_F(Calls, JobsAreSubmittedFoundAndSteered) {
  Jobs jobs(connect());
  const v1::Job job = jobs.submit(request()).value().job();
  EXPECT_EQ(jobs.get(job.id()).value().spec().video().input(), "/in.ts");
  EXPECT_EQ(jobs.pause(job.id()).value().state(), v1::JOB_STATE_PAUSED);
  EXPECT_EQ(jobs.resume(job.id()).value().state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(jobs.change_priority(job.id(), 7).value().settings().priority(), 7);
  EXPECT_EQ(jobs.cancel(job.id()).value().state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(jobs.retry(job.id()).value().state(), v1::JOB_STATE_QUEUED);
  EXPECT_THAT(jobs.explain(job.id()).value().reasons(),
              ElementsAre("The device cpu is busy.", "3 jobs stand before this one."));
  EXPECT_EQ(jobs.list({}).value().total(), 1);
}

TEST_F(Calls, APictureComesInPiecesAndWhole) {
  const auto connection = connect();
  v1::ReadPictureRequest asked;
  asked.set_job_id("01JB");
  asked.set_side(v1::PICTURE_SIDE_OUTPUT);
  asked.set_index(5);
  EXPECT_THAT(read_picture(*connection, asked), StatusIs(StatusCode::kFailedPrecondition, "has no picture"));
  size_t bytes = 24;
  server_.on_picture([&](const v1::ReadPictureRequest& request, test::FakePicture& picture) {
    picture.description.set_samples(v1::PICTURE_SAMPLES_HALF);
    picture.description.set_width(2);
    picture.description.set_height(2);
    picture.samples = std::string(bytes, char('a' + request.index()));
    return grpc::Status::OK;
  });
  const StatusOr<JobPicture> picture = read_picture(*connection, asked);
  ASSERT_TRUE(picture.ok()) << picture.status();
  EXPECT_EQ(picture->description.width(), 2);
  EXPECT_EQ(picture->samples, std::string(24, 'f'));
  bytes = 12;
  EXPECT_THAT(read_picture(*connection, asked), StatusIs(StatusCode::kDataLoss, "12 of 24 bytes"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(read_picture(*connection, asked, stop.get_token()), StatusIs(StatusCode::kCancelled));
}

TEST_F(Calls, FieldViolationsArrive) {
  Jobs jobs(connect());
  const Status status = jobs.submit(request("in.ts")).status();
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, "is relative"));
  const std::vector<options::Violation> violations = options::violations_of(status);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].field, "spec.video.input");
  EXPECT_FALSE(is_unreachable(status));
}

TEST_F(Calls, TheDaemonsOwnErrorsAreNotUnreachable) {
  for (const Status& refusal : {unavailable("The queue is full; come back."),
                                deadline_exceeded("The device had no time; come back.")}) {
    server_.on_submit([&](const auto&) {
      Status status = refusal;
      status.SetPayload("type.googleapis.com/google.rpc.RetryInfo",
                        absl::Cord(std::string("\x0a\x02\x08\x02", 4)));
      return test::refuse(status);
    });
    const int before = server_.submits();
    const Status status = Jobs(connect()).submit(request()).status();
    EXPECT_THAT(status, StatusIs(refusal.code(), "come back"));
    EXPECT_FALSE(is_unreachable(status));
    EXPECT_EQ(retry_delay(status), std::chrono::seconds(2));
    EXPECT_EQ(server_.submits(), before + 1);
  }
}

TEST_F(Calls, NobodyListening) {
  server_.stop();
  const auto connection = connect();
  const Status status = Jobs(connection).submit(request()).status();
  EXPECT_TRUE(is_unreachable(status));
  EXPECT_TRUE(connection->nobody_listens());
  EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable,
                               server_.address() + " (No such file or directory); start weftd"));
  EXPECT_TRUE(is_unreachable(connect()->wait_until_ready(std::chrono::milliseconds(20))));
  const auto is_there = Server(connect()).is_there();
  ASSERT_TRUE(is_there.ok()) << is_there.status();
  EXPECT_FALSE(*is_there);
}

// A daemon that is too busy to accept the connection is reported as present.
TEST_F(Calls, WhoListensAndSaysNothingIsThere) {
  server_.stop();
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  server_.address().copy(address.sun_path, sizeof address.sun_path - 1, std::strlen("unix:"));
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 4), 0);
  EXPECT_THAT(Server(connect(std::chrono::milliseconds(500))).is_there().status(),
              StatusIs(StatusCode::kDeadlineExceeded, "does not answer in time (0.5 s)"));
  // The backlog of the listener is full.
  std::vector<int> waiting;
  int full = 0;
  while (full == 0) {
    waiting.push_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    full = ::connect(waiting.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  EXPECT_TRUE(is_unreachable(Server(connect(std::chrono::milliseconds(500))).is_there().status()));
  for (const int socket : waiting) ::close(socket);
  ::close(listener);
}

TEST_F(Calls, ADaemonThatHangsMeetsTheDeadline) {
  server_.hold();
  const auto connection = connect(std::chrono::milliseconds(50));
  const Status status = Server(connection).info().status();
  server_.release();
  EXPECT_FALSE(connection->nobody_listens());
  EXPECT_THAT(status, StatusIs(StatusCode::kDeadlineExceeded, "does not answer in time (0.1 s)"));
  EXPECT_TRUE(is_unreachable(status));
}

TEST_F(Calls, ClosingEndsACallInFlightAndThoseThatFollow) {
  server_.hold();
  const auto connection = connect(std::chrono::hours(1));
  std::jthread closing([&] { connection->close(); });
  EXPECT_TRUE(is_unreachable(Jobs(connection).list({}).status()));
  EXPECT_TRUE(is_unreachable(Devices(connection).watch({}, [](const v1::DeviceStatus&) { return true; })));
  server_.release();
}

// A call in any state ends when the daemon stops.
TEST_F(Calls, ADaemonThatGoesIsUnreachable) {
  const std::string id = server_.add({});
  server_.let_samples_go_on();
  std::mutex mutex;
  std::vector<Status> others;
  for (int round = 0; round < 20; round++) {
    std::atomic<bool> over{false};
    std::atomic<int> answers{0};
    std::vector<std::jthread> callers;
    const auto call = [&](const auto& ask) {
      callers.emplace_back([&, ask, connection = connect()] {
        while (!over) {
          const Status status = ask(connection);
          answers++;
          const std::lock_guard lock(mutex);
          if (!status.ok() && !is_unreachable(status)) others.push_back(status);
        }
      });
    };
    call([&](const auto& connection) { return Jobs(connection).get(id).status(); });
    call([&](const auto& connection) { return Jobs(connection).list({}).status(); });
    call([&](const auto& connection) { return Server(connection).info().status(); });
    call([&](const auto& connection) {
      return Devices(connection).watch({}, [&](const v1::DeviceStatus&) { return ++answers > 0; });
    });
    EXPECT_TRUE(server_.wait_for([&] { return answers > 20; }));
    server_.stop();
    over = true;
    callers.clear();
    server_.start();
  }
  for (const Status& status : others) ADD_FAILURE() << status;
}

TEST_F(Calls, ALostAnswerIsAskedForAgainAndMakesOneJob) {
  server_.lose_answers(2);
  const auto response = Jobs(connect()).submit(request());
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(server_.submits(), 3);
  ASSERT_EQ(server_.jobs().size(), 1u);
  EXPECT_EQ(server_.jobs()[0].request_id(), response->job().request_id());
  EXPECT_THAT(response->job().request_id(),
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

TEST_F(Calls, ARefusedSubmitIsNotRepeated) {
  server_.on_submit([](const auto&) { return test::refuse(resource_exhausted("The disk is full.")); });
  EXPECT_THAT(Jobs(connect()).submit(request()), StatusIs(StatusCode::kResourceExhausted, "disk is full"));
  EXPECT_EQ(server_.submits(), 1);
}

TEST_F(Calls, JobsBelongToTheCallerUnlessAnOwnerIsGiven) {
  Jobs jobs(connect());
  EXPECT_EQ(jobs.submit(request())->job().settings().owner(), "") << "over a Unix socket the daemon knows";
  v1::SubmitJobRequest given = request();
  given.mutable_settings()->set_owner("somebody");
  EXPECT_EQ(jobs.submit(given)->job().settings().owner(), "somebody");
}

TEST_F(Calls, TheGivenRequestIdIsUsed) {
  v1::SubmitJobRequest with_id = request();
  with_id.set_request_id("mine");
  Jobs jobs(connect());
  EXPECT_EQ(jobs.submit(with_id)->job().id(), jobs.submit(with_id)->job().id());
  EXPECT_EQ(server_.jobs()[0].request_id(), "mine");
}

TEST_F(Calls, DevicesAreListedAndDrained) {
  v1::DeviceStatus device;
  device.set_id("cpu");
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  server_.add_device(device);
  device.set_id("cuda:0");
  server_.add_device(device);
  Devices devices(connect());
  EXPECT_EQ(devices.list().value().devices_size(), 2);
  EXPECT_EQ(devices.drain({"cpu"}).value().size(), 1u);
  EXPECT_EQ(server_.device("cpu").state(), v1::DEVICE_STATE_DRAINED);
  EXPECT_EQ(server_.device("cuda:0").state(), v1::DEVICE_STATE_IN_SERVICE);
  EXPECT_EQ(devices.resume({}).value().size(), 2u);
  int samples = 0;
  EXPECT_THAT(devices.watch({}, [&](const v1::DeviceStatus&) { return ++samples < 100; }), IsOk());
  EXPECT_EQ(samples, 2);
}

TEST_F(Calls, LogsAreReadToTheEndOrUntilEnough) {
  const std::string id = server_.add({});
  for (const char* text : {"one", "two", "three"}) server_.add_log(text);
  std::vector<std::string> lines;
  v1::ReadJobLogRequest read;
  read.set_id(id);
  const auto take = [&](const v1::ReadJobLogResponse& line) {
    lines.push_back(line.text());
    return lines.size() < 2;
  };
  EXPECT_THAT(Jobs(connect()).read_log(read, take), IsOk());
  EXPECT_THAT(lines, ElementsAre("one", "two"));
  read.set_id("nothing");
  EXPECT_THAT(Jobs(connect()).read_log(read, take), StatusIs(StatusCode::kNotFound, "nothing"));
}

TEST_F(Calls, FollowingALogEndsWhenAsked) {
  v1::ReadJobLogRequest read;
  read.set_id(server_.add({}));
  read.set_follow(true);
  server_.add_log("only");
  std::stop_source stop;
  const auto take = [&](const v1::ReadJobLogResponse&) {
    stop.request_stop();
    return true;
  };
  EXPECT_THAT(Jobs(connect()).read_log(read, take, stop.get_token()), IsOk());
}

TEST_F(Calls, ASocketThatIsClosedToTheUserIsNamedWithItsGroup) {
  constexpr uid_t kNobody = 65534;
  const std::string socket = server_.folder() + "/weft.sock";
  ASSERT_EQ(::chmod(server_.folder().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(socket.c_str(), geteuid() == 0 ? 0660 : 0), 0);
  if (geteuid() == 0) {
    ASSERT_EQ(::chown(socket.c_str(), 0, 1), 0) << "root's own group is this process's still";
  }
  const uid_t own = geteuid();
  if (own == 0) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const Status refused = Server(connect()).info().status();
  const int closed = own == 0 ? 0 : ::chmod(server_.folder().c_str(), 0);
  if (own == 0) {
    ASSERT_EQ(::seteuid(own), 0);
    ASSERT_EQ(::chmod(server_.folder().c_str(), 0700), 0);
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const Status in_a_closed_folder = Server(connect()).info().status();
  if (own == 0) {
    ASSERT_EQ(::seteuid(own), 0);
  }
  EXPECT_TRUE(is_unreachable(refused));
  EXPECT_THAT(refused,
              StatusIs(StatusCode::kPermissionDenied, "You may not use the daemon at unix:" + socket));
  EXPECT_THAT(refused,
              StatusIs(StatusCode::kPermissionDenied, own == 0 ? "sudo usermod -aG" : "socket_mode"));
  EXPECT_EQ(closed, 0);
  EXPECT_THAT(in_a_closed_folder,
              StatusIs(StatusCode::kPermissionDenied, "(the folder " + server_.folder() + " is "));
  ASSERT_EQ(::chmod(server_.folder().c_str(), 0700), 0) << "for its removal";
}

}  // namespace
}  // namespace weft::client
