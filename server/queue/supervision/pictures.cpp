// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/pictures.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "options/file_set.h"
#include "options/frame_pattern.h"
#include "options/job_files.h"
#include "options/job_kinds.h"
#include "options/option.h"
#include "options/values.h"
#include "server/channel/status_message.h"
#include "server/queue/admission/admission_files.h"
#include "server/queue/files/job_files.h"

namespace weft::queue {
namespace {

// A file, and the index of a picture in it.
struct Wanted {
  std::string path;
  int64_t index = 0;
  int64_t pictures = 0;  // length of a sequence; 0: read from the file
};

// Returns true if the job may have outputs. A failed job with several inputs may have some of them.
bool has_outputs(const v1::Job& job) {
  return job.state() == v1::JOB_STATE_SUCCEEDED ||
         (job.state() == v1::JOB_STATE_FAILED && job.result().failed_inputs_size() > 0);
}

Status check_side(const v1::Job& job, v1::PictureSide side) {
  if (side == v1::PICTURE_SIDE_INPUT) return ok_status();
  if (side != v1::PICTURE_SIDE_OUTPUT)
    return invalid_argument("The picture's side is missing; give input or output.");
  if (has_outputs(job)) return ok_status();
  return failed_precondition("The job ({}) has no output yet: it is {}; look again when it has succeeded.",
                             job.id(), options::choice_name(job.state()));
}

// Returns a frame of a sequence by its index. The frames of an output correspond to the processed
// frames of the input.
StatusOr<Wanted> wanted_frame(const v1::JobSpec& spec, const options::JobFile& file, int64_t index,
                              const FileRights& rights) {
  ASSIGN_OR_RETURN(const options::FramePattern pattern, options::FramePattern::parse(file.path));
  ASSIGN_OR_RETURN(const options::FrameChoice choice, options::frame_choice_of(spec));
  const FoundFile folder = open_folder(rights, file.folder());
  if (!folder.is_found())
    return make_status(folder.error == EACCES ? StatusCode::kPermissionDenied : StatusCode::kNotFound,
                       fmt::format("The folder of the frames {} ({}).", folder.why, file.folder()));
  ASSIGN_OR_RETURN(const options::FrameList list,
                   options::list_frames(pattern, folder.descriptor.get(), choice.range));
  if (index < 0 || index >= int64_t(list.files.size()))
    return out_of_range("The sequence has no picture {}; it has {}, counted from 0.", index,
                        list.files.size());
  const std::string& name = std::next(list.files.begin(), index)->second;
  return Wanted{fmt::format("{}/{}", file.folder(), name), 0, int64_t(list.files.size())};
}

// Returns a file of a set by its index in the order of the input's names.
StatusOr<Wanted> wanted_of_set(const v1::JobSpec& spec, const options::JobFiles& files, v1::PictureSide side,
                               int64_t index, const FileRights& rights) {
  ASSIGN_OR_RETURN(const options::FileSet set, options::file_set_of(spec));
  const std::string folder = files.inputs[0].folder();
  const FoundFile found = open_folder(rights, folder);
  if (!found.is_found())
    return make_status(found.error == EACCES ? StatusCode::kPermissionDenied : StatusCode::kNotFound,
                       fmt::format("The folder of the files {} ({}).", found.why, folder));
  ASSIGN_OR_RETURN(const std::vector<options::SetFile> list, set.list(found.descriptor.get()));
  if (index < 0 || index >= int64_t(list.size()))
    return out_of_range("The input has no file {}; it has {}, counted from 0.", index, list.size());
  const options::SetFile& file = list[size_t(index)];
  const std::string path = side == v1::PICTURE_SIDE_INPUT
                               ? fmt::format("{}/{}", folder, file.name)
                               : fmt::format("{}/{}", files.outputs[0].folder(), file.output_name);
  return Wanted{path, 0, int64_t(list.size())};
}

StatusOr<Wanted> find_wanted(const v1::Job& job, const v1::ReadPictureRequest& request,
                             const FileRights& rights) {
  const options::JobFiles files = options::files_of_job(job.spec());
  const std::vector<options::JobFile>& of_side =
      request.side() == v1::PICTURE_SIDE_INPUT ? files.inputs : files.outputs;
  if (of_side.empty())
    return failed_precondition("The job ({}) has no file on that side, and so no pictures.", job.id());
  const options::JobFile& file = of_side[0];
  if (file.is_set) return wanted_of_set(job.spec(), files, request.side(), request.index(), rights);
  if (file.is_sequence) return wanted_frame(job.spec(), file, request.index(), rights);
  return Wanted{file.path, request.index(), 0};
}

// Returns the value of the job's option "layer", which selects a layer in a file with several.
std::string layer_of(const v1::JobSpec& spec) {
  const google::protobuf::Message& message = options::job_message(spec);
  const auto option = options::find_option(message.GetDescriptor(), "layer");
  return option ? options::format_value(message, *option) : "";
}

// A question to the worker, with the memory for its samples.
struct Question {
  internal::v1::ToWorker message;
  std::vector<channel::FileDescriptor> files;
  channel::FileDescriptor samples;
  Wanted wanted;
};

StatusOr<Question> make_question(const v1::Job& job, const v1::ReadPictureRequest& request,
                                 const FileRights& rights) {
  Question question;
  ASSIGN_OR_RETURN(question.wanted, find_wanted(job, request, rights));
  ASSIGN_OR_RETURN(CheckedInput file,
                   queue::open_input(question.wanted.path,
                                     request.side() == v1::PICTURE_SIDE_INPUT ? "input" : "output", rights));
  channel::FileDescriptor memory(::memfd_create("weft-picture", MFD_CLOEXEC));
  if (!memory.is_open())
    return resource_exhausted("There is no memory for a picture: {}.", std::strerror(errno));
  ASSIGN_OR_RETURN(question.samples, channel::duplicate(memory.get()));
  internal::v1::ReadPicture& order = *question.message.mutable_read_picture();
  order.set_file(question.wanted.path);
  order.set_index(question.wanted.index);
  order.set_layer(layer_of(job.spec()));
  order.set_most_bytes(kMaxPictureBytes);
  order.set_longest_side(request.longest_side());
  question.files.push_back(std::move(file.descriptor));
  question.files.push_back(std::move(memory));
  return question;
}

StatusOr<DecodedPicture> make_picture(const StatusOr<internal::v1::FromWorker>& answer, const Wanted& wanted,
                                      channel::FileDescriptor samples) {
  RETURN_IF_ERROR(answer.status());
  RETURN_IF_ERROR(channel::to_status(answer->picture_answer().error()));
  struct stat info {};
  if (::fstat(samples.get(), &info) != 0) return internal_error("No memory came back.");
  if (info.st_size > kMaxPictureBytes)
    return internal_error("More came back than was asked for ({} bytes, at most {}).", info.st_size,
                          kMaxPictureBytes);
  DecodedPicture picture;
  picture.samples = std::move(samples);
  picture.bytes = info.st_size;
  picture.description = answer->picture_answer().description();
  picture.description.set_file(wanted.path);
  if (wanted.pictures > 0) picture.description.set_pictures(wanted.pictures);
  return picture;
}

}  // namespace

void Pictures::read(const v1::Job& job, const v1::ReadPictureRequest& request, const Caller& caller,
                    Done done) {
  if (const Status allowed = check_owner(caller, job, "its pictures cannot be looked at"); !allowed.ok())
    return done(allowed);
  if (const Status side = check_side(job, request.side()); !side.ok()) return done(side);
  int taken = at_work_->load();
  do {
    if (taken >= int(kMaxPictures))
      return done(resource_exhausted("Too many pictures are looked at (at most {} at once); ask again soon.",
                                     kMaxPictures));
  } while (!at_work_->compare_exchange_weak(taken, taken + 1));
  std::shared_ptr<void> permit(nullptr, [count = at_work_](void*) { count->fetch_sub(1); });
  const FileRights rights{caller.credentials, rules_};
  threads_.add(paths_of(job), [this, job, request, rights, permit = std::move(permit), done]() mutable {
    open(job, request, rights, std::move(permit), std::move(done));
  });
}

// After success the picture holds the permit. After an error the permit is released before `done`
// is called, since the caller may repeat the request at once.
void Pictures::open(const v1::Job& job, const v1::ReadPictureRequest& request, const FileRights& rights,
                    std::shared_ptr<void> permit, Done done) {
  StatusOr<Question> question = make_question(job, request, rights);
  if (!question.ok()) {
    permit.reset();
    return done(question.status());
  }
  // Shared, since the callback must be copyable.
  auto samples = std::make_shared<channel::FileDescriptor>(std::move(question->samples));
  worker_.ask(std::move(question->message), std::move(question->files), std::to_string(rights.caller.user()),
              [done = std::move(done), permit = std::move(permit), wanted = std::move(question->wanted),
               samples](const StatusOr<internal::v1::FromWorker>& answer) mutable {
                StatusOr<DecodedPicture> picture = make_picture(answer, wanted, std::move(*samples));
                if (picture.ok()) picture->permit = std::move(permit);
                permit.reset();
                done(std::move(picture));
              });
}

}  // namespace weft::queue
