// SPDX-License-Identifier: Apache-2.0
// Of a video job's runner: the further files of an input whose pictures change their size (SIZE_CHANGE_SPLIT). Each is made as the
// first is, of a part that begins where the one before it ended.
#include <cerrno>
#include <cstring>
#include <utility>

#include "server/media/folder_calls.h"
#include "server/worker/video/job_part.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {
namespace {

// Of the input's video, from the first frame of that look on.
void take_look(const media::PictureLook& look, media::VideoFacts& video) {
  video.format.width = look.width;
  video.format.height = look.height;
  video.sample_aspect_ratio = look.pixel_aspect;
  video.colour = look.colour;
}

}  // namespace

SegmentJournal VideoRunner::journal_of(std::string name) const {
  return SegmentJournal(order_.work_folder.get(),
                        piece_ == 1 ? std::move(name) : fmt::format("piece-{}-{}", piece_, name));
}

void VideoRunner::begin_anew() {
  finished_.clear();
  segments_resumed_ = before_.segments_resumed;
  resumed_ = before_.frames_resumed;
  meter_.units_done = before_.frames;
  meter_.outputs_done = before_.outputs;
  meter_.corrupt_packets = 0;
}

// Behind the last one: from the first picture of another size on.
StatusOr<VideoPlan> VideoRunner::next_piece() {
  const internal::v1::SegmentRecord& last = finished_.back();
  if (piece_ == 1) before_.first_frame = last.part().first_frame();
  before_.frames += last.source_frames();
  before_.frames_resumed = resumed_;
  before_.outputs += last.first_output() + last.outputs();
  before_.segments += int(finished_.size());
  before_.segments_resumed = segments_resumed_;
  const internal::v1::PieceRecord next = last.next_piece();
  take_look(read_look(next.look()), facts_.video);
  from_ = next.first_frame();
  piece_++;
  begin_anew();
  record_.clear_part();
  journal_ = journal_of("segment");
  notes_.add(fmt::format("From the input's frame {} on pictures are {}x{}: they are in {}.",
                         next.first_frame(), facts_.video.format.width, facts_.video.format.height,
                         output().name()));
  return plan_piece();
}

// An earlier attempt may have found more of them.
Status VideoRunner::remove_later_pieces() const {
  for (int number = piece_ + 1;; number++) {
    const std::string name = options::piece_of(order_.outputs[0], number).finished_name;
    if (media::remove_in(order_.work_folder.get(), name) == 0) continue;
    if (errno == ENOENT) return ok_status();
    return unavailable("A file of an earlier attempt cannot be removed ({}): {}.", name,
                       std::strerror(errno));
  }
}

}  // namespace weft::worker
