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

// What is to be looked at: a file, and which of its pictures.
struct Wanted {
  std::string path;
  int64_t index = 0;
  int64_t pictures = 0;  // of a sequence; 0: the file says
};

// Of a job with several inputs some outputs may be there although it failed.
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

// A file of a sequence, by its place in their order. The output's are those of the input that were worked on.
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

// A file of a set, by its place in the order of the input's names.
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

// Which colours of a file with several: what the job's option of that name says.
std::string layer_of(const v1::JobSpec& spec) {
  const google::protobuf::Message& message = options::job_message(spec);
  const auto option = options::find_option(message.GetDescriptor(), "layer");
  return option ? options::format_value(message, *option) : "";
}

// What the worker is asked, and where its samples will be.
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
  struct stat facts {};
  if (::fstat(samples.get(), &facts) != 0) return internal_error("No memory came back.");
  if (facts.st_size > kMaxPictureBytes)
    return internal_error("More came back than was asked for ({} bytes, at most {}).", facts.st_size,
                          kMaxPictureBytes);
  DecodedPicture picture;
  picture.samples = std::move(samples);
  picture.bytes = facts.st_size;
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
  std::shared_ptr<void> place(nullptr, [count = at_work_](void*) { count->fetch_sub(1); });
  const FileRights rights{caller.credentials, rules_};
  threads_.add(paths_of(job), [this, job, request, rights, place = std::move(place), done]() mutable {
    open(job, request, rights, std::move(place), std::move(done));
  });
}

// Whoever is answered may ask again at once, so by then the place is the picture's, or free.
void Pictures::open(const v1::Job& job, const v1::ReadPictureRequest& request, const FileRights& rights,
                    std::shared_ptr<void> place, Done done) {
  StatusOr<Question> question = make_question(job, request, rights);
  if (!question.ok()) {
    place.reset();
    return done(question.status());
  }
  // Shared, since an answer to a worker can be copied.
  auto samples = std::make_shared<channel::FileDescriptor>(std::move(question->samples));
  worker_.ask(std::move(question->message), std::move(question->files), std::to_string(rights.caller.user()),
              [done = std::move(done), place = std::move(place), wanted = std::move(question->wanted),
               samples](const StatusOr<internal::v1::FromWorker>& answer) mutable {
                StatusOr<DecodedPicture> picture = make_picture(answer, wanted, std::move(*samples));
                if (picture.ok()) picture->place = std::move(place);
                place.reset();
                done(std::move(picture));
              });
}

}  // namespace weft::queue
