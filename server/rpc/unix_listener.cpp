// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/unix_listener.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <grpcpp/server_posix.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "server/rpc/listen.h"

namespace weft::rpc {
namespace {

using channel::FileDescriptor;

constexpr int kBacklog = 128;               // connections that wait to be taken
constexpr int kFirstNumber = 64;            // of descriptors of connections
constexpr int kShortageMilliseconds = 100;  // without descriptors or memory, until the next try
constexpr mode_t kOnlyUs = 0177;            // umask until set_socket_mode has run

Status bind_to(int socket, const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());  // prepare_address saw that it fits
  ::unlink(path.c_str());                                // and that nobody listens there
  const mode_t before = ::umask(kOnlyUs);
  const int bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&name), sizeof(name));
  ::umask(before);
  if (bound != 0 || ::listen(socket, kBacklog) != 0)
    return unavailable("The daemon cannot listen at unix:{}: {}.", path, std::strerror(errno));
  return ok_status();
}

}  // namespace

StatusOr<std::unique_ptr<UnixListener>> UnixListener::open(const std::vector<std::string>& addresses,
                                                           mode_t mode) {
  std::vector<Socket> sockets;
  for (const std::string& address : addresses) {
    const std::string path = address.substr(address.find(':') + 1);
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.is_open())
      return unavailable("The daemon cannot listen at {}: {}.", address, std::strerror(errno));
    RETURN_IF_ERROR(bind_to(socket.get(), path));
    sockets.push_back({path, std::move(socket)});
    RETURN_IF_ERROR(set_socket_mode(address, mode));
  }
  FileDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open()) return resource_exhausted("The daemon cannot listen: {}.", std::strerror(errno));
  return std::unique_ptr<UnixListener>(new UnixListener(std::move(sockets), std::move(wake)));
}

UnixListener::UnixListener(std::vector<Socket> sockets, FileDescriptor wake)
    : sockets_(std::move(sockets)), wake_(std::move(wake)), next_number_(kFirstNumber) {}

UnixListener::~UnixListener() {
  stop();
  for (const Socket& socket : sockets_) ::unlink(socket.path.c_str());
}

void UnixListener::begin(grpc::Server& server, Callers& callers, std::string operators) {
  operators_ = std::move(operators);
  thread_ = std::thread([this, &server, &callers] { run(server, callers); });
}

void UnixListener::stop() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  static_cast<void>(::write(wake_.get(), &one, sizeof(one)) == sizeof(one));
  thread_.join();
}

void UnixListener::run(grpc::Server& server, Callers& callers) {
  std::vector<pollfd> wanted{{wake_.get(), POLLIN, 0}};
  for (const Socket& socket : sockets_) wanted.push_back({socket.listening.get(), POLLIN, 0});
  while (true) {
    if (::poll(wanted.data(), nfds_t(wanted.size()), -1) <= 0) continue;
    if (wanted[0].revents != 0) return;
    for (size_t i = 1; i < wanted.size(); i++)
      if (wanted[i].revents != 0) accept_one(wanted[i].fd, server, callers);
  }
}

void UnixListener::accept_one(int listening, grpc::Server& server, Callers& callers) {
  const int accepted = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted < 0) {
    pollfd stopped{wake_.get(), POLLIN, 0};
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      ::poll(&stopped, 1, kShortageMilliseconds);
    return;
  }
  const int connection = renumber(accepted);
  const StatusOr<internal::v1::Credentials> peer = credentials_of(connection);
  if (!peer.ok()) {
    log_warning("A connection is closed. {}", message_of(peer.status()));
    ::close(connection);
    return;
  }
  queue::Caller caller = caller_of(peer->user(), ::geteuid(), operators_);
  caller.credentials = *peer;
  // Known before gRPC reads its first call.
  callers.add(connection, std::move(caller));
  grpc::AddInsecureChannelFromFd(&server, connection);
}

// gRPC names a connection by its descriptor alone. The number of a closed one is given again as late as can be, so that a
// call that is still at hand when its connection ends is not taken for the next user's.
int UnixListener::renumber(int connection) {
  int number = ::fcntl(connection, F_DUPFD_CLOEXEC, next_number_);
  if (number < 0) number = ::fcntl(connection, F_DUPFD_CLOEXEC, kFirstNumber);  // once round
  if (number < 0) return connection;
  next_number_ = number + 1;
  ::close(connection);
  return number;
}

}  // namespace weft::rpc
