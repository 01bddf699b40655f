// SPDX-License-Identifier: Apache-2.0
// Tests the page of metrics over HTTP, also with clients that send nothing.
#include "server/metrics/scrape_server.h"

#include <cerrno>
#include <chrono>
#include <list>
#include <memory>
#include <string>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace weft::metrics {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kScrape = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
// A time before any connection is closed for its age.
constexpr std::chrono::seconds kSoon = kLongestScrape / 2;

// A connection to a port of this machine.
class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(uint16_t(port));
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{kSoon.count(), 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(const std::string& bytes) const {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), ssize_t(bytes.size()));
  }
  // Reads until the end or the time limit. Returns the received bytes.
  std::string read(bool* has_ended = nullptr) const {
    std::string answer;
    char buffer[4096];
    ssize_t got = 0;
    while ((got = ::recv(socket_, buffer, sizeof(buffer), 0)) > 0) answer.append(buffer, size_t(got));
    if (has_ended != nullptr) *has_ended = got == 0 || errno == ECONNRESET;
    return answer;
  }
  std::string ask(const std::string& request) const {
    send(request);
    return read();
  }

 private:
  const int socket_;
};

class ScrapeServerTest : public testing::Test {
 protected:
  void listen(const std::string& page = "weft_jobs 7\n") {
    auto server = ScrapeServer::listen("127.0.0.1:0",
                                       {{"/metrics",
                                         [page] {
                                           return ScrapeServer::Page{"200 OK", page};
                                         }},
                                        {"/healthz", [] {
                                           return ScrapeServer::Page{"503 Service Unavailable", "none\n"};
                                         }}});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  std::string ask(const std::string& request) const { return Connection(server_->port()).ask(request); }

  std::unique_ptr<ScrapeServer> server_;
};

TEST_F(ScrapeServerTest, AnswersARequestAndCloses) {
  listen();
  const std::string answer = ask(kScrape);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 12\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nweft_jobs 7\n"));
  EXPECT_THAT(ask("GET /metrics?a=b HTTP/1.0\r\n\r\n"), EndsWith("weft_jobs 7\n"));
  EXPECT_THAT(ask("HEAD /metrics HTTP/1.1\r\n\r\n"),
              EndsWith("Content-Length: 12\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\n\r\n"), EndsWith("There are /healthz, /metrics.\n"));
  EXPECT_THAT(ask("GET /healthz HTTP/1.1\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 503 Service Unavailable\r\n"), EndsWith("\r\n\r\nnone\n")));
  EXPECT_THAT(ask("POST /metrics HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(ask("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask(std::string(kMostScrapeRequestBytes + 1, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(ScrapeServerTest, ARequestMayComeInPieces) {
  listen();
  const Connection slow(server_->port());
  slow.send("GET /metr");
  EXPECT_THAT(ask(kScrape), EndsWith("weft_jobs 7\n"));
  slow.send("ics HTTP/1.1\r\n\r");
  EXPECT_THAT(ask(kScrape), EndsWith("weft_jobs 7\n"));
  EXPECT_THAT(slow.ask("\n"), EndsWith("weft_jobs 7\n"));
}

TEST_F(ScrapeServerTest, HundredsOfSilentConnectionsDelayNoScrape) {
  listen();
  std::list<Connection> idle;
  for (int i = 0; i < 300; i++) idle.emplace_back(server_->port());
  EXPECT_THAT(ask(kScrape), EndsWith("weft_jobs 7\n"));
  // The oldest connection was closed, and the newest is still open.
  bool has_ended = false;
  EXPECT_THAT(idle.front().read(&has_ended), IsEmpty());
  EXPECT_TRUE(has_ended);
  EXPECT_THAT(idle.back().ask(kScrape), EndsWith("weft_jobs 7\n"));
}

// The page is larger than the buffers of a socket.
TEST_F(ScrapeServerTest, AClientThatDoesNotReadDelaysNoScrape) {
  const std::string page(32 << 20, 'x');
  listen(page);
  std::list<Connection> deaf;
  for (int i = 0; i < 3; i++) deaf.emplace_back(server_->port()).send(kScrape);
  EXPECT_GT(ask(kScrape).size(), page.size());
  std::list<Connection> idle;
  for (int i = 0; i < 300; i++) idle.emplace_back(server_->port());
  EXPECT_GT(deaf.front().read().size(), page.size()) << "it is not idle";
}

TEST_F(ScrapeServerTest, APortHasOneServer) {
  listen();
  const std::string taken = "127.0.0.1:" + std::to_string(server_->port());
  const auto second = ScrapeServer::listen(taken, {});
  EXPECT_EQ(second.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(message_of(second.status()), HasSubstr(taken));
  EXPECT_FALSE(ScrapeServer::listen("no.such.host.invalid:0", {}).ok());
}

}  // namespace
}  // namespace weft::metrics
