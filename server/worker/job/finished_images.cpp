// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/finished_images.h"

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>

#include "base/fault_point.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"

namespace weft::worker {
namespace {

// prefix of the name until finish(); the key follows
constexpr std::string_view kBeingMade = "images-";
constexpr std::string_view kSources = "sources-";  // prefix of the journal's name; the key follows

bool is_there(int folder, const std::string& path) {
  const media::FileCall call("examined", path);
  return media::is_in(folder, path);
}

// Returns the names in a folder, or an empty list if it does not exist.
std::vector<std::string> names_in(int folder, const std::string& path) {
  const media::FileCall call("listed", path);
  StatusOr<std::vector<std::string>> names = media::list_in(folder, path);
  return names.ok() ? *std::move(names) : std::vector<std::string>();
}

// Removes a file, or a folder with its files.
void remove_all(int folder, const std::string& path) {
  const media::FileCall call("removed", path);
  for (const std::string& name : names_in(folder, path)) media::remove_in(folder, path + "/" + name);
  if (media::remove_in(folder, path) != 0) media::remove_in(folder, path, AT_REMOVEDIR);
}

}  // namespace

StatusOr<FinishedImages> FinishedImages::open(int folder, std::string_view key, std::string name,
                                              bool is_sequence) {
  const std::string images = fmt::format("{}{}", kBeingMade, key);
  const std::string sources = fmt::format("{}{}", kSources, key);
  const bool is_known = is_there(folder, sources);
  for (const std::string& other : names_in(folder, ".")) {
    const bool is_ours = is_known && (other == images || other == sources || other.starts_with(name));
    if (!is_ours && (other.starts_with(kBeingMade) || other.starts_with(kSources) || other.starts_with(name)))
      remove_all(folder, other);
  }
  ASSIGN_OR_RETURN(auto journal, SourceJournal::open(folder, sources));
  const media::FileCall call("created", images);
  // An earlier attempt finished the images but did not publish them. Some may have to be processed
  // again.
  if (!is_there(folder, images) && is_there(folder, name) && media::rename_in(folder, name, images) != 0)
    return media::system_error(errno, "opened", name);
  if (is_sequence && media::make_folder_in(folder, images, 0777) != 0 && errno != EEXIST)
    return media::system_error(errno, "created", images);
  FinishedImages finished(folder, std::move(name), images, is_sequence, std::move(journal));
  std::map<std::string, FileIdentity> there = finished.sources();
  std::erase_if(there, [&](const auto& each) { return !is_there(folder, finished.path_of(each.first)); });
  RETURN_IF_ERROR(finished.retain(std::move(there)));
  return finished;
}

std::string FinishedImages::path_of(const std::string& image) const {
  return is_sequence_ ? images_ + "/" + image : images_;
}

Status FinishedImages::write(const std::string& image, std::string_view bytes,
                             const FileIdentity& source) const {
  RETURN_IF_ERROR(media::write_whole_file({folder_, path_of(image)}, bytes));
  FAULT_POINT("images.before_source");
  return journal_->add(image, source);
}

bool FinishedImages::has_extra(const std::string& name) const { return is_there(folder_, name); }

Status FinishedImages::write_extra(const std::string& name, std::string_view bytes) const {
  return media::write_whole_file({folder_, name}, bytes);
}

void FinishedImages::remove_extra(const std::string& name) const { remove_all(folder_, name); }

Status FinishedImages::finish() const {
  FAULT_POINT("images.before_finish");
  const media::FileCall call("finished", name_);
  if (!is_there(folder_, images_) && is_there(folder_, name_)) return ok_status();
  if (is_sequence_)
    for (const std::string& name : names_in(folder_, images_))
      if (!journal_->source_of(name)) media::remove_in(folder_, images_ + "/" + name);
  if (media::rename_in(folder_, images_, name_) != 0) return media::system_error(errno, "finished", name_);
  return media::sync_folder_of({folder_, name_});
}

}  // namespace weft::worker
