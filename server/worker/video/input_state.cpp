// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/input_state.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "server/media/file_calls.h"
#include "server/media/frame_hash.h"

namespace weft::worker {
namespace {

using internal::v1::InputState;

constexpr int64_t kMarkBytes = 64 << 10;

StatusOr<struct stat> info_of(const media::InputFile& file) {
  const media::FileCall call("examined", file.name());
  struct stat info {};
  if (::fstat(file.descriptor(), &info) != 0) return media::system_error(errno, "looked at", file.name());
  return info;
}

Status add_bytes(const media::InputFile& file, int64_t from, int64_t to, media::Hasher& hasher) {
  const media::FileCall call("read", file.name());
  std::vector<uint8_t> bytes(size_t(to - from));
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t read = ::pread(file.descriptor(), bytes.data() + at, bytes.size() - at, from + int64_t(at));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return media::system_error(errno, "read", file.name());
    if (read == 0) break;  // the file has become shorter
    at += size_t(read);
  }
  hasher.add(bytes);
  return ok_status();
}

// Hashes the first and the last kMarkBytes of the first `bytes` bytes.
StatusOr<uint64_t> mark_of(const media::InputFile& file, int64_t bytes) {
  media::Hasher hasher(1);
  RETURN_IF_ERROR(add_bytes(file, 0, std::min(bytes, kMarkBytes), hasher));
  RETURN_IF_ERROR(add_bytes(file, std::max<int64_t>(bytes - kMarkBytes, 0), bytes, hasher));
  return hasher.value();
}

StatusOr<InputState> state_of(const media::InputFile& file) {
  ASSIGN_OR_RETURN(const struct stat info, info_of(file));
  InputState state;
  state.set_bytes(file.bytes());
  state.set_changed_ns(int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec);
  ASSIGN_OR_RETURN(const uint64_t mark, mark_of(file, file.bytes()));
  state.set_mark(mark);
  return state;
}

}  // namespace

StatusOr<InputAsFound> open_as_found(const OpenJobFile& input,
                                     const std::optional<internal::v1::SegmentRecord>& earlier) {
  InputAsFound found;
  ASSIGN_OR_RETURN(found.file, open_input_file(input));
  if (earlier && earlier->input().bytes() > 0 && earlier->input().bytes() < found.file->bytes()) {
    ASSIGN_OR_RETURN(const uint64_t mark, mark_of(*found.file, earlier->input().bytes()));
    if (mark == earlier->input().mark()) {
      found.state = earlier->input();
      found.file = media::InputFile::first_bytes(found.file, found.state.bytes());
      return found;
    }
  }
  ASSIGN_OR_RETURN(found.state, state_of(*found.file));
  return found;
}

std::string text_of(const internal::v1::InputState& state) {
  return fmt::format("{}|{}", state.bytes(), state.changed_ns());
}

StatusOr<std::string> growth_note(const media::InputFile& file) {
  ASSIGN_OR_RETURN(const struct stat info, info_of(file));
  if (info.st_size > file.bytes())
    return fmt::format(
        "The input grew from {} to {} bytes while the job ran; what came behind byte {} is not in the "
        "output.",
        file.bytes(), int64_t{info.st_size}, file.bytes());
  if (info.st_size < file.bytes())
    return fmt::format(
        "The input shrank from {} to {} bytes while the job ran; what is missing may be missing in the "
        "output.",
        file.bytes(), int64_t{info.st_size});
  return "";
}

}  // namespace weft::worker
