// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/encode_stage.h"

#include <utility>

#include "base/fault_point.h"

namespace weft::worker {

EncodeStage::EncodeStage(Parts parts, int64_t next_segment, int64_t outputs)
    : parts_(std::move(parts)), segment_(next_segment), first_output_(outputs) {}

bool EncodeStage::begins_segment(const OutputPicture& picture) const {
  return encoder_ != nullptr && parts_.grid.segment_of(picture.source_frame) != segment_;
}

Status EncodeStage::open_segment() {
  ASSIGN_OR_RETURN(encoder_, media::VideoEncoder::open(parts_.settings, parts_.video));
  ASSIGN_OR_RETURN(writer_, media::SegmentWriter::create(parts_.journal->place(segment_),
                                                         encoder_->header(segment_, first_output_)));
  parts_.meter->segment_end = parts_.grid.first_frame(segment_ + 1);
  return ok_status();
}

Status EncodeStage::encode(const OutputPicture& picture) {
  if (begins_segment(picture)) RETURN_IF_ERROR(finish_segment(false));
  const BusyTime busy(parts_.meter->encode);
  if (encoder_ == nullptr) {
    const int64_t segment = parts_.grid.segment_of(picture.source_frame);
    if (segment != segment_)
      return internal_error("A picture of segment {} comes while segment {} is to begin.", segment, segment_);
    RETURN_IF_ERROR(open_segment());
  }
  encoder_->set_captions(parts_.places->captions.take(picture.source_frame));
  RETURN_IF_ERROR(encoder_->send(picture.view, picture.pts, picture.duration, *writer_));
  outputs_++;
  source_frames_ = picture.source_frame + 1;
  filter_started_ = picture.filter_started;
  parts_.meter->encode.units++;
  parts_.meter->outputs_done = first_output_ + outputs_;
  parts_.meter->source_frames_done = source_frames_;
  parts_.meter->beat();
  return ok_status();
}

Status EncodeStage::finish_segment(bool last) {
  if (encoder_ == nullptr) return internal_error("Segment {} has no pictures.", segment_);
  internal::v1::SegmentRecord record = parts_.record;
  {
    const BusyTime busy(parts_.meter->encode);
    RETURN_IF_ERROR(encoder_->flush(*writer_));
    record.set_first_output(first_output_);
    record.set_outputs(outputs_);
    record.set_source_frames(source_frames_);
    record.set_last(last);
    record.set_filter_started(filter_started_);
    record.set_encoder_threads(parts_.settings.threads);
    if (!last) record.set_checkpoint(parts_.places->checkpoints.take(segment_ + 1));
    *record.mutable_result() = parts_.result();
    FAULT_POINT("worker.segment.before_finish");
    RETURN_IF_ERROR(writer_->finish(record.SerializeAsString()));
    FAULT_POINT("worker.segment.after_finish");
  }
  encoder_.reset();
  writer_.reset();
  segment_++;
  first_output_ += outputs_;
  outputs_ = 0;
  parts_.meter->beat();
  parts_.on_segment(record);
  return ok_status();
}

}  // namespace weft::worker
