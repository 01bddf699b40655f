// SPDX-License-Identifier: Apache-2.0
// Describes the location of a media file: a path, a name in an open folder, or an open descriptor.
// A process that may not open files by a path uses the last two.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fcntl.h>

#include "base/status.h"

namespace weft::media {

// Owns a file descriptor and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release();
  void reset();

 private:
  int number_ = -1;
};

// A regular file that several readers share. Each reader keeps its own position (pread).
// Thread-safe.
class InputFile {
 public:
  // Opens a file for reading. NOT_FOUND; PERMISSION_DENIED; INVALID_ARGUMENT for an empty file and
  // for anything but a regular file (a folder, a FIFO, a device, a socket). Does not wait for the
  // writer of a FIFO: a FIFO is refused at once.
  static StatusOr<std::shared_ptr<const InputFile>> open(const std::string& path);
  // Takes over the descriptor of a file that is already open; `name` is used in messages. The
  // errors are those of open().
  static StatusOr<std::shared_ptr<const InputFile>> adopt(Descriptor descriptor, std::string name);
  // Returns a view of the first `bytes` bytes of the file, for a file that has grown since.
  static std::shared_ptr<const InputFile> first_bytes(const std::shared_ptr<const InputFile>& file,
                                                      int64_t bytes);
  ~InputFile();

  const std::string& name() const { return name_; }
  // Returns the size at the time of opening. Bytes that are appended later are not read.
  int64_t bytes() const { return bytes_; }
  int descriptor() const { return whole_ != nullptr ? whole_->descriptor() : descriptor_.get(); }

 private:
  InputFile(Descriptor descriptor, std::string name, int64_t bytes)
      : descriptor_(std::move(descriptor)), name_(std::move(name)), bytes_(bytes) {}

  Descriptor descriptor_;
  std::string name_;
  int64_t bytes_ = 0;
  // file that owns the descriptor, for a view made by first_bytes(); null: `descriptor_` is used
  std::shared_ptr<const InputFile> whole_;
};
using InputFilePtr = std::shared_ptr<const InputFile>;

// Names a file in an open folder. With the default folder, `name` is an ordinary path.
struct FileLocation {
  int folder = AT_FDCWD;  // descriptor of the folder, not owned
  std::string name{};
};

// Converts an error number of the system to a status with the file's name: ENOENT gives NOT_FOUND,
// ENOSPC and EDQUOT give RESOURCE_EXHAUSTED ...
Status system_error(int number, std::string_view doing, std::string_view name);
// Returns true if the error means a full disk or an exceeded disk quota. Removes that mark from
// `status`.
bool take_disk_full(Status& status);

// Makes the system begin to write a growing file to the disk, so that the sync at the end is short.
// Acts once every 16 MiB and does not wait. `bytes` is the number of bytes written so far; `begun`
// (0 at first) is kept between calls.
void start_write_back(int descriptor, int64_t bytes, int64_t* begun);

// Writes a file completely and durably, or not at all, and replaces an existing file. The data is
// written under the name with kUnfinishedSuffix, which is renamed at the end.
inline constexpr std::string_view kUnfinishedSuffix = ".unfinished";
Status write_whole_file(const FileLocation& location, std::string_view bytes);

// Makes renames and new files in the folder of `location` durable.
Status sync_folder_of(const FileLocation& location);

}  // namespace weft::media
