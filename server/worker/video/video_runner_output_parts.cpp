// SPDX-License-Identifier: Apache-2.0
// Implements further output files of an input with changes of the picture size (SIZE_CHANGE_SPLIT)
// for VideoRunner. Each is made like the first, from a part that begins at the end of the previous
// one.
#include <cerrno>
#include <cstring>
#include <utility>

#include "server/media/folder_calls.h"
#include "server/worker/video/job_part.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {
namespace {

// Sets the video's properties to those of its first frame with the new format.
void take_format(const media::PictureFormat& format, media::VideoInfo& video) {
  video.format.width = format.width;
  video.format.height = format.height;
  video.sample_aspect_ratio = format.pixel_aspect;
  video.colour = format.colour;
}

}  // namespace

SegmentJournal VideoRunner::journal_of(std::string name) const {
  return SegmentJournal(order_.work_folder.get(),
                        output_part_ == 1 ? std::move(name) : fmt::format("piece-{}-{}", output_part_, name));
}

void VideoRunner::begin_anew() {
  finished_.clear();
  segments_resumed_ = before_.segments_resumed;
  resumed_ = before_.frames_resumed;
  meter_.units_done = before_.frames;
  meter_.outputs_done = before_.outputs;
  meter_.corrupt_packets = before_.corrupt_packets;
  segments_done_ = 0;
  frames_done_ = 0;
}

// Returns the plan of the next part, which begins with the first picture of another size.
StatusOr<VideoPlan> VideoRunner::next_output_part() {
  const internal::v1::SegmentRecord& last = finished_.rbegin()->second;
  if (output_part_ == 1) before_.first_frame = last.part().first_frame();
  before_.frames += last.source_frames();
  before_.frames_resumed = resumed_;
  before_.outputs += last.first_output() + last.outputs();
  before_.corrupt_packets = meter_.corrupt_packets;
  before_.segments += int(finished_.size());
  before_.segments_resumed = segments_resumed_;
  const internal::v1::OutputPartRecord next = last.next_output_part();
  take_format(read_format(next.format()), info_.video);
  from_ = next.first_frame();
  output_part_++;
  begin_anew();
  record_.clear_part();
  journal_ = journal_of(kPictures);
  notes_.add(fmt::format("From the input's frame {} on pictures are {}x{}: they are in {}.",
                         next.first_frame(), info_.video.format.width, info_.video.format.height,
                         output().name()));
  return plan_output_part();
}

// Removes the later output parts of an earlier attempt, which may have found more of them.
Status VideoRunner::remove_later_output_parts() const {
  for (const options::JobFile& file : order_.outputs)
    for (int number = output_part_ + 1;; number++) {
      const std::string name = options::output_part(file, number).finished_name;
      if (media::remove_in(order_.work_folder.get(), name) == 0) continue;
      if (errno == ENOENT) break;
      return unavailable("A file of an earlier attempt cannot be removed ({}): {}.", name,
                         std::strerror(errno));
    }
  return ok_status();
}

}  // namespace weft::worker
