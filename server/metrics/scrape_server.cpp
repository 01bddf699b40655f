// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/scrape_server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace weft::metrics {
namespace {

using channel::FileDescriptor;

constexpr std::chrono::milliseconds kAcceptPause{100};  // pause after a failed accept
constexpr std::string_view kHeaderEnd = "\r\n\r\n";

std::string answer(std::string_view status, std::string_view body, bool has_body = true) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, body.size(), has_body ? body : std::string_view());
}

// Removes the first word and the following space from the line and returns the word.
std::string_view next_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

StatusOr<FileDescriptor> listen_on(const addrinfo& endpoint) {
  FileDescriptor socket(::socket(endpoint.ai_family, endpoint.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                                 endpoint.ai_protocol));
  const int yes = 1;
  if (socket.is_open() && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
      ::bind(socket.get(), endpoint.ai_addr, endpoint.ai_addrlen) == 0 &&
      ::listen(socket.get(), SOMAXCONN) == 0)
    return socket;
  return unavailable("{}", std::strerror(errno));
}

StatusOr<FileDescriptor> listen_at(const std::string& address) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), address.c_str() + colon + 1, &wanted, &found); error != 0)
    return unavailable("{}", ::gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> endpoints(found, &::freeaddrinfo);
  StatusOr<FileDescriptor> socket = listen_on(*found);
  for (found = found->ai_next; found != nullptr && !socket.ok(); found = found->ai_next)
    socket = listen_on(*found);
  return socket;
}

}  // namespace

StatusOr<std::unique_ptr<ScrapeServer>> ScrapeServer::listen(const std::string& address, Pages pages) {
  StatusOr<FileDescriptor> listener = listen_at(address);
  if (!listener.ok())
    return unavailable("Metrics cannot be offered at {} ({}); another program may have the port.", address,
                       message_of(listener.status()));
  FileDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open())
    return unavailable("Metrics cannot be offered at {} ({}).", address, std::strerror(errno));
  return std::unique_ptr<ScrapeServer>(
      new ScrapeServer(*std::move(listener), std::move(wake), std::move(pages)));
}

ScrapeServer::ScrapeServer(FileDescriptor listener, FileDescriptor wake, Pages pages)
    : listener_(std::move(listener)),
      wake_(std::move(wake)),
      pages_(std::move(pages)),
      thread_([this] { run(); }) {}

ScrapeServer::~ScrapeServer() {
  const uint64_t one = 1;
  static_cast<void>(::write(wake_.get(), &one, sizeof(one)) == sizeof(one));
  thread_.join();
}

int ScrapeServer::port() const {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&name), &size);
  return ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(name).sin6_port
                                          : reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

void ScrapeServer::run() {
  bool accepts = true;
  while (poll_all(accepts)) accepts = !accepts || accept_one();
}

// Blocks until an event and serves the connections. Returns false if the thread must end.
bool ScrapeServer::poll_all(bool accepts) {
  const TimePoint now = std::chrono::steady_clock::now();
  std::erase_if(connections_, [&](const Connection& each) { return now >= each.since + kLongestScrape; });
  std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}, {accepts ? listener_.get() : -1, POLLIN, 0}};
  for (const Connection& each : connections_)
    polled.push_back({each.socket.get(), short(each.is_idle() ? POLLIN : POLLOUT), 0});
  Duration wait = kLongestScrape;
  if (!connections_.empty()) wait = connections_.front().since + kLongestScrape - now;
  if (!accepts) wait = std::min<Duration>(wait, kAcceptPause);
  const auto wait_ms = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
  // interrupted by a signal
  if (::poll(polled.data(), polled.size(), int(wait_ms)) < 0) return true;
  if (polled[0].revents != 0) return false;
  auto events = polled.begin() + 2;
  std::erase_if(connections_, [&](Connection& each) { return !serve(each, (events++)->revents); });
  return true;
}

// Accepts one connection per turn, so that the requests of an evicted connection are served first.
// Returns false if the machine has no resources for it now.
bool ScrapeServer::accept_one() {
  FileDescriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.is_open()) {
    const bool passes = errno == EAGAIN || errno == ECONNABORTED || errno == EINTR;
    if (!passes) evict_connection();
    return passes;
  }
  if (connections_.size() >= kMostScrapeConnections) evict_connection();
  connections_.push_back({.socket = std::move(socket), .since = std::chrono::steady_clock::now()});
  return true;
}

// Closes the oldest connection without a pending answer, or the oldest if all have one.
void ScrapeServer::evict_connection() {
  auto oldest = std::ranges::find_if(connections_, &Connection::is_idle);
  if (oldest == connections_.end()) oldest = connections_.begin();
  if (oldest != connections_.end()) connections_.erase(oldest);
}

// Returns false if the connection must be closed.
bool ScrapeServer::serve(Connection& connection, short events) const {
  if (events == 0) return true;
  return connection.is_idle() ? read(connection) : send(connection);
}

bool ScrapeServer::read(Connection& connection) const {
  char bytes[4096];
  const ssize_t count = ::recv(connection.socket.get(), bytes, sizeof(bytes), 0);
  if (count == 0) return false;
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (connection.is_answered) return true;  // further bytes are discarded until the client closes
  connection.request.append(bytes, size_t(count));
  if (connection.request.find(kHeaderEnd) != std::string::npos)
    connection.answer = answer_to(connection.request);
  else if (connection.request.size() > kMostScrapeRequestBytes)
    connection.answer = answer("431 Request Header Fields Too Large", "The request is too long.\n");
  return connection.answer.empty() || send(connection);
}

bool ScrapeServer::send(Connection& connection) const {
  std::string& answer = connection.answer;
  const ssize_t count = ::send(connection.socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  answer.erase(0, size_t(count));
  if (!answer.empty()) return true;
  connection.is_answered = true;
  return ::shutdown(connection.socket.get(), SHUT_WR) == 0;
}

std::string ScrapeServer::answer_to(std::string_view request) const {
  std::string_view line = request.substr(0, request.find('\r'));
  const std::string_view method = next_word(line), target = next_word(line), version = next_word(line);
  if (!version.starts_with("HTTP/1.") || !line.empty())
    return answer("400 Bad Request", "The request is not understood.\n");
  if (method != "GET" && method != "HEAD") return answer("405 Method Not Allowed", "GET it.\n");
  const auto found = pages_.find(std::string(target.substr(0, target.find('?'))));
  if (found == pages_.end()) {
    std::vector<std::string_view> paths;
    for (const auto& [path, page] : pages_) paths.push_back(path);
    return answer("404 Not Found", fmt::format("There are {}.\n", fmt::join(paths, ", ")));
  }
  const Page page = found->second();
  return answer(page.status, page.body, method == "GET");
}

}  // namespace weft::metrics
