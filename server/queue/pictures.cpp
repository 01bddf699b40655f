// SPDX-License-Identifier: Apache-2.0
#include "server/queue/pictures.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "options/frame_pattern.h"
#include "options/job_kinds.h"
#include "options/job_paths.h"
#include "options/option.h"
#include "options/values.h"
#include "server/channel/status_message.h"
#include "server/queue/admission_files.h"

namespace weft::queue {
namespace {

// What is to be looked at: a file, and which of its pictures.
struct Wanted {
  std::string path;
  int64_t index = 0;
  int64_t pictures = 0;  // of a sequence; 0: the file says
};

Status check_caller(const v1::Job& job, const Caller& caller) {
  std::string owner = job.settings().owner();
  if (settle_owner(caller, owner).ok()) return ok_status();
  return permission_denied(
      "The job ({}) is {}'s; its pictures are shown to its owner, to root and to the daemon's user.",
      job.id(), owner);
}

Status check_side(const v1::Job& job, v1::PictureSide side) {
  if (side == v1::PICTURE_SIDE_INPUT) return ok_status();
  if (side != v1::PICTURE_SIDE_OUTPUT)
    return invalid_argument("The picture's side is missing; give input or output.");
  if (job.state() == v1::JOB_STATE_SUCCEEDED) return ok_status();
  return failed_precondition("The job ({}) has no output yet: it is {}; look again when it has succeeded.",
                             job.id(), options::choice_name(job.state()));
}

// A file of a sequence, by its place in their order. The output's are those of the input that were worked on.
StatusOr<Wanted> wanted_frame(const v1::JobSpec& spec, const options::NamedPath& path, int64_t index) {
  ASSIGN_OR_RETURN(const options::FramePattern pattern, options::FramePattern::parse(path.path));
  ASSIGN_OR_RETURN(const options::FrameChoice choice, options::frame_choice_of(spec));
  const channel::FileDescriptor folder(::open(path.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open())
    return not_found("The folder of the frames cannot be opened ({}): {}.", path.folder(),
                     std::strerror(errno));
  ASSIGN_OR_RETURN(const options::FrameList list, options::list_frames(pattern, folder.get(), choice.range));
  if (index < 0 || index >= int64_t(list.files.size()))
    return out_of_range("The sequence has no picture {}; it has {}, counted from 0.", index,
                        list.files.size());
  const std::string& name = std::next(list.files.begin(), index)->second;
  return Wanted{fmt::format("{}/{}", path.folder(), name), 0, int64_t(list.files.size())};
}

StatusOr<Wanted> find_wanted(const v1::Job& job, const v1::ReadPictureRequest& request) {
  const options::JobPaths paths = options::paths_of_job(job.spec());
  const options::NamedPath& path =
      request.side() == v1::PICTURE_SIDE_INPUT ? paths.inputs[0] : paths.outputs[0];
  if (path.is_sequence) return wanted_frame(job.spec(), path, request.index());
  return Wanted{path.path, request.index(), 0};
}

// Which colours of a file with several: what the job's option of that name says.
std::string layer_of(const v1::JobSpec& spec) {
  const google::protobuf::Message& message = options::job_message(spec);
  const auto option = options::find_option(message.GetDescriptor(), "layer");
  return option ? options::format_value(message, *option) : "";
}

}  // namespace

void Pictures::read(const v1::Job& job, const v1::ReadPictureRequest& request, const Caller& caller,
                    Done done) {
  if (const Status allowed = check_caller(job, caller); !allowed.ok()) return done(allowed);
  if (const Status side = check_side(job, request.side()); !side.ok()) return done(side);
  if (at_work_->fetch_add(1) >= int(kMaxPictures)) {
    at_work_->fetch_sub(1);
    return done(resource_exhausted("Too many pictures are looked at (at most {} at once); ask again soon.",
                                   kMaxPictures));
  }
  std::shared_ptr<void> place(nullptr, [count = at_work_](void*) { count->fetch_sub(1); });
  threads_.add([this, job, request, place, done] { open(job, request, place, done); });
}

void Pictures::open(const v1::Job& job, const v1::ReadPictureRequest& request, std::shared_ptr<void> place,
                    const Done& done) {
  const StatusOr<Wanted> wanted = find_wanted(job, request);
  if (!wanted.ok()) return done(wanted.status());
  StatusOr<OpenInput> file =
      open_input(wanted->path, request.side() == v1::PICTURE_SIDE_INPUT ? "input" : "output");
  if (!file.ok()) return done(file.status());
  channel::FileDescriptor memory(::memfd_create("weft-picture", MFD_CLOEXEC));
  StatusOr<channel::FileDescriptor> own = channel::duplicate(memory.get());
  if (!memory.is_open() || !own.ok())
    return done(resource_exhausted("There is no memory for a picture: {}.", std::strerror(errno)));
  internal::v1::ToWorker question;
  internal::v1::ReadPicture& order = *question.mutable_read_picture();
  order.set_file(wanted->path);
  order.set_index(wanted->index);
  order.set_layer(layer_of(job.spec()));
  order.set_most_bytes(kMaxPictureBytes);
  std::vector<channel::FileDescriptor> files;
  files.push_back(std::move(file->file));
  files.push_back(std::move(memory));
  auto picture = std::make_shared<Picture>();
  picture->samples = *std::move(own);
  picture->place = std::move(place);
  worker_.ask(std::move(question), std::move(files),
              [done, picture, wanted = *wanted](const StatusOr<internal::v1::FromWorker>& answer) {
                if (!answer.ok()) return done(answer.status());
                const Status error = channel::to_status(answer->picture_answer().error());
                if (!error.ok()) return done(error);
                struct stat facts {};
                if (::fstat(picture->samples.get(), &facts) != 0)
                  return done(internal_error("No memory came back."));
                picture->bytes = facts.st_size;
                if (picture->bytes > kMaxPictureBytes)
                  return done(internal_error("More came back than was asked for ({} bytes, at most {}).",
                                             picture->bytes, kMaxPictureBytes));
                picture->description = answer->picture_answer().description();
                picture->description.set_file(wanted.path);
                if (wanted.pictures > 0) picture->description.set_pictures(wanted.pictures);
                done(std::move(*picture));
              });
}

}  // namespace weft::queue
