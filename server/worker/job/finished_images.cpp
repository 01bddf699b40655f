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

constexpr std::string_view kBeingMade = "images-";  // and the key

bool is_there(int folder, const std::string& path) {
  const media::FileCall call("examined", path);
  return media::is_in(folder, path);
}

// None where there is no such folder.
std::vector<std::string> names_in(int folder, const std::string& path) {
  const media::FileCall call("listed", path);
  StatusOr<std::vector<std::string>> names = media::list_in(folder, path);
  return names.ok() ? *std::move(names) : std::vector<std::string>();
}

// A folder of files, or a file.
void remove_all(int folder, const std::string& path) {
  const media::FileCall call("removed", path);
  for (const std::string& name : names_in(folder, path)) media::remove_in(folder, path + "/" + name);
  if (media::remove_in(folder, path) != 0) media::remove_in(folder, path, AT_REMOVEDIR);
}

}  // namespace

StatusOr<FinishedImages> FinishedImages::open(int folder, std::string_view key, std::string name,
                                              bool is_sequence) {
  const std::string images = fmt::format("{}{}", kBeingMade, key);
  for (const std::string& other : names_in(folder, "."))
    if (other.starts_with(kBeingMade) && other != images) remove_all(folder, other);
  const media::FileCall call("created", images);
  if (is_sequence && !is_there(folder, name) && media::make_folder_in(folder, images, 0777) != 0 &&
      errno != EEXIST)
    return media::system_error(errno, "created", images);
  return FinishedImages(folder, std::move(name), images, is_sequence);
}

std::string FinishedImages::path_of(const std::string& image) const {
  return is_sequence_ ? images_ + "/" + image : images_;
}

bool FinishedImages::has(const std::string& image) const {
  const std::string finished = is_sequence_ ? name_ + "/" + image : name_;
  return is_there(folder_, path_of(image)) || is_there(folder_, finished);
}

Status FinishedImages::write(const std::string& image, std::string_view bytes) const {
  return media::write_whole_file({folder_, path_of(image)}, bytes);
}

bool FinishedImages::has_extra(const std::string& name) const { return is_there(folder_, name); }

Status FinishedImages::write_extra(const std::string& name, std::string_view bytes) const {
  return media::write_whole_file({folder_, name}, bytes);
}

Status FinishedImages::finish() const {
  FAULT_POINT("images.before_finish");
  const media::FileCall call("finished", name_);
  if (!is_there(folder_, images_) && is_there(folder_, name_)) return ok_status();
  if (is_sequence_)
    for (const std::string& name : names_in(folder_, images_))
      if (name.ends_with(media::kUnfinishedSuffix)) media::remove_in(folder_, images_ + "/" + name);
  if (media::rename_in(folder_, images_, name_) != 0) return media::system_error(errno, "finished", name_);
  return media::sync_folder_of({folder_, name_});
}

}  // namespace weft::worker
