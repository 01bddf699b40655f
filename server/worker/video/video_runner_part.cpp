// SPDX-License-Identifier: Apache-2.0
// Of a video job's runner: where decoding begins, at first and after a stop.
#include "options/words.h"
#include "server/worker/video/job_part.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {

StatusOr<std::unique_ptr<media::VideoPart>> VideoRunner::open_part(const VideoPlan& plan,
                                                                   const SegmentGrid& grid) {
  ASSIGN_OR_RETURN(auto part, media::VideoPart::open(input_, plan.source, plan.part));
  meter_.beat();
  const Status resumed = finished_.empty() ? begin(*part) : resume(*part, grid);
  RETURN_IF_ERROR(still_wanted());  // a stop is no reason to start over
  if (resumed.ok()) return part;
  if (finished_.empty() ||
      (resumed.code() != StatusCode::kFailedPrecondition && resumed.code() != StatusCode::kDataLoss))
    return resumed;
  notes_.add(fmt::format("The job starts over: {}", message_of(resumed)));
  RETURN_IF_ERROR(journal_.remove_from(0));
  begin_anew();
  ASSIGN_OR_RETURN(part, media::VideoPart::open(input_, plan.source, plan.part));
  RETURN_IF_ERROR(begin(*part));
  return part;
}

Status VideoRunner::begin(media::VideoPart& part) {
  RETURN_IF_ERROR(blame_part(part.begin(), part.bounds()));
  if (const media::PartStart& start = part.start(); start.pts)
    events_.on_log("info", fmt::format("The part begins at the input's frame {} ({} decoded to get there).",
                                       start.index, options::format_count(part.frames_skipped(), "frame")));
  return ok_status();
}

Status VideoRunner::resume(media::VideoPart& part, const SegmentGrid& grid) {
  const int64_t first_frame = grid.decode_from(int64_t(finished_.size()));
  const media::PartStart start = read_start(finished_.back().part());
  if (first_frame == 0) {
    RETURN_IF_ERROR(begin(part));
    if (part.start() == start) return ok_status();
    return data_loss("A segment remembers a part that begins at frame {}, and it begins at frame {}.",
                     start.index, part.start().index);
  }
  ASSIGN_OR_RETURN(const media::SourceCheckpoint place,
                   media::parse_checkpoint(finished_.back().checkpoint()));
  if (place.next_index != start.index + first_frame)
    return data_loss("A segment remembers another place in the input (frame {}) than it should (frame {}).",
                     place.next_index, start.index + first_frame);
  RETURN_IF_ERROR(part.resume(place, start));
  events_.on_log("info", fmt::format("Decoding goes on at frame {} ({} decoded to get there).", first_frame,
                                     options::format_count(part.source().frames_skipped(), "frame")));
  return ok_status();
}

}  // namespace weft::worker
