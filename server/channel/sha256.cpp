// SPDX-License-Identifier: Apache-2.0
#include "server/channel/sha256.h"

#include <array>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace weft::channel {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  // The worker may open no file by its name, and needs no configuration of OpenSSL.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
}

void Sha256::add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }

std::string Sha256::digits() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  EVP_DigestFinal_ex(context_.get(), hash.data(), &length);
  std::string text;
  for (unsigned i = 0; i < length; i++) text += fmt::format("{:02x}", hash[i]);
  return text;
}

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digits();
}

std::string sha256_line(std::string_view hash, std::string_view name) {
  std::string escaped;
  for (const char letter : name) {
    if (letter == '\\')
      escaped += "\\\\";
    else if (letter == '\n')
      escaped += "\\n";
    else if (letter == '\r')
      escaped += "\\r";
    else
      escaped += letter;
  }
  return fmt::format("{}{}  {}\n", escaped.size() > name.size() ? "\\" : "", hash, escaped);
}

}  // namespace weft::channel
