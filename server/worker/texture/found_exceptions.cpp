// SPDX-License-Identifier: Apache-2.0
#include "server/worker/texture/found_exceptions.h"

#include <algorithm>
#include <utility>

#include <fcntl.h>

#include "server/channel/status_message.h"
#include "server/media/file_bytes.h"
#include "server/media/folder_calls.h"

namespace weft::worker {
namespace {

// file with a line for the key, followed by a TextureResult
constexpr const char* kFoundFile = "exceptions";
constexpr int64_t kMaxFoundBytes = int64_t{16} << 20;

}  // namespace

StatusOr<FoundExceptions> FoundExceptions::open(const FinishedImages& finished, int folder,
                                                std::string_view key) {
  FoundExceptions found(finished, std::string(key) + "\n");
  if (!finished.has_extra(kFoundFile)) return found;
  media::Descriptor file(media::open_in(folder, kFoundFile, O_RDONLY | O_CLOEXEC));
  if (!file) return media::system_error(errno, "opened", kFoundFile);
  ASSIGN_OR_RETURN(const media::InputFilePtr input, media::InputFile::adopt(std::move(file), kFoundFile));
  ASSIGN_OR_RETURN(const auto bytes, media::load_file(*input, kMaxFoundBytes, "list of exceptions"));
  if (!bytes->starts_with(found.key_)) return found;  // the file is that of another specification
  if (!found.found_.ParseFromString(bytes->substr(found.key_.size()))) found.found_.Clear();
  return found;
}

Status FoundExceptions::add(std::string_view name, std::string_view reason) {
  const std::string shown = channel::as_utf8(std::string(name));
  std::string bytes = key_;
  {
    const std::lock_guard lock(*mutex_);
    auto& all = *found_.mutable_exceptions();
    auto at = std::lower_bound(
        all.begin(), all.end(), shown,
        [](const v1::UpsampleException& each, const std::string& wanted) { return each.name() < wanted; });
    if (at == all.end() || at->name() != shown) {
      const auto index = at - all.begin();
      all.Add()->set_name(shown);
      std::rotate(all.begin() + index, all.end() - 1, all.end());
      at = all.begin() + index;
    }
    at->set_reason(std::string(reason));
    bytes += found_.SerializeAsString();
  }
  return finished_->write_extra(kFoundFile, bytes);
}

Status FoundExceptions::forget(std::string_view name) {
  const std::string shown = channel::as_utf8(std::string(name));
  std::string bytes = key_;
  {
    const std::lock_guard lock(*mutex_);
    auto& all = *found_.mutable_exceptions();
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const v1::UpsampleException& each) { return each.name() == shown; });
    if (at == all.end()) return ok_status();
    all.erase(at);
    bytes += found_.SerializeAsString();
  }
  return finished_->write_extra(kFoundFile, bytes);
}

void FoundExceptions::put_into(v1::JobResult& result) const {
  const std::lock_guard lock(*mutex_);
  if (found_.exceptions_size() > 0) *result.mutable_textures() = found_;
}

std::string FoundExceptions::note(bool are_replaced) const {
  const std::lock_guard lock(*mutex_);
  const int count = found_.exceptions_size();
  if (count == 0) return "";
  const char* const end = are_replaced ? " and made without." : ".";
  if (count == 1)
    return fmt::format("'{}' was spoiled by a network{} {}", found_.exceptions(0).name(), end,
                       found_.exceptions(0).reason());
  constexpr int kNamed = 5;
  std::string names;
  for (int i = 0; i < std::min(count, kNamed); i++)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", found_.exceptions(i).name());
  if (count > kNamed) names += fmt::format(" and {} more", count - kNamed);
  return fmt::format(
      "{} textures were spoiled by a network{} They are {}; 'weft show --exceptions' says why.", count, end,
      names);
}

}  // namespace weft::worker
