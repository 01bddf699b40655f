// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/encode_stage.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/fault_point.h"
#include "server/graph/analysis.h"
#include "server/worker/video/job_part.h"

namespace weft::worker {

EncodeStage::EncodeStage(Parts parts, int64_t segment, int64_t outputs)
    : parts_(std::move(parts)),
      segment_(segment),
      first_output_(outputs),
      frames_counted_(parts_.grid.first_frame(segment)) {}

// Adds the source frames up to `frames_done` to the job's progress.
void EncodeStage::count_frames(int64_t frames_done) {
  parts_.meter->units_done += std::max<int64_t>(frames_done - frames_counted_, 0);
  frames_counted_ = std::max(frames_counted_, frames_done);
  *parts_.frames_left = parts_.grid.first_frame(segment_ + 1) - frames_counted_;
}

bool EncodeStage::begins_segment(const OutputPicture& picture) const {
  return writer_ != nullptr && parts_.grid.segment_of(picture.source_frame) != segment_;
}

Status EncodeStage::open_segment() {
  media::SegmentHeader header;
  header.segment = segment_;
  header.first_frame = first_output_;
  header.encoder = "records";
  if (!parts_.keeps_records) {
    media::EncoderSettings settings = parts_.settings;
    ASSIGN_OR_RETURN(settings.pass, parts_.pass_of(segment_));
    ASSIGN_OR_RETURN(encoder_, media::VideoEncoder::open(settings, parts_.video));
    header = encoder_->header(segment_, first_output_);
  }
  ASSIGN_OR_RETURN(
      writer_, media::SegmentWriter::create(parts_.journal->location(segment_), header, parts_.file_suffix));
  return ok_status();
}

Status EncodeStage::encode(const OutputPicture& picture) {
  if (begins_segment(picture)) RETURN_IF_ERROR(finish_segment(false));
  const BusyTime busy(parts_.meter->encode);
  if (writer_ == nullptr) {
    const int64_t segment = parts_.grid.segment_of(picture.source_frame);
    if (segment != segment_)
      return internal_error("A picture of segment {} comes while segment {} is to begin.", segment, segment_);
    RETURN_IF_ERROR(open_segment());
  }
  RETURN_IF_ERROR(write(picture));
  outputs_++;
  duration_ += picture.duration;
  source_frames_ = picture.source_frame + 1;
  parts_.meter->encode.units++;
  parts_.meter->outputs_done++;
  count_frames(source_frames_);
  parts_.meter->beat();
  return ok_status();
}

Status EncodeStage::write(const OutputPicture& picture) {
  if (parts_.keeps_records) {
    const graph::RecordTimes times{picture.pts, picture.duration};
    std::vector<uint8_t> bytes(sizeof(times) + picture.record.size());
    std::memcpy(bytes.data(), &times, sizeof(times));
    std::memcpy(bytes.data() + sizeof(times), picture.record.data(), picture.record.size());
    return writer_->add({picture.pts, picture.duration, true, 0}, bytes);
  }
  const bool has_captions = picture.captions != nullptr && picture.source_frame != captioned_;
  encoder_->set_captions(has_captions ? *picture.captions : std::string());
  captioned_ = picture.source_frame;
  return encoder_->send(picture.view, picture.pts, picture.duration, *writer_);
}

void EncodeStage::write_first_pass(internal::v1::FirstPassRecord& record) const {
  const media::PassBits bits = encoder_->pass_bits();
  record.set_texture_bits(bits.texture);
  record.set_motion_bits(bits.motion);
  record.set_other_bits(bits.other);
  record.set_duration(duration_);
}

Status EncodeStage::finish_segment(bool last) {
  if (writer_ == nullptr) return internal_error("Segment {} has no pictures.", segment_);
  internal::v1::SegmentRecord record = parts_.record;
  {
    const BusyTime busy(parts_.meter->encode);
    if (encoder_ != nullptr) RETURN_IF_ERROR(encoder_->flush(*writer_));
    if (parts_.settings.pass.number == 1) write_first_pass(*record.mutable_first_pass());
    record.set_first_output(first_output_);
    record.set_outputs(outputs_);
    if (last) source_frames_ = parts_.decoding_notes->frames;
    record.set_source_frames(source_frames_);
    record.set_last(last);
    if (last && parts_.decoding_notes->end_pts)
      record.mutable_part()->set_end_pts(*parts_.decoding_notes->end_pts);
    if (last && parts_.decoding_notes->next_output_part)
      write_output_part(*parts_.decoding_notes->next_output_part, *record.mutable_next_output_part());
    if (!last) record.set_filter_state(parts_.state_after(parts_.grid.decode_from(segment_ + 1)));
    record.set_hardware_decoder(parts_.decoding_notes->hardware);
    record.set_encoder_threads(parts_.settings.threads);
    int64_t corrupt_packets = parts_.decoding_notes->corrupt_packets;
    if (!last) {
      Checkpoints::Entry next = parts_.decoding_notes->checkpoints.take(segment_ + 1);
      record.set_checkpoint(std::move(next.checkpoint));
      corrupt_packets = next.corrupt_packets;
    }
    record.set_corrupt_packets(corrupt_packets - std::exchange(parts_.corrupt_before, corrupt_packets));
    parts_.meter->corrupt_packets += record.corrupt_packets();
    if (parts_.start) *record.mutable_start() = *std::exchange(parts_.start, std::nullopt);
    count_frames(last ? source_frames_ : parts_.grid.first_frame(segment_ + 1));
    *record.mutable_result() = parts_.result();
    if (last)
      for (const std::string& note : parts_.decoding_notes->end_notes)
        record.mutable_result()->add_notes(note);
    FAULT_POINT("worker.segment.before_finish");
    RETURN_IF_ERROR(writer_->finish(record.SerializeAsString()));
    FAULT_POINT("worker.segment.after_finish");
  }
  encoder_.reset();
  writer_.reset();
  const int64_t finished = segment_++;
  first_output_ += outputs_;
  outputs_ = 0;
  duration_ = 0;
  parts_.meter->beat();
  parts_.on_segment(finished, record);
  return ok_status();
}

}  // namespace weft::worker
