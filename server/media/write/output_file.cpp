// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/output_file.h"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

#include "base/fault_point.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"

namespace weft::media {

namespace {

constexpr int kBufferBytes = 1 << 20;

}  // namespace

StatusOr<std::unique_ptr<OutputFile>> OutputFile::create(FileLocation location) {
  const FileCall call("created", location.name);
  Descriptor file(
      open_in(location.folder, location.name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file) return system_error(errno, "created", location.name);
  std::unique_ptr<OutputFile> output(new OutputFile(std::move(location), std::move(file)));
  auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
  if (buffer != nullptr)
    output->io_.reset(
        avio_alloc_context(buffer, kBufferBytes, 1, output.get(), nullptr, write_bytes, seek_bytes));
  if (!output->io_)
    return resource_exhausted("There is no memory to write the output ({}).", output->location_.name);
  return output;
}

int OutputFile::write_bytes(void* self, uint8_t* data, int count) {
  auto& output = *static_cast<OutputFile*>(self);
  const FileCall call("written", output.location_.name);
  for (int left = count; left > 0;) {
    const ssize_t written = ::pwrite(output.file_.get(), data, size_t(left), output.offset_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      output.error_ = errno;
      return AVERROR(errno);
    }
    data += written;
    left -= int(written);
    output.offset_ += written;
    output.size_ = std::max(output.size_, output.offset_);
  }
  start_write_back(output.file_.get(), output.size_, &output.written_back_);
  return count;
}

int64_t OutputFile::seek_bytes(void* self, int64_t offset, int whence) {
  auto& output = *static_cast<OutputFile*>(self);
  switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE:
      return output.size_;
    case SEEK_SET:
      break;
    case SEEK_CUR:
      offset += output.offset_;
      break;
    case SEEK_END:
      offset += output.size_;
      break;
    default:
      return AVERROR(EINVAL);
  }
  if (offset < 0) return AVERROR(EINVAL);
  return output.offset_ = offset;
}

Status OutputFile::status() const {
  return error_ == 0 ? ok_status() : system_error(error_, "written", location_.name);
}

StatusOr<int64_t> OutputFile::finish() {
  avio_flush(io_.get());
  RETURN_IF_ERROR(status());
  FAULT_POINT("output.before_sync");
  const FileCall call("synced", location_.name);
  if (::fsync(file_.get()) != 0) return system_error(errno, "synced", location_.name);
  RETURN_IF_ERROR(sync_folder_of(location_));
  return size_;
}

}  // namespace weft::media
