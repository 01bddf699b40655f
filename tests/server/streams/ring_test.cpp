// SPDX-License-Identifier: Apache-2.0
#include "server/streams/ring.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/streams/limits.h"
#include "server/streams/ring_socket.h"

namespace weft::streams {
namespace {

using channel::FileDescriptor;

TEST(RingTest, NobodyCanCutIt) {
  auto ring = Ring::make(8192);
  ASSERT_THAT(ring, IsOk());
  EXPECT_NE(::ftruncate(ring->descriptor(), 0), 0);
  EXPECT_NE(::ftruncate(ring->descriptor(), 1 << 20), 0);
  ASSERT_NE(ring->data(), nullptr);
  ring->data()[8191] = std::byte{7};
  EXPECT_EQ(ring->data()[8191], std::byte{7});
}

TEST(RingTest, MemoryThatIsNotThereIsRefused) {
  EXPECT_THAT(Ring::make(int64_t{1} << 60), StatusIs(StatusCode::kResourceExhausted, "short"));
  EXPECT_THAT(Ring::make(4096, int64_t{1} << 60), StatusIs(StatusCode::kResourceExhausted, "short"));
}

class RingSocketTest : public ::testing::Test {
 protected:
  RingSocketTest() {
    char name[] = "/tmp/weft-ring.XXXXXX";
    folder_ = ::mkdtemp(name);
    loop_ = *queue::EventLoop::start([] {});
    loop_->post([this] {
      auto socket = RingSocket::listen(*loop_, path(), 0600, clock_, [this](const std::string& token) {
        if (token != std::string(kTokenBytes, 't')) return StatusOr<FileDescriptor>(not_found("no"));
        return channel::duplicate(ring_.descriptor());
      });
      if (socket.ok()) socket_ = *std::move(socket);
    });
  }
  ~RingSocketTest() override {
    loop_->post([this] { socket_.reset(); });
    loop_->stop();
    std::filesystem::remove_all(folder_);
  }
  std::string path() const { return folder_ + "/frames"; }

  FileDescriptor connect() {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path().copy(name.sun_path, sizeof(name.sun_path) - 1);
    for (int i = 0; i < 1000; i++) {
      FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0) return socket;
      ::poll(nullptr, 0, 5);  // until the socket listens
    }
    ADD_FAILURE() << "Nobody listens.";
    return {};
  }
  // Returns the socket's answer to a token: the size in bytes of the memory that it passes, or -1
  // if it passes none.
  static int64_t answer(const FileDescriptor& socket, const std::string& token) {
    ::send(socket.get(), token.data(), token.size(), MSG_NOSIGNAL);
    char byte = 0;
    iovec bytes{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr header{};
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    if (::recvmsg(socket.get(), &header, 0) != 1 || CMSG_FIRSTHDR(&header) == nullptr) return -1;
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof(int));
    const FileDescriptor memory(descriptor);
    struct stat facts {};
    return ::fstat(memory.get(), &facts) == 0 ? facts.st_size : -1;
  }

  VirtualClock clock_;
  std::string folder_;
  Ring ring_ = *Ring::make(4096);
  std::unique_ptr<queue::EventLoop> loop_;
  std::unique_ptr<RingSocket> socket_;
};

TEST_F(RingSocketTest, HandsMemoryOutForTheTokenAndNothingElse) {
  EXPECT_EQ(answer(connect(), std::string(kTokenBytes, 't')), 4096);
  EXPECT_EQ(answer(connect(), std::string(kTokenBytes, 'x')), -1);
  EXPECT_EQ(answer(connect(), "t"), -1);
  struct stat facts {};
  ASSERT_EQ(::stat(path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(RingSocketTest, ThoseWhoSaySilentDoNotKeepOthersOut) {
  std::vector<FileDescriptor> silent;
  for (int i = 0; i < 2 * kMaxWaitingForRings; i++) silent.push_back(connect());
  EXPECT_EQ(answer(connect(), std::string(kTokenBytes, 't')), 4096);
  clock_.advance(kLongestRingRequest + std::chrono::seconds(1));
  loop_->post([this] { socket_->tick(); });
  for (const FileDescriptor& each : silent) {
    char byte = 0;
    EXPECT_LE(::recv(each.get(), &byte, 1, 0), 0);  // the connection has ended
  }
}

}  // namespace
}  // namespace weft::streams
