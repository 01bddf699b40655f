// SPDX-License-Identifier: Apache-2.0
#include "server/media/file_bytes.h"

#include <cerrno>
#include <new>

#include <unistd.h>

#include "server/media/file_calls.h"

namespace weft::media {

StatusOr<std::shared_ptr<const std::string>> load_file(const InputFile& file, int64_t most_bytes,
                                                       std::string_view kind) {
  if (file.bytes() > most_bytes)
    return invalid_argument("The {} ({}) has {} bytes, at most {} are read.", kind, file.name(), file.bytes(),
                            most_bytes);
  auto bytes = std::make_shared<std::string>();
  try {
    bytes->resize(size_t(file.bytes()));
  } catch (const std::bad_alloc&) {
    return resource_exhausted("There is no memory to read the {} ({}, {} bytes).", kind, file.name(),
                              file.bytes());
  }
  const FileCall call("read", file.name());
  for (size_t at = 0; at < bytes->size();) {
    const ssize_t count = ::pread(file.descriptor(), bytes->data() + at, bytes->size() - at, off_t(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(errno, "read", file.name());
    if (count == 0) return data_loss("The {} ({}) became shorter while it was read.", kind, file.name());
    at += size_t(count);
  }
  return std::shared_ptr<const std::string>(std::move(bytes));
}

}  // namespace weft::media
