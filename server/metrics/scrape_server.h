// SPDX-License-Identifier: Apache-2.0
// Serves a few pages over HTTP: Prometheus metrics and health checks.
//
//   ScrapeServer::Pages pages{{"/metrics", [] { return ScrapeServer::Page{"200 OK", text()}; }}};
//   ASSIGN_OR_RETURN(auto server, ScrapeServer::listen("127.0.0.1:9464", std::move(pages)));
//
// One thread polls all connections without blocking. Each connection serves one request. A client
// that sends nothing, or does not read, keeps its connection until another client needs it. The
// HTTP server of prometheus-cpp is not used: it has a thread per connection, so that idle clients
// can exhaust any number of threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"

namespace weft::metrics {

// with more connections, the oldest idle one is closed
inline constexpr size_t kMostScrapeConnections = 32;
inline constexpr size_t kMostScrapeRequestBytes = 8 << 10;
// Limit of a connection: Prometheus's default.
inline constexpr std::chrono::seconds kLongestScrape{10};

class ScrapeServer {
 public:
  struct Page {
    std::string status;  // "200 OK"
    std::string body;
  };
  using Pages = std::map<std::string, std::function<Page()>>;  // by path

  // Starts the server. `address` is HOST:PORT; port 0 selects a free port. Pages are created on the
  // server's thread for each request. UNAVAILABLE: the address cannot be used.
  static StatusOr<std::unique_ptr<ScrapeServer>> listen(const std::string& address, Pages pages);
  // Blocks until a request in progress has ended.
  ~ScrapeServer();
  ScrapeServer(const ScrapeServer&) = delete;
  ScrapeServer& operator=(const ScrapeServer&) = delete;

  int port() const;

 private:
  struct Connection {
    channel::FileDescriptor socket;
    TimePoint since;
    std::string request{};
    std::string answer{};  // part that is not sent yet
    bool is_answered = false;

    bool is_idle() const { return answer.empty(); }
  };

  ScrapeServer(channel::FileDescriptor listener, channel::FileDescriptor wake, Pages pages);
  void run();
  bool poll_all(bool accepts);
  bool accept_one();
  void evict_connection();
  bool serve(Connection& connection, short events) const;
  bool read(Connection& connection) const;
  bool send(Connection& connection) const;
  std::string answer_to(std::string_view request) const;

  const channel::FileDescriptor listener_;
  const channel::FileDescriptor wake_;  // becomes readable when the thread must end
  const Pages pages_;
  std::list<Connection> connections_;  // oldest first
  std::thread thread_;
};

}  // namespace weft::metrics
