// SPDX-License-Identifier: Apache-2.0
// Connects to a daemon. All classes of this folder use a connection.
//
//   ASSIGN_OR_RETURN(const auto connection, Connection::open({.server = "localhost:7411"}));
//   Jobs jobs(connection);
//
// Connection, Jobs, Devices and Server are thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"

namespace weft::client {

struct Stubs;

// The encryption and authentication of a connection.
struct TlsOptions {
  std::string roots_file;   // file of the trusted authorities, PEM; empty: system certificates
  std::string server_name;  // name expected in the certificate; empty: host of the address
  std::string token;        // token sent with each call as "authorization: Bearer TOKEN"
};

struct ConnectionOptions {
  std::string server;  // address, "unix:PATH" or "HOST:PORT"; empty: default_address()
  std::chrono::milliseconds deadline = std::chrono::seconds(10);  // time limit of a unary call
  std::chrono::milliseconds submit_deadline =
      // time limit of a submission, during which the daemon reads the input's headers
      std::chrono::seconds(60);
  // Interval between pings on an idle connection.
  std::chrono::milliseconds keepalive = std::chrono::seconds(30);
  std::optional<TlsOptions> tls =
      // nothing: an unencrypted connection without a token, for sockets and loopback addresses
      std::nullopt;
  // Returns true if the daemon has ended permanently. It is called when the daemon does not answer.
  // Null: the daemon may return.
  std::function<bool()> is_gone = nullptr;
};

class Connection {
 public:
  // Returns a connection, which connects at its first call. An error reports an invalid address or
  // TLS option; an unreachable daemon is no error here.
  static StatusOr<std::shared_ptr<Connection>> open(const ConnectionOptions& options = {});
  ~Connection();

  const std::string& server() const { return options_.server; }
  const ConnectionOptions& options() const { return options_; }

  // Blocks until a daemon answers. Returns an is_unreachable() error after `timeout`.
  Status wait_until_ready(std::chrono::milliseconds timeout) const;

  // Returns true if the last attempt to connect failed and no process listens at the address. Over
  // TCP a failed attempt is sufficient, such as one without an answer for five seconds.
  bool nobody_listens() const;

  // Cancels the calls of all threads. Later calls end at once. All these calls return
  // is_unreachable() errors. Used by a caller that exits without waiting for deadlines.
  void close();

  Stubs& stubs() const { return *stubs_; }  // used by the sources of this folder

 private:
  Connection(ConnectionOptions options, std::unique_ptr<Stubs> stubs);

  ConnectionOptions options_;
  std::unique_ptr<Stubs> stubs_;
};

}  // namespace weft::client
