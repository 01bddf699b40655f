// SPDX-License-Identifier: Apache-2.0
#include "server/channel/channel.h"

#include <random>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/internal/v1/worker.pb.h"

namespace weft::channel {
namespace {

using internal::v1::FromWorker;
using std::chrono::milliseconds;
using std::chrono::seconds;

FromWorker log_line(std::string text) {
  FromWorker message;
  message.mutable_log_line()->set_text(std::move(text));
  return message;
}

class ChannelTest : public testing::Test {
 protected:
  ChannelTest() {
    auto ends = make_socket_pair();
    EXPECT_THAT(ends, IsOk());
    raw_ = ends->first.get();
    left_ = std::make_unique<Channel>(std::move(ends->first));
    right_ = std::make_unique<Channel>(std::move(ends->second));
  }
  void write_raw(std::string_view bytes) {
    ASSERT_EQ(::write(raw_, bytes.data(), bytes.size()), ssize_t(bytes.size()));
  }
  // Returns a whole frame of the channel as bytes.
  static std::string frame_of(const FromWorker& message) {
    auto ends = make_socket_pair();
    Channel channel(std::move(ends->first));
    EXPECT_THAT(channel.send(message, {}, seconds(5)), IsOk());
    std::string bytes(1 << 16, '\0');
    bytes.resize(size_t(::read(ends->second.get(), bytes.data(), bytes.size())));
    return bytes;
  }

  int raw_ = -1;  // socket of `left`
  std::unique_ptr<Channel> left_, right_;
};

TEST_F(ChannelTest, CarriesMessagesInOrderBothWays) {
  for (int i = 0; i < 100; i++) ASSERT_THAT(left_->send(log_line(std::to_string(i)), {}, seconds(5)), IsOk());
  ASSERT_THAT(right_->send(log_line("back"), {}, seconds(5)), IsOk());
  FromWorker got;
  for (int i = 0; i < 100; i++) {
    ASSERT_THAT(right_->receive(got, nullptr, seconds(5)), IsOk());
    EXPECT_EQ(got.log_line().text(), std::to_string(i));
  }
  ASSERT_THAT(left_->receive(got, nullptr, seconds(5)), IsOk());
  EXPECT_EQ(got.log_line().text(), "back");
}

TEST_F(ChannelTest, CarriesAnEmptyMessage) {
  ASSERT_THAT(left_->send(FromWorker(), {}, seconds(5)), IsOk());
  FromWorker got = log_line("old");
  ASSERT_THAT(right_->receive(got, nullptr, seconds(5)), IsOk());
  EXPECT_EQ(got.message_case(), FromWorker::MESSAGE_NOT_SET);
}

TEST_F(ChannelTest, DescriptorsArriveWithTheirMessageAndCloseOnExec) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const FileDescriptor reader(pipe_ends[0]);
  FileDescriptor writer(pipe_ends[1]);
  ASSERT_THAT(left_->send(log_line("none"), {}, seconds(5)), IsOk());
  ASSERT_THAT(left_->send(log_line("two"), {reader.get(), writer.get()}, seconds(5)), IsOk());
  ASSERT_THAT(left_->send(log_line("one"), {reader.get()}, seconds(5)), IsOk());
  FromWorker got;
  std::vector<FileDescriptor> fds;
  ASSERT_THAT(right_->receive(got, &fds, seconds(5)), IsOk());
  EXPECT_TRUE(fds.empty());
  ASSERT_THAT(right_->receive(got, &fds, seconds(5)), IsOk());
  ASSERT_EQ(fds.size(), 2u);
  EXPECT_EQ(::fcntl(fds[0].get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  ASSERT_EQ(::write(fds[1].get(), "x", 1), 1);
  char byte = 0;
  ASSERT_EQ(::read(reader.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  ASSERT_THAT(right_->receive(got, &fds, seconds(5)), IsOk());
  EXPECT_EQ(fds.size(), 1u);
}

TEST_F(ChannelTest, DescriptorsNobodyAsksForAreClosed) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const FileDescriptor reader(pipe_ends[0]);
  FileDescriptor writer(pipe_ends[1]);
  ASSERT_THAT(left_->send(log_line(""), {writer.get()}, seconds(5)), IsOk());
  writer.reset();
  FromWorker got;
  ASSERT_THAT(right_->receive(got, nullptr, seconds(5)), IsOk());
  char byte = 0;
  EXPECT_EQ(::read(reader.get(), &byte, 1), 0) << "the pipe has a writer still";
}

TEST_F(ChannelTest, AMessageMayComeByteByByte) {
  const std::string frame = frame_of(log_line("in pieces"));
  FromWorker got;
  for (size_t i = 0; i + 1 < frame.size(); i++) {
    write_raw(frame.substr(i, 1));
    auto there = right_->try_receive(got, nullptr);
    ASSERT_THAT(there, IsOk());
    ASSERT_FALSE(*there) << "after byte " << i;
  }
  write_raw(frame.substr(frame.size() - 1));
  auto there = right_->try_receive(got, nullptr);
  ASSERT_THAT(there, IsOk());
  EXPECT_TRUE(*there);
  EXPECT_EQ(got.log_line().text(), "in pieces");
}

TEST_F(ChannelTest, LargeMessagesPassWhileTheOtherEndReads) {
  const FromWorker large = log_line(std::string(kMaxMessageBytes - 100, 'x'));
  std::thread reader([&] {
    FromWorker got;
    for (int i = 0; i < 3; i++) {
      ASSERT_THAT(right_->receive(got, nullptr, seconds(20)), IsOk());
      EXPECT_EQ(got.log_line().text().size(), large.log_line().text().size());
    }
  });
  for (int i = 0; i < 3; i++) EXPECT_THAT(left_->send(large, {}, seconds(20)), IsOk());
  reader.join();
}

TEST_F(ChannelTest, ManyThreadsMaySend) {
  constexpr int kThreads = 8, kMessages = 200;
  std::vector<std::thread> senders;
  for (int t = 0; t < kThreads; t++)
    senders.emplace_back([&, t] {
      for (int i = 0; i < kMessages; i++)
        EXPECT_THAT(
            left_->send(log_line(fmt::format("{} {}", t, std::string(size_t(i) * 50, 'y'))), {}, seconds(20)),
            IsOk());
    });
  std::vector<int> seen(kThreads);
  FromWorker got;
  for (int i = 0; i < kThreads * kMessages; i++) {
    ASSERT_THAT(right_->receive(got, nullptr, seconds(20)), IsOk());
    const size_t sender = size_t(std::stoi(got.log_line().text()));
    EXPECT_EQ(got.log_line().text().size(), 2 + size_t(seen[sender]) * 50) << "out of order";
    seen[sender]++;
  }
  for (auto& sender : senders) sender.join();
}

TEST_F(ChannelTest, TooLargeOrTooManyDescriptorsIsRefusedAndTheChannelLives) {
  EXPECT_THAT(left_->send(log_line(std::string(kMaxMessageBytes, 'x')), {}, seconds(5)),
              StatusIs(StatusCode::kInvalidArgument, "too large"));
  const std::vector<int> many(kMaxDescriptors + 1, 0);
  EXPECT_THAT(left_->send(log_line(""), many, seconds(5)),
              StatusIs(StatusCode::kInvalidArgument, "too many"));
  EXPECT_THAT(left_->send(log_line("still"), {}, seconds(5)), IsOk());
  FromWorker got;
  ASSERT_THAT(right_->receive(got, nullptr, seconds(5)), IsOk());
  EXPECT_EQ(got.log_line().text(), "still");
}

TEST_F(ChannelTest, NoMessageInTimeIsNoEnd) {
  FromWorker got;
  EXPECT_THAT(right_->receive(got, nullptr, milliseconds(1)), StatusIs(StatusCode::kDeadlineExceeded));
  ASSERT_THAT(left_->send(log_line("late"), {}, seconds(5)), IsOk());
  EXPECT_THAT(right_->receive(got, nullptr, seconds(5)), IsOk());
}

TEST_F(ChannelTest, APeerThatDoesNotReadEndsTheSenderAfterItsTime) {
  const FromWorker large = log_line(std::string(8 << 20, 'x'));
  EXPECT_THAT(left_->send(large, {}, milliseconds(20)),
              StatusIs(StatusCode::kDeadlineExceeded, "does not read"));
  EXPECT_THAT(left_->send(log_line(""), {}, seconds(5)), StatusIs(StatusCode::kDeadlineExceeded));
}

TEST_F(ChannelTest, PostNeverBlocksAndIsBounded) {
  const FromWorker large = log_line(std::string(8 << 20, 'x'));
  int posted = 0;
  Status status;
  while ((status = left_->post(large)).ok()) posted++;
  EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted, "does not read"));
  EXPECT_GE(posted, 7);
  EXPECT_TRUE(left_->has_pending());
  FromWorker got;
  for (int received = 0; received < posted;) {
    ASSERT_THAT(left_->flush(), IsOk());
    auto there = right_->try_receive(got, nullptr);
    ASSERT_THAT(there, IsOk());
    if (*there) received++;
  }
  EXPECT_FALSE(left_->has_pending());
}

TEST_F(ChannelTest, PostedDescriptorsAreTheirOwnCopies) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const FileDescriptor reader(pipe_ends[0]);
  ASSERT_THAT(left_->post(log_line(""), std::span(&pipe_ends[1], 1)), IsOk());
  ::close(pipe_ends[1]);
  FromWorker got;
  std::vector<FileDescriptor> fds;
  ASSERT_THAT(right_->receive(got, &fds, seconds(5)), IsOk());
  ASSERT_EQ(fds.size(), 1u);
  EXPECT_EQ(::write(fds[0].get(), "x", 1), 1);
}

TEST_F(ChannelTest, TheEndComesAfterWhatWasSent) {
  ASSERT_THAT(left_->send(log_line("last words"), {}, seconds(5)), IsOk());
  left_.reset();
  FromWorker got;
  EXPECT_THAT(right_->receive(got, nullptr, seconds(5)), IsOk());
  EXPECT_THAT(right_->receive(got, nullptr, seconds(5)), StatusIs(StatusCode::kUnavailable, "has ended"));
  EXPECT_THAT(right_->send(log_line(""), {}, seconds(5)), StatusIs(StatusCode::kUnavailable, "has ended"));
}

TEST_F(ChannelTest, AnEndInsideAMessageIsDataLoss) {
  const std::string frame = frame_of(log_line("cut"));
  write_raw(frame.substr(0, frame.size() / 2));
  left_.reset();
  FromWorker got;
  EXPECT_THAT(right_->receive(got, nullptr, seconds(5)), StatusIs(StatusCode::kDataLoss, "inside a message"));
  EXPECT_THAT(right_->receive(got, nullptr, seconds(5)), StatusIs(StatusCode::kDataLoss));
}

TEST_F(ChannelTest, AKilledProcessIsSeenAtOnce) {
  auto ends = make_socket_pair();
  ASSERT_THAT(ends, IsOk());
  const pid_t child = ::fork();
  if (child == 0) {
    ends->first.reset();
    ::pause();
    ::_exit(0);
  }
  ends->second.reset();
  Channel channel(std::move(ends->first));
  ::kill(child, SIGKILL);
  FromWorker got;
  EXPECT_THAT(channel.receive(got, nullptr, seconds(20)), StatusIs(StatusCode::kUnavailable));
  ::waitpid(child, nullptr, 0);
}

TEST_F(ChannelTest, GarbageIsDataLossAndNeverMore) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; round++) {
    auto ends = make_socket_pair();
    ASSERT_THAT(ends, IsOk());
    std::string bytes = round % 2 == 0 ? std::string(100, '\0') : frame_of(log_line("flipped bits"));
    if (round % 2 == 0) {
      for (char& byte : bytes) byte = char(random());
    } else {
      bytes[random() % bytes.size()] ^= char(1 << random() % 8);
    }
    ASSERT_EQ(::write(ends->first.get(), bytes.data(), bytes.size()), ssize_t(bytes.size()));
    ends->first.reset();
    Channel channel(std::move(ends->second));
    FromWorker got;
    Status status;
    for (int i = 0; i < 3 && status.ok(); i++) status = channel.receive(got, nullptr, seconds(5));
    EXPECT_TRUE(status.code() == StatusCode::kDataLoss || status.code() == StatusCode::kUnavailable)
        << status;
  }
}

}  // namespace
}  // namespace weft::channel
