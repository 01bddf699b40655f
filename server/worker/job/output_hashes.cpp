// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/output_hashes.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "server/channel/sha256.h"
#include "server/media/file.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"

namespace weft::worker {
namespace {

using channel::Sha256;

constexpr size_t kBlockBytes = 1 << 20;

ssize_t read_some(int descriptor, const std::string& name, std::string& block) {
  const media::FileCall call("read", name);
  return ::read(descriptor, block.data(), block.size());
}

}  // namespace

void OutputHashes::add(const std::string& file, std::string_view bytes) {
  std::string hash = channel::sha256_of(bytes);
  const std::lock_guard lock(mutex_);
  hashes_[file] = std::move(hash);
}

StatusOr<std::string> OutputHashes::hash_of(int folder, const std::string& file,
                                            const std::function<Status()>& alive) const {
  RETURN_IF_ERROR(alive());
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = hashes_.find(file); known != hashes_.end()) return known->second;
  }
  media::Descriptor descriptor;
  {
    const media::FileCall call("opened", file);
    descriptor = media::Descriptor(media::open_in(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  }
  if (!descriptor) return media::system_error(errno, "opened", file);
  Sha256 hash;
  std::string block(kBlockBytes, '\0');
  while (true) {
    const ssize_t count = read_some(descriptor.get(), file, block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return media::system_error(errno, "read", file);
    if (count == 0) return hash.digits();
    hash.add({block.data(), size_t(count)});
    RETURN_IF_ERROR(alive());
  }
}

StatusOr<v1::OutputHash> OutputHashes::hash_of_set(int folder, const options::JobFile& output,
                                                   const std::function<Status()>& alive) const {
  ASSIGN_OR_RETURN(std::vector<std::string> names, media::list_in(folder, output.finished_name));
  std::ranges::sort(names);
  Sha256 list;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::string hash, hash_of(folder, output.finished_name + "/" + name, alive));
    list.add(channel::sha256_line(hash, name));
  }
  v1::OutputHash result;
  result.set_path(output.path);
  result.set_sha256(list.digits());
  result.set_files(int(names.size()));
  return result;
}

StatusOr<std::vector<v1::OutputHash>> OutputHashes::finish(int folder,
                                                           const std::vector<options::JobFile>& outputs,
                                                           const std::function<Status()>& alive) const {
  std::vector<v1::OutputHash> result;
  for (const options::JobFile& output : outputs) {
    if (output.is_sequence) {
      if (!media::is_in(folder, output.finished_name)) continue;
      ASSIGN_OR_RETURN(v1::OutputHash hash, hash_of_set(folder, output, alive));
      result.push_back(std::move(hash));
      continue;
    }
    for (int number = 1; number == 1 || output.has_output_parts; number++) {
      const options::JobFile part = number == 1 ? output : options::output_part(output, number);
      if (!media::is_in(folder, part.finished_name)) break;
      v1::OutputHash& hash = result.emplace_back();
      hash.set_path(part.path);
      ASSIGN_OR_RETURN(*hash.mutable_sha256(), hash_of(folder, part.finished_name, alive));
    }
  }
  return result;
}

}  // namespace weft::worker
