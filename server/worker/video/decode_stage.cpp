// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/decode_stage.h"

#include <optional>
#include <utility>

namespace weft::worker {
namespace {

// Keeps the places of the segments whose decoding begins at `frame`, the one that the source gives next.
void keep_place(const media::VideoPart& part, int64_t frame, const SegmentGrid& grid,
                Checkpoints& checkpoints) {
  const int64_t boundary = frame + grid.frames_before;
  if (frame == 0 || boundary % grid.segment_frames != 0) return;
  checkpoints.put(boundary / grid.segment_frames, media::serialise(part.checkpoint()));
}

// DATA_LOSS where the input is short and must not be.
Status note_end(const media::VideoPart& part, Places& places) {
  const std::string shortage = part.shortage();
  if (!shortage.empty() && places.fails_when_short)
    return data_loss("{}; --on-short-input note works on what is there.", shortage);
  places.end_notes = part.source().notes();
  if (!shortage.empty()) places.end_notes.push_back(shortage + ".");
  return ok_status();
}

}  // namespace

Status decode(media::VideoPart& part, DecodeStart start, const SegmentGrid& grid,
              BoundedQueue<media::SourceFrame>& frames, Places& places, JobMeter& meter) {
  int64_t next_frame = start.next_frame;
  size_t noted = 0;
  bool has_scaled = false;
  while (true) {
    StatusOr<std::optional<media::SourceFrame>> frame = std::optional<media::SourceFrame>();
    {
      const BusyTime busy(meter.decode);
      keep_place(part, next_frame, grid, places.checkpoints);
      frame = part.next();
      if (frame.ok() && frame->has_value()) RETURN_IF_ERROR(start.scaler->scale(**frame));
    }
    start.turn = {};
    meter.corrupt_packets = part.source().counters().corrupt_packets;
    for (; noted < part.source().changes().size(); noted++) places.note(part.source().changes()[noted]);
    RETURN_IF_ERROR(frame.status());
    if (!frame->has_value()) break;
    if (start.scaler->has_scaled() && !std::exchange(has_scaled, true))
      places.note(fmt::format("Pictures of another size than the first are scaled to {}x{}.",
                              (*frame)->picture.format.width, (*frame)->picture.format.height));
    next_frame = (*frame)->index + 1;
    if (!(*frame)->captions.empty()) places.has_captions = true;
    places.hardware = part.source().hardware();
    meter.decode.units++;
    meter.beat();
    if (!frames.push(**std::move(frame))) return ok_status();
  }
  RETURN_IF_ERROR(note_end(part, places));
  places.next_piece = part.next_piece();
  if (!places.next_piece) meter.units_total = start.frames_before + next_frame;
  places.end_pts = part.end_pts();
  frames.close();
  return ok_status();
}

}  // namespace weft::worker
