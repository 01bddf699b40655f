// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/source/picture_stream.h"

#include <algorithm>
#include <utility>

#include "server/media/read/packets/random_access.h"

namespace weft::media {

namespace {

// Decoding is fast again after this number of frames without damage, with at least kIntactAnchors
// anchors among them.
constexpr int64_t kIntactFrames = 250;
constexpr size_t kIntactAnchors = 4;

}  // namespace

bool is_corrupt(const AVFrame& frame) {
  return (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame.decode_error_flags != 0;
}

StatusOr<std::unique_ptr<PictureStream>> PictureStream::open(const InputFilePtr& file,
                                                             const SourceOptions& options,
                                                             const VideoInfo& video, const Start& start,
                                                             SeekHistory& history) {
  std::unique_ptr<PictureStream> stream(new PictureStream(options, video, start.mode, history));
  ASSIGN_OR_RETURN(stream->demuxer_, Demuxer::open(file, options.programme));
  const AVStream& packets = stream->demuxer_->video();
  ASSIGN_OR_RETURN(stream->decoder_,
                   VideoDecoder::open(packets, {.threads = options.threads,
                                                .hardware = options.hardware && start.mode == Mode::kFast,
                                                .cuda_ordinal = options.cuda_ordinal,
                                                .fetch = options.fetch,
                                                .keeps_frames = options.keeps_frames,
                                                .reorder_frames = start.reorder_frames,
                                                .careful = start.mode == Mode::kCareful,
                                                .quantisers = options.quantisers}));
  stream->packet_.reset(av_packet_alloc());
  stream->picture_.reset(av_frame_alloc());
  if (!stream->packet_ || !stream->picture_)
    return resource_exhausted("There is no memory to decode ({}).", file->name());
  stream->pairs_ = FieldPairs(packets.codecpar->codec_id);
  stream->pairs_.set_order(video.field_order != ScanOrder::kBottomFirst);
  return stream;
}

bool PictureStream::seek(const SourceCheckpoint::Anchor& anchor) {
  if (!demuxer_->seek(anchor.position, anchor.pts, anchor.dts, anchor.clock)) return false;
  waits_for_random_access_ = true;
  return true;
}

StatusOr<bool> PictureStream::next(int64_t index) {
  index_ = index;
  if (!video_.woven) return decode();
  while (!pairs_.pop(*picture_)) {
    ASSIGN_OR_RETURN(const bool more, decode());
    if (more) {
      RETURN_IF_ERROR(pairs_.push(*picture_));
      continue;
    }
    RETURN_IF_ERROR(pairs_.finish());
    return pairs_.pop(*picture_);
  }
  return true;
}

// Decodes the next coded picture into picture_. Returns false at the end.
StatusOr<bool> PictureStream::decode() {
  while (true) {
    const int received = decoder_->receive(*picture_);
    detect_damage(received);
    if (received >= 0) {
      packets_without_picture_ = 0;
      return true;
    }
    if (received == AVERROR_EOF && !std::exchange(drains_, false)) return false;
    if (received == AVERROR_EOF) {
      decoder_->reset();
      RETURN_IF_ERROR(send_packet());
      continue;
    }
    if (received == AVERROR(ENOMEM)) return no_memory_for("decoding", demuxer_->file().name());
    RETURN_IF_ERROR(received == AVERROR(EAGAIN) ? feed() : check_patience());
  }
}

// Sends the next packet of the video to the decoder.
Status PictureStream::feed() {
  while (true) {
    ASSIGN_OR_RETURN(const bool more, demuxer_->read(*packet_));
    if (!more) {
      decoder_->send(nullptr);
      return ok_status();
    }
    if (packet_->stream_index != video_.stream) continue;
    if (!first_clock_)
      first_clock_ = av_rescale_q(demuxer_->clock(), kMicroseconds, demuxer_->video().time_base);
    note_jump();
    note_anchor();
    if (!waits_for_random_access_) break;
  }
  drains_ = sequence_.comes_with(*packet_, demuxer_->video().codecpar->codec_id);
  if (!drains_) return send_packet();
  decoder_->send(nullptr);
  return ok_status();
}

// Pictures before a jump are shown up to the latest time of their packets, which is after the
// decoding time of the packet after the jump.
void PictureStream::note_jump() {
  const bool has_pts = packet_->pts != AV_NOPTS_VALUE;
  if (demuxer_->jumped()) {
    jump_pts_ = has_pts ? packet_->pts : packet_->dts;
    if (latest_pts_) jump_pts_ = std::min(*jump_pts_, *latest_pts_ + 1);
  }
  if (has_pts) latest_pts_ = std::max(latest_pts_.value_or(packet_->pts), packet_->pts);
}

Status PictureStream::send_packet() {
  RETURN_IF_ERROR(check_patience());
  damage_.is_in_packet = false;
  if ((packet_->flags & AV_PKT_FLAG_CORRUPT) != 0) note_damage();
  const int sent = decoder_->send(packet_.get(), is_leading_packet());
  detect_damage(sent);
  if (sent == AVERROR(ENOMEM)) return no_memory_for("decoding", demuxer_->file().name());
  return ok_status();
}

Status PictureStream::check_patience() {
  if (++packets_without_picture_ <= options_.max_bad_packets) return ok_status();
  return data_loss(
      "The input ({}) gives no frame for {} packets in a row (after frame {}); it is damaged from there on.",
      demuxer_->file().name(), options_.max_bad_packets, index_);
}

void PictureStream::note_anchor() {
  packet_is_anchor_ = false;
  if (packet_->pts == AV_NOPTS_VALUE || !is_random_access(*packet_, *demuxer_->video().codecpar)) return;
  if (waits_for_random_access_) {
    leading_before_ = packet_->pts;
    leading_may_follow_ = true;
  }
  waits_for_random_access_ = false;
  packet_is_anchor_ = true;
  damage_.anchors_since++;
  history_.add(anchor_at(*packet_, *demuxer_));
}

// Returns true for packets between the start of decoding and the first packet that is shown after
// it. Their pictures are shown before the start.
bool PictureStream::is_leading_packet() {
  if (!leading_may_follow_) return false;
  const bool leading = packet_->pts != AV_NOPTS_VALUE && packet_->pts < *leading_before_;
  leading_may_follow_ = leading || packet_->pts == *leading_before_;
  return leading;
}

void PictureStream::note_damage() {
  damage_.is_seen = true;
  damage_.last_index = index_;
  damage_.anchors_since = 0;
  if (damage_.is_in_packet) return;
  damage_.is_in_packet = true;
  // It is counted when its packets are decoded carefully.
  if (mode_ == Mode::kFast && !decoder_->hardware()) return;
  damage_.packets++;
  if (packet_is_anchor_) history_.drop_anchor();
  packet_is_anchor_ = false;
  if (mode_ == Mode::kCareful && !damage_.first) damage_.first = FirstDamage{history_.phase_anchor()};
}

// Detects damage after a call of the decoder that returned `result`.
void PictureStream::detect_damage(int result) {
  const bool failed = result < 0 && result != AVERROR(EAGAIN) && result != AVERROR_EOF;
  const bool complained = decoder_->errors() != damage_.errors;
  const bool leading = result >= 0 && leading_before_ && picture_->pts < *leading_before_;
  const bool concealed = result >= 0 && mode_ == Mode::kFast && is_corrupt(*picture_) && !leading;
  damage_.errors = decoder_->errors();
  if (failed || complained || concealed) note_damage();
}

bool PictureStream::intact_for_long(int64_t index) const {
  return index - damage_.last_index >= kIntactFrames && damage_.anchors_since >= kIntactAnchors;
}

}  // namespace weft::media
