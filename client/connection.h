// SPDX-License-Identifier: Apache-2.0
// The way to a daemon. Everything else in this folder takes one.
//
//   ASSIGN_OR_RETURN(const auto connection, Connection::open({.server = "unix:/run/weft/weft.sock"}));
//   Jobs jobs(connection);
//
// Thread-safe, and so are Jobs, Devices and Server.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"

namespace weft::client {

struct Stubs;

// A channel that is encrypted, to a server that proves who it is.
struct TlsOptions {
  std::string roots_file;   // the authorities that are trusted, PEM; empty: those of the system
  std::string server_name;  // what the certificate is to be for; empty: the address's host
  std::string token;        // sent with every call, as "authorization: Bearer TOKEN"; empty: none
};

struct ConnectionOptions {
  std::string server;  // "unix:PATH" or "HOST:PORT"; empty: default_address()
  std::chrono::milliseconds deadline = std::chrono::seconds(10);  // of each call that is no stream
  std::chrono::milliseconds submit_deadline =
      std::chrono::seconds(60);                                    // submitting reads the input's headers
  std::chrono::milliseconds keepalive = std::chrono::seconds(30);  // a ping when nothing else is heard
  std::optional<TlsOptions> tls =
      std::nullopt;  // nothing: neither encrypted nor with a token, for sockets and loopback
  // Whether the daemon is gone for good; asked when it does not answer. Not given: it may come back.
  std::function<bool()> is_gone = nullptr;
};

class Connection {
 public:
  // Connects lazily: an error means that the address or what TLS needs is wrong, not that nobody listens.
  static StatusOr<std::shared_ptr<Connection>> open(const ConnectionOptions& options = {});
  ~Connection();

  const std::string& server() const { return options_.server; }
  const ConnectionOptions& options() const { return options_; }

  // Waits until a daemon answers. An is_unreachable() error after `timeout`.
  Status wait_until_ready(std::chrono::milliseconds timeout) const;

  // The last try to connect failed, and nobody listens there; over TCP also where somebody does who said nothing for five seconds.
  bool nobody_listens() const;

  // Ends every call in flight, in other threads too, and every later one at once: as if no daemon answered. For who
  // must not wait for a deadline before he goes.
  void close();

  Stubs& stubs() const { return *stubs_; }  // for this folder

 private:
  Connection(ConnectionOptions options, std::unique_ptr<Stubs> stubs);

  ConnectionOptions options_;
  std::unique_ptr<Stubs> stubs_;
};

}  // namespace weft::client
