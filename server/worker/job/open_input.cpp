// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/open_input.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>

#include "options/validate.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"
#include "server/media/image/image_file.h"
#include "server/media/read/pictures/tga.h"
#include "server/media/texture/texture.h"

namespace weft::worker {

StatusOr<std::vector<OpenJobFile>> take_inputs(std::vector<options::JobFile> inputs,
                                               std::vector<channel::FileDescriptor>& descriptors,
                                               const channel::Credentials& submitter) {
  if (descriptors.size() < inputs.size())
    return internal_error("A message comes with {} open files instead of {}.", descriptors.size(),
                          inputs.size());
  std::vector<OpenJobFile> open;
  for (size_t i = 0; i < inputs.size(); i++)
    open.push_back({std::move(inputs[i]), std::move(descriptors[i]), submitter});
  descriptors.erase(descriptors.begin(), descriptors.begin() + std::ptrdiff_t(inputs.size()));
  return open;
}

const OpenJobFile* find_input(const std::vector<OpenJobFile>& inputs, std::string_view option) {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const OpenJobFile& each) { return each.declared.option == option; });
  return found == inputs.end() ? nullptr : &*found;
}

StatusOr<media::InputFilePtr> open_input_file(const OpenJobFile& input) {
  media::Descriptor copy(::fcntl(input.descriptor.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy) return media::system_error(errno, "opened", input.declared.path);
  return media::InputFile::adopt(std::move(copy), input.declared.path);
}

StatusOr<media::InputFilePtr> open_file_of(const OpenJobFile& input, const std::string& name) {
  const std::string path = fmt::format("{}/{}", input.declared.folder(), name);
  const media::FileCall call("opened", path);
  // This process may have more rights than the submitter.
  const bool is_own = channel::is_own(input.submitter);
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (is_own ? 0 : O_NOFOLLOW);
  media::Descriptor file(media::open_in(input.descriptor.get(), name, flags));
  if (!file) return media::system_error(errno, "opened", path);
  if (const std::string why = is_own ? "" : channel::what_forbids_frame(input.submitter, file.get());
      !why.empty())
    return permission_denied("A {} of the input {} ({}).", input.declared.is_set ? "file" : "frame", why,
                             path);
  return media::InputFile::adopt(std::move(file), path);
}

StatusOr<v1::MediaKind> media_of(const OpenJobFile& input) {
  if (input.declared.is_set) return v1::MEDIA_KIND_TEXTURE;
  if (input.declared.is_sequence) return v1::MEDIA_KIND_IMAGE;
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_input_file(input));
  ASSIGN_OR_RETURN(const bool is_texture, media::is_texture(*file));
  if (is_texture || media::is_tga(*file)) return v1::MEDIA_KIND_TEXTURE;
  ASSIGN_OR_RETURN(const bool is_image, media::is_image(*file));
  return is_image ? v1::MEDIA_KIND_IMAGE : v1::MEDIA_KIND_VIDEO;
}

Status blame(std::string_view field, const Status& reason) {
  switch (reason.code()) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kDataLoss:
    case StatusCode::kNotFound:
    case StatusCode::kPermissionDenied:
      if (!options::violations_of(reason).empty()) return reason;
      return options::to_status({{std::string(field), message_of(reason)}});
    default:
      return reason;
  }
}

}  // namespace weft::worker
