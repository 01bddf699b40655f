// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/analysis_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/job_files.h"
#include "server/queue/files/file_error.h"

namespace weft::queue {
namespace {

using channel::FileDescriptor;

constexpr size_t kMostBytes = 1 << 20;  // limit of the bytes in a response

// Returns the first 128 bits of the SHA-256 of a text, as hexadecimal digits.
std::string hash_of(std::string_view text) {
  constexpr size_t kBytes = 16;
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  ::EVP_Digest(text.data(), text.size(), hash.data(), nullptr, ::EVP_sha256(), nullptr);
  std::string digits;
  for (size_t i = 0; i < kBytes; i++) digits += fmt::format("{:02x}", hash[i]);
  return digits;
}

std::string folder_of(std::string_view state_folder, std::string_view owner,
                      const internal::v1::Credentials& submitter) {
  return fmt::format("{}/analyses/{}-{}", state_folder, submitter.user(), hash_of(owner));
}

}  // namespace

StatusOr<FileDescriptor> open_analysis_folder(std::string_view state_folder, std::string_view owner,
                                              const internal::v1::Credentials& submitter) {
  const std::string path = folder_of(state_folder, owner, submitter);
  // if this fails, opening the folder reports the error
  ::mkdir(fmt::format("{}/analyses", state_folder).c_str(), 0700);
  ::mkdir(path.c_str(), 0700);
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open()) return file_error(errno, "The folder of analyses cannot be opened", path);
  return folder;
}

StatusOr<v1::ReadJobDecisionsResponse> read_decisions(std::string_view state_folder, const v1::Job& job,
                                                      const internal::v1::Credentials& submitter,
                                                      int64_t offset) {
  const std::string path = fmt::format("{}/{}", folder_of(state_folder, job.settings().owner(), submitter),
                                       options::decisions_name(job.id()));
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT)
    return not_found(
        "There are no decisions of job {}: its chain has no analysis, the analysis has not ended, or they "
        "were removed to keep the owner's analyses within their limit (analysis_cache_bytes). `weft analyse` "
        "makes them again.",
        job.id());
  struct stat info {};
  if (!file.is_open() || ::fstat(file.get(), &info) != 0)
    return file_error(errno, "The decisions cannot be opened", path);
  v1::ReadJobDecisionsResponse response;
  response.set_bytes(info.st_size);
  std::string text(kMostBytes, '\0');
  const ssize_t read = ::pread(file.get(), text.data(), text.size(), std::max<int64_t>(offset, 0));
  if (read < 0) return file_error(errno, "The decisions cannot be read", path);
  text.resize(size_t(read));
  response.set_text(std::move(text));
  return response;
}

}  // namespace weft::queue
