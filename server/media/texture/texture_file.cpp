// SPDX-License-Identifier: Apache-2.0
// Reads textures from open files.
#include <cerrno>

#include <unistd.h>

#include "server/media/file_bytes.h"
#include "server/media/file_calls.h"
#include "server/media/texture/texture_formats.h"

namespace weft::media {
namespace {

StatusOr<std::string> first_bytes_of(const InputFile& file, size_t count) {
  const FileCall call("read", file.name());
  std::string bytes(count, '\0');
  ssize_t got = -1;
  while ((got = ::pread(file.descriptor(), bytes.data(), bytes.size(), 0)) < 0 && errno == EINTR) {
  }
  if (got < 0) return system_error(errno, "read", file.name());
  bytes.resize(size_t(got));
  return bytes;
}

}  // namespace

StatusOr<Texture> read_texture(const InputFile& file) {
  ASSIGN_OR_RETURN(const auto bytes, load_file(file, kMaxTextureFileBytes, "texture"));
  return read_texture(*bytes, file.name());
}

StatusOr<TextureInfo> probe_texture(const InputFile& file) {
  ASSIGN_OR_RETURN(std::string bytes, first_bytes_of(file, kTextureHeaderBytes));
  constexpr int64_t kMostNotes = kMaxKeyValueBytes + int64_t(kTextureHeaderBytes);
  if (is_ktx2(bytes) && ktx2_notes_end(bytes) > int64_t(bytes.size()) &&
      ktx2_notes_end(bytes) <= kMostNotes) {
    ASSIGN_OR_RETURN(bytes, first_bytes_of(file, size_t(ktx2_notes_end(bytes))));
  }
  return probe_texture(bytes, file.name(), file.bytes());
}

StatusOr<bool> is_texture(const InputFile& file) {
  ASSIGN_OR_RETURN(const std::string bytes, first_bytes_of(file, 16));
  return begins_a_texture(bytes);
}

}  // namespace weft::media
