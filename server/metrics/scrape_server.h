// SPDX-License-Identifier: Apache-2.0
// Serves one page over HTTP for a Prometheus server.
//
//   ASSIGN_OR_RETURN(auto server, ScrapeServer::listen("127.0.0.1:9464", "/metrics", [] { return page(); }));
//
// One thread polls all connections and waits for none of them. Each is for one request. A client that sends nothing, or does not
// read, keeps its connection until another client needs it. The HTTP server of prometheus-cpp holds a thread for each connection, so that
// silent clients exhaust any number of threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"

namespace weft::metrics {

inline constexpr size_t kMostScrapeConnections = 32;  // beyond, the oldest idle one is closed
inline constexpr size_t kMostScrapeRequestBytes = 8 << 10;
inline constexpr std::chrono::seconds kLongestScrape{
    10};  // of a connection; Prometheus's own limit by default

class ScrapeServer {
 public:
  using Page = std::function<std::string()>;

  // Answers from here on. `address`: HOST:PORT, port 0 for any free one. `page`: asked on the server's thread, for each request for
  // `path`. UNAVAILABLE: nobody can listen there.
  static StatusOr<std::unique_ptr<ScrapeServer>> listen(const std::string& address, std::string path,
                                                        Page page);
  // A request that is being answered is waited for.
  ~ScrapeServer();
  ScrapeServer(const ScrapeServer&) = delete;
  ScrapeServer& operator=(const ScrapeServer&) = delete;

  int port() const;

 private:
  struct Connection {
    channel::FileDescriptor socket;
    TimePoint since;
    std::string request{};
    std::string answer{};  // the part that is not sent yet
    bool is_answered = false;

    bool is_idle() const { return answer.empty(); }
  };

  ScrapeServer(channel::FileDescriptor listener, channel::FileDescriptor wake, std::string path, Page page);
  void run();
  bool poll_all(bool accepts);
  bool accept_one();
  void make_room();
  bool serve(Connection& connection, short events) const;
  bool read(Connection& connection) const;
  bool send(Connection& connection) const;
  std::string answer_to(std::string_view request) const;

  const channel::FileDescriptor listener_;
  const channel::FileDescriptor wake_;  // readable once the thread is to end
  const std::string path_;
  const Page page_;
  std::list<Connection> connections_;  // the oldest first
  std::thread thread_;
};

}  // namespace weft::metrics
