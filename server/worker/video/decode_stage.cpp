// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/decode_stage.h"

#include <optional>
#include <utility>

namespace weft::worker {
namespace {

// Stores the current position as a checkpoint if the decoding of a segment begins at `frame`, the
// next frame of the source.
void retain_checkpoint(const media::VideoPart& part, int64_t frame, const SegmentGrid& grid,
                       Checkpoints& checkpoints) {
  const int64_t boundary = frame + grid.frames_before;
  if (frame == 0 || boundary % grid.segment_frames != 0) return;
  const media::SourceCheckpoint checkpoint = part.checkpoint();
  checkpoints.put(boundary / grid.segment_frames, {media::serialise(checkpoint), checkpoint.corrupt_packets});
}

// Records the end of decoding. DATA_LOSS: the input is short, and the job does not permit that.
Status note_end(const media::VideoPart& part, DecodingNotes& decoding_notes) {
  const std::string shortage = part.shortage();
  if (!shortage.empty() && decoding_notes.fails_when_short)
    return data_loss("{}; --on-short-input note works on what is there.", shortage);
  decoding_notes.end_notes = part.source().notes();
  if (!shortage.empty()) decoding_notes.end_notes.push_back(shortage + ".");
  return ok_status();
}

}  // namespace

Status decode(media::VideoPart& part, DecodeStart start, const SegmentGrid& grid,
              BoundedQueue<media::SourceFrame>& frames, DecodingNotes& decoding_notes, JobMeter& meter) {
  int64_t next_frame = start.next_frame;
  size_t noted = 0;
  bool has_scaled = false, is_first = true;
  while (true) {
    StatusOr<std::optional<media::SourceFrame>> frame = std::optional<media::SourceFrame>();
    {
      const BusyTime busy(meter.decode);
      retain_checkpoint(part, next_frame, grid, decoding_notes.checkpoints);
      frame = part.next();
      if (frame.ok() && frame->has_value()) RETURN_IF_ERROR(start.scaler->scale(**frame));
    }
    start.driver_lock = {};
    for (; noted < part.source().changes().size(); noted++)
      decoding_notes.note(part.source().changes()[noted]);
    RETURN_IF_ERROR(frame.status());
    if (!frame->has_value()) break;
    if (start.scaler->has_scaled() && !std::exchange(has_scaled, true))
      decoding_notes.note(fmt::format("Pictures of another size than the first are scaled to {}x{}.",
                                      (*frame)->picture.format.width, (*frame)->picture.format.height));
    next_frame = (*frame)->index + 1;
    if (is_first) {
      graph::FrameInfo& flags = decoding_notes.first_flags;
      flags.interlaced = (*frame)->interlaced;
      flags.top_field_first = (*frame)->top_field_first;
      flags.repeats_field = (*frame)->repeats_field;
      flags.repeated_frames = (*frame)->repeated_frames;
      is_first = false;
    }
    if (!(*frame)->captions.empty()) decoding_notes.has_captions = true;
    decoding_notes.hardware = part.source().hardware();
    meter.decode.units++;
    meter.beat();
    if (!frames.push(**std::move(frame))) return ok_status();
  }
  RETURN_IF_ERROR(note_end(part, decoding_notes));
  decoding_notes.next_output_part = part.next_output_part();
  decoding_notes.frames = next_frame;
  decoding_notes.corrupt_packets = part.source().counters().corrupt_packets;
  if (!decoding_notes.next_output_part) meter.units_total = start.frames_before + next_frame;
  decoding_notes.end_pts = part.end_pts();
  frames.close();
  return ok_status();
}

}  // namespace weft::worker
