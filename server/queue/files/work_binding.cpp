// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/work_binding.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <linux/magic.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "server/channel/file_descriptor.h"
#include "server/queue/files/file_error.h"
#include "server/queue/files/sync_file.h"

namespace weft::queue {
namespace {

// These file systems assign inodes themselves, and others when they are mounted again.
constexpr std::array<unsigned long, 5> kFileSystemsWithoutInodes = {
    MSDOS_SUPER_MAGIC, EXFAT_SUPER_MAGIC, FUSE_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC};

constexpr std::string_view kBound = "bound-";

uint64_t lasting_inode_of(int folder) {
  struct stat info {};
  struct statfs system {};
  if (::fstat(folder, &info) != 0 || ::fstatfs(folder, &system) != 0) return 0;
  for (const unsigned long magic : kFileSystemsWithoutInodes)
    if (uint32_t(system.f_type) == uint32_t(magic)) return 0;
  return info.st_ino;
}

std::string name_of_binding(int folder, const v1::Job& job, int attempt, std::string_view secret) {
  const std::string text =
      fmt::format("{} {} {} {}", job.id(), attempt, lasting_inode_of(folder), job.settings().owner());
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  ::HMAC(::EVP_sha256(), secret.data(), int(secret.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data(), &length);
  std::string name = fmt::format("{}{}-", kBound, attempt);
  for (unsigned i = 0; i < length; i++) name += fmt::format("{:02x}", hash[i]);
  return name;
}

bool has_name(int folder, const std::string& name) {
  return ::faccessat(folder, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

StatusOr<std::string> bind_work_folder(int folder, const v1::Job& job, std::string_view secret) {
  const std::string name = name_of_binding(folder, job, job.attempt(), secret);
  const channel::FileDescriptor file(
      ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return file_error(errno, "The work folder cannot be bound to its job", job.id());
  RETURN_IF_ERROR(sync_folder(folder, job.id()));
  return name;
}

bool is_bound(int folder, const v1::Job& job, std::string_view secret) {
  return has_name(folder, name_of_binding(folder, job, job.attempt(), secret));
}

bool was_bound(int folder, const v1::Job& job, std::string_view secret) {
  for (int attempt = job.attempt(); attempt >= 0; attempt--)
    if (has_name(folder, name_of_binding(folder, job, attempt, secret))) return true;
  return false;
}

bool is_binding(std::string_view name) { return name.starts_with(kBound); }

}  // namespace weft::queue
