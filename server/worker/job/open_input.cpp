// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/open_input.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>

#include "options/validate.h"
#include "server/media/image/image.h"

namespace weft::worker {

StatusOr<std::vector<OpenInput>> take_inputs(
    const google::protobuf::RepeatedPtrField<internal::v1::JobInput>& declared,
    std::vector<channel::FileDescriptor>& descriptors) {
  if (descriptors.size() < size_t(declared.size()))
    return internal_error("A message comes with {} open files instead of {}.", descriptors.size(),
                          declared.size());
  std::vector<OpenInput> inputs;
  for (int i = 0; i < declared.size(); i++)
    inputs.push_back({declared[i], std::move(descriptors[size_t(i)])});
  descriptors.erase(descriptors.begin(), descriptors.begin() + declared.size());
  return inputs;
}

const OpenInput* find_input(const std::vector<OpenInput>& inputs, std::string_view option) {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const OpenInput& each) { return each.declared.option() == option; });
  return found == inputs.end() ? nullptr : &*found;
}

StatusOr<media::InputFilePtr> open_input_file(const OpenInput& input) {
  media::Descriptor copy(::fcntl(input.file.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy) return media::system_error(errno, "opened", input.declared.path());
  return media::InputFile::adopt(std::move(copy), input.declared.path());
}

StatusOr<v1::MediaKind> media_of(const OpenInput& input) {
  if (input.declared.is_folder()) return v1::MEDIA_KIND_IMAGE;
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_input_file(input));
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
