// SPDX-License-Identifier: Apache-2.0
// Tests connections over TLS and with a token, to a server with a certificate made by openssl.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include "client/errors.h"
#include "client/server.h"
#include "weft/v1/server_service.grpc.pb.h"

namespace weft::client {
namespace {

constexpr const char* kToken = "s3cret-token";

// A service that answers only calls with the right token.
class GuardedService final : public v1::ServerService::Service {
  grpc::Status GetServerInfo(grpc::ServerContext* context, const v1::GetServerInfoRequest*,
                             v1::GetServerInfoResponse* response) override {
    const auto& metadata = context->client_metadata();
    const auto found = metadata.find("authorization");
    if (found == metadata.end() || found->second != std::string("Bearer ") + kToken)
      return {grpc::StatusCode::UNAUTHENTICATED, "The token is missing or wrong."};
    response->set_version("guarded");
    return grpc::Status::OK;
  }
};

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Tls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "tls-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    const std::string command = fmt::format(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=weft.test "
        "-addext subjectAltName=DNS:weft.test -keyout {0}/key.pem -out {0}/cert.pem 2>{0}/said",
        folder_);
    ASSERT_EQ(std::system(command.c_str()), 0) << contents(folder_ + "/said");
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  Tls() {
    grpc::SslServerCredentialsOptions options;
    options.pem_key_cert_pairs.push_back({contents(folder_ + "/key.pem"), contents(folder_ + "/cert.pem")});
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
  }

  std::string address() const { return fmt::format("127.0.0.1:{}", port_); }
  StatusOr<v1::GetServerInfoResponse> ask(const std::optional<TlsOptions>& tls) {
    ASSIGN_OR_RETURN(const auto connection, Connection::open({.server = address(), .tls = tls}));
    return Server(connection).info();
  }

  static std::string folder_;
  GuardedService service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

std::string Tls::folder_;

TEST_F(Tls, ACallWithTheTokenIsAnswered) {
  ASSERT_NE(server_, nullptr);
  const auto info = ask(TlsOptions{folder_ + "/cert.pem", "weft.test", kToken});
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->version(), "guarded");
}

TEST_F(Tls, WithoutTheTokenTheServerRefuses) {
  for (const char* token : {"", "another"})
    EXPECT_THAT(ask(TlsOptions{folder_ + "/cert.pem", "weft.test", token}),
                StatusIs(StatusCode::kUnauthenticated, "missing or wrong"));
}

TEST_F(Tls, AServerThatDoesNotProveWhoItIsIsNotTalkedTo) {
  for (const TlsOptions& tls :
       {TlsOptions{folder_ + "/cert.pem", "other.test", kToken},
        TlsOptions{folder_ + "/cert.pem", "", kToken}, TlsOptions{"", "weft.test", kToken}})
    EXPECT_TRUE(is_unreachable(ask(tls).status())) << tls.server_name;
}

TEST_F(Tls, APlainCallIsNotAnswered) { EXPECT_TRUE(is_unreachable(ask(std::nullopt).status())); }

TEST_F(Tls, WhatCannotBeUsedIsSaidAtOnce) {
  EXPECT_THAT(ask(TlsOptions{folder_ + "/none.pem", "", ""}), StatusIs(StatusCode::kNotFound, "none.pem"));
  EXPECT_THAT(ask(TlsOptions{folder_ + "/key.pem", "", ""}), StatusIs(StatusCode::kInvalidArgument, "PEM"));
  for (const char* token : {"two words", "line\n", "\xc3\xbc"})
    EXPECT_THAT(ask(TlsOptions{folder_ + "/cert.pem", "", token}),
                StatusIs(StatusCode::kInvalidArgument, "token"));
  EXPECT_THAT(Connection::open({.server = "unix:/run/weft/weft.sock", .tls = TlsOptions{}}),
              StatusIs(StatusCode::kInvalidArgument, "Unix socket"));
}

}  // namespace
}  // namespace weft::client
