// SPDX-License-Identifier: Apache-2.0
// Where media files come from and go to: a path, a name in an open folder, or an open descriptor. A process
// that may not open files itself works with the last two.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fcntl.h>

#include "base/status.h"

namespace weft::media {

// Owns a descriptor.
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

// A regular file that is read: shared by everything that reads it, each reader at a place of its own (pread).
// Thread-safe.
class InputFile {
 public:
  // NOT_FOUND, PERMISSION_DENIED, or INVALID_ARGUMENT for what is not a regular file (a folder, a FIFO, a
  // device, a socket) and for an empty one. Never waits: a FIFO without a writer is refused at once.
  static StatusOr<std::shared_ptr<const InputFile>> open(const std::string& path);
  // Takes the descriptor of a file that somebody else opened; `name` is for messages. The same errors.
  static StatusOr<std::shared_ptr<const InputFile>> adopt(Descriptor descriptor, std::string name);
  // The same file as if it ended there, though it has grown since.
  static std::shared_ptr<const InputFile> first_bytes(const std::shared_ptr<const InputFile>& file,
                                                      int64_t bytes);
  ~InputFile();

  const std::string& name() const { return name_; }
  // When it was opened; what comes behind them later is not read.
  int64_t bytes() const { return bytes_; }
  int descriptor() const { return whole_ != nullptr ? whole_->descriptor() : descriptor_.get(); }

 private:
  InputFile(Descriptor descriptor, std::string name, int64_t bytes)
      : descriptor_(std::move(descriptor)), name_(std::move(name)), bytes_(bytes) {}

  Descriptor descriptor_;
  std::string name_;
  int64_t bytes_ = 0;
  std::shared_ptr<const InputFile> whole_;  // whose descriptor a part of it uses; null: its own
};
using InputFilePtr = std::shared_ptr<const InputFile>;

// A file by its name in an open folder. The default folder makes `name` an ordinary path.
struct FilePlace {
  int folder = AT_FDCWD;  // borrowed
  std::string name{};
};

// Errors of the system as ours, with the file's name: ENOENT is NOT_FOUND, ENOSPC and EDQUOT are
// RESOURCE_EXHAUSTED ...
Status system_error(int number, std::string_view doing, std::string_view name);
// Whether an error is that a disk or a quota is full; the mark that says so is taken away.
bool take_disk_full(Status& status);

// Has the system begin to write a growing file to the disk, some megabytes at a time and without waiting, so that the
// sync at its end is short. `bytes`: written so far; `begun` (0 at first) is kept between calls.
void start_write_back(int descriptor, int64_t bytes, int64_t* begun);

// Writes a file that is there whole and durable, or not at all: under the name with kUnfinishedSuffix first, then renamed. Replaces
// what is there.
inline constexpr std::string_view kUnfinishedSuffix = ".unfinished";
Status write_whole_file(const FilePlace& place, std::string_view bytes);

// Makes what renames and new files of the folder that holds `place` durable.
Status sync_folder_of(const FilePlace& place);

}  // namespace weft::media
