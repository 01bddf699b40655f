// SPDX-License-Identifier: Apache-2.0
// Stores finished images of a job, or its texture, in its work folder. A file has its final name
// there once it is complete and durable, so that a later attempt processes only the remaining
// images and those with changed files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/media/file.h"
#include "server/worker/job/source_journal.h"

namespace weft::worker {

// Thread-safe, if no two threads write the same name.
class FinishedImages {
 public:
  // Opens the finished images. `folder` is the open work folder, private to this job and borrowed.
  // Files of an attempt with another `key` are removed. `name` is the daemon's name for the output:
  // the image, or the folder with the frames of a sequence.
  static StatusOr<FinishedImages> open(int folder, std::string_view key, std::string name, bool is_sequence);

  // Returns, by image, the identity of its source file when this attempt or an earlier one finished
  // it.
  std::map<std::string, FileIdentity> sources() const { return journal_->sources(); }
  // Replaces the records of finished images by `sources`.
  Status retain(std::map<std::string, FileIdentity> sources) const {
    return journal_->retain(std::move(sources));
  }
  Status write(const std::string& image, std::string_view bytes, const FileIdentity& source) const;
  // Returns the name of a finished image in the work folder after finish().
  std::string finished_name(const std::string& image) const {
    return is_sequence_ ? name_ + "/" + image : name_;
  }
  // Returns true if the work folder contains this additional output.
  bool has_extra(const std::string& name) const;
  Status write_extra(const std::string& name, std::string_view bytes) const;
  void remove_extra(const std::string& name) const;
  // Makes the complete set of images the output, and removes other files of the folder. May be
  // repeated after an interruption.
  Status finish() const;

 private:
  FinishedImages(int folder, std::string name, std::string images, bool is_sequence,
                 std::unique_ptr<SourceJournal> journal)
      : folder_(folder),
        name_(std::move(name)),
        images_(std::move(images)),
        is_sequence_(is_sequence),
        journal_(std::move(journal)) {}
  std::string path_of(const std::string& image) const;

  int folder_;
  std::string name_;
  std::string images_;  // name until finish(): of a sequence's folder, or of an image
  bool is_sequence_;
  std::unique_ptr<SourceJournal> journal_;
};

}  // namespace weft::worker
