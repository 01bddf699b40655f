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

constexpr int kBacklog = 128;     // connections that wait for accept()
constexpr int kFirstNumber = 64;  // smallest descriptor number of connections
// delay before the next try without descriptors or memory
constexpr int kShortageMilliseconds = 100;
constexpr int kRefusalPollMilliseconds = 100;
constexpr mode_t kOnlyUs = 0177;  // umask until set_socket_mode() is called

Status bind_to(int socket, const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());  // prepare_address() checked the length
  // prepare_address() checked that no server listens there
  ::unlink(path.c_str());
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

void UnixListener::begin(grpc::Server& server, Callers& callers, std::string operators,
                         ConnectionLimits limits) {
  operators_ = std::move(operators);
  limits_ = limits;
  thread_ = std::thread([this, &server, &callers] { run(server, callers); });
}

void UnixListener::stop() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  static_cast<void>(::write(wake_.get(), &one, sizeof(one)) == sizeof(one));
  thread_.join();
}

void UnixListener::run(grpc::Server& server, Callers& callers) {
  std::vector<pollfd> fixed{{wake_.get(), POLLIN, 0}};
  for (const Socket& socket : sockets_) fixed.push_back({socket.listening.get(), POLLIN, 0});
  while (true) {
    std::vector<pollfd> wanted = fixed;
    for (const Refusal& refusal : refusals_) wanted.push_back({refusal.descriptor(), POLLIN, 0});
    const int wait = refusals_.empty() ? -1 : kRefusalPollMilliseconds;
    if (::poll(wanted.data(), nfds_t(wanted.size()), wait) < 0) continue;
    if (wanted[0].revents != 0) return;
    go_on_refusing(wanted);
    for (size_t i = 1; i < fixed.size(); i++)
      if (wanted[i].revents != 0) accept_one(wanted[i].fd, server, callers);
  }
}

// `found` contains the results of poll(), with those of the refusals at the end.
void UnixListener::go_on_refusing(const std::vector<pollfd>& found) {
  const TimePoint now = std::chrono::steady_clock::now();
  size_t at = found.size() - refusals_.size();
  refusals_.remove_if([&](Refusal& refusal) {
    const bool has_come = found[at++].revents != 0;
    return (has_come && !refusal.go_on()) || now >= refusal.until();
  });
}

Status UnixListener::check_quota(const queue::Caller& caller) {
  const uid_t user = caller.credentials.user();
  const auto is_full = [&] {
    return connections_.of(user) >= limits_.of_a_user || connections_.of_all() >= limits_.of_all;
  };
  if (is_full()) connections_.poll();
  if (connections_.of(user) >= limits_.of_a_user)
    return resource_exhausted("The user {} has too many connections ({}, at most {}); close some.", user,
                              connections_.of(user), limits_.of_a_user);
  if (connections_.of_all() >= limits_.of_all)
    return resource_exhausted("The daemon has too many connections ({}, at most {}); try again later.",
                              connections_.of_all(), limits_.of_all);
  return ok_status();
}

void UnixListener::refuse(channel::FileDescriptor connection, const Status& why) {
  log_debug("A connection is refused: {}", message_of(why));
  if (int(refusals_.size()) >= kMostRefusals) refusals_.pop_front();
  refusals_.emplace_back(std::move(connection), why, std::chrono::steady_clock::now() + kLongestRefusal);
}

void UnixListener::accept_one(int listening, grpc::Server& server, Callers& callers) {
  const int accepted = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted < 0) {
    pollfd stopped{wake_.get(), POLLIN, 0};
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      ::poll(&stopped, 1, kShortageMilliseconds);
    return;
  }
  FileDescriptor fresh(accepted);
  const StatusOr<internal::v1::Credentials> peer = credentials_of(accepted);
  if (!peer.ok()) return log_warning("A connection is closed. {}", message_of(peer.status()));
  queue::Caller caller = caller_of(peer->user(), ::geteuid(), operators_);
  caller.credentials = *peer;
  if (const Status quota = check_quota(caller); !quota.ok()) return refuse(std::move(fresh), quota);
  const int connection = renumber(fresh.release());
  connections_.add(connection, peer->user());
  // The caller must be in the table before gRPC reads the first call.
  callers.add(connection, std::move(caller));
  grpc::AddInsecureChannelFromFd(&server, connection);
}

// Gives the connection another descriptor number. gRPC names a connection by its descriptor alone.
// The number of a closed connection is reused as late as possible, so that a call that is still
// processed when its connection ends is not attributed to the user of the next connection.
int UnixListener::renumber(int connection) {
  int number = ::fcntl(connection, F_DUPFD_CLOEXEC, next_number_);
  // restarts at the smallest number
  if (number < 0) number = ::fcntl(connection, F_DUPFD_CLOEXEC, kFirstNumber);
  if (number < 0) return connection;
  next_number_ = number + 1;
  ::close(connection);
  return number;
}

}  // namespace weft::rpc
