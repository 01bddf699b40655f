// SPDX-License-Identifier: Apache-2.0
// The images of a job that are done, or its texture, in its work folder: an image is there under its name when it is whole and durable, and not
// before, so that a later attempt makes only the others, and those whose files have changed since.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/media/file.h"
#include "server/worker/job/source_journal.h"

namespace weft::worker {

// Thread-safe, as long as no two threads write one name.
class FinishedImages {
 public:
  // `folder`: the work folder, open, private to this job; borrowed. What an attempt of another `key` left is removed. `name`: under
  // what the daemon looks for the output: the image, or of a sequence the folder with its frames.
  static StatusOr<FinishedImages> open(int folder, std::string_view key, std::string name, bool is_sequence);

  // By image: what file each was made of that an earlier attempt, or this one, finished.
  std::map<std::string, FileIdentity> sources() const { return journal_->sources(); }
  // Only these are finished from now on.
  Status keep(std::map<std::string, FileIdentity> sources) const {
    return journal_->keep(std::move(sources));
  }
  Status write(const std::string& image, std::string_view bytes, const FileIdentity& source) const;
  // Beside the output: a file of its own in the work folder.
  bool has_extra(const std::string& name) const;
  Status write_extra(const std::string& name, std::string_view bytes) const;
  void remove_extra(const std::string& name) const;
  // All are there: they become the output, and what else lies beside them goes. Repeating it is harmless.
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
  std::string images_;  // while they are made: a sequence's folder, an image's name
  bool is_sequence_;
  std::unique_ptr<SourceJournal> journal_;
};

}  // namespace weft::worker
