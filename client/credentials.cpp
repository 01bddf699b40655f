// SPDX-License-Identifier: Apache-2.0
#include "client/credentials.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "client/address.h"

namespace weft::client {
namespace {

StatusOr<std::string> read_roots(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || text.empty())
    return not_found("The file of root certificates ({}) cannot be read ({}).", path,
                     errno != 0 ? std::strerror(errno) : "it is empty");
  if (text.find("-----BEGIN CERTIFICATE-----") == std::string::npos)
    return invalid_argument("The file of root certificates ({}) contains none; use the PEM format.", path);
  return text;
}

// Returns true if a header value may contain the text: the characters of RFC 6750, section 2.1, and
// other characters that gRPC permits.
bool is_token(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char each) { return each > ' ' && each <= '~'; });
}

}  // namespace

StatusOr<std::shared_ptr<grpc::ChannelCredentials>> credentials_of(const ConnectionOptions& options) {
  if (!options.tls) return grpc::InsecureChannelCredentials();
  if (socket_path_of(options.server))
    return invalid_argument(
        "TLS is for HOST:PORT, not for a Unix socket ({}), which never leaves the machine.", options.server);
  if (!is_token(options.tls->token))
    return invalid_argument("The token has a blank or a character outside ASCII; give it as it was issued.");
  grpc::SslCredentialsOptions ssl;
  if (!options.tls->roots_file.empty()) {
    ASSIGN_OR_RETURN(ssl.pem_root_certs, read_roots(options.tls->roots_file));
  }
  const auto channel = grpc::SslCredentials(ssl);
  if (options.tls->token.empty()) return channel;
  return grpc::CompositeChannelCredentials(channel, grpc::AccessTokenCredentials(options.tls->token));
}

}  // namespace weft::client
