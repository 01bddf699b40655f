// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/source/video_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/media/hdr10.h"
#include "server/media/pixel_format.h"
#include "server/media/read/packets/random_access.h"
#include "server/media/read/pictures/field_order.h"
#include "server/media/read/probe/facts.h"
#include "server/media/read/source/ffmpeg_source.h"

namespace weft::media {

namespace {

constexpr int64_t kDiscontinuitySeconds = 10;

bool is_corrupt(const AVFrame& frame) {
  return (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame.decode_error_flags != 0;
}

}  // namespace

Status FfmpegSource::start(Mode mode, int reorder_frames) {
  ASSIGN_OR_RETURN(demuxer_, Demuxer::open(file_, options_.programme));
  ASSIGN_OR_RETURN(
      decoder_, VideoDecoder::open(demuxer_->video(), {.threads = options_.threads,
                                                       .hardware = options_.hardware && mode == Mode::kFast,
                                                       .cuda_ordinal = options_.cuda_ordinal,
                                                       .fetch = options_.fetch,
                                                       .keeps_frames = options_.keeps_frames,
                                                       .reorder_frames = reorder_frames,
                                                       .careful = mode == Mode::kCareful}));
  packet_.reset(av_packet_alloc());
  frame_.reset(av_frame_alloc());
  if (!packet_ || !frame_) return resource_exhausted("There is no memory to decode ({}).", file_->name());
  pairs_ = FieldPairs(demuxer_->video().codecpar->codec_id);
  pairs_.set_order(facts_.video.field_order != ScanOrder::kBottomFirst);
  changes_.start({facts_.video.format.width, facts_.video.format.height, facts_.video.sample_aspect_ratio,
                  facts_.video.colour},
                 options_.on_size_change == OnSizeChange::kSplits);
  sequence_ = {};
  drains_ = false;
  failure_ = ok_status();
  next_index_ = last_pts_ = repaired_timestamps_ = damaged_packets_ = 0;
  first_clock_.reset();
  packets_without_frame_ = 0;
  jump_pts_.reset();
  waits_for_random_access_ = leading_may_follow_ = false;
  leading_before_.reset();
  recent_.clear();
  anchors_.clear();
  mode_ = mode;
  damage_seen_ = packet_damaged_ = packet_is_anchor_ = false;
  errors_seen_ = last_damage_index_ = 0;
  anchors_since_damage_ = 0;
  phase_is_set_ = phase_is_due_ = false;
  phase_anchor_.reset();
  return ok_status();
}

StatusOr<std::optional<SourceFrame>> FfmpegSource::next() {
  if (settling_ && options_.alive) RETURN_IF_ERROR(options_.alive());
  RETURN_IF_ERROR(failure_);
  auto frame = next_in_mode();
  if (!frame.ok()) failure_ = frame.status();
  return frame;
}

StatusOr<std::optional<SourceFrame>> FfmpegSource::next_in_mode() {
  if (mode_ == Mode::kCareful && !settling_ && intact_for_long()) RETURN_IF_ERROR(close_phase());
  StatusOr<bool> decoded = decode();
  if (mode_ == Mode::kFast && damage_seen_ && !settling_ && !decoder_->hardware()) {
    RETURN_IF_ERROR(open_phase());
    decoded = decode();
  }
  if (phase_is_due_ && !settling_) {
    RETURN_IF_ERROR(restart_phase(place()));
    decoded = decode();
  }
  RETURN_IF_ERROR(decoded.status());
  if (*decoded) return make_frame();
  if (next_index_ > 0) return std::optional<SourceFrame>();
  return data_loss("The input ({}) ends without a frame that can be decoded.", file_->name());
}

// Into frame_; false at the end.
StatusOr<bool> FfmpegSource::decode() {
  if (!facts_.video.woven) return decode_picture();
  while (!pairs_.pop(*frame_)) {
    ASSIGN_OR_RETURN(const bool more, decode_picture());
    if (more) {
      RETURN_IF_ERROR(pairs_.push(*frame_));
      continue;
    }
    RETURN_IF_ERROR(pairs_.finish());
    return pairs_.pop(*frame_);
  }
  return true;
}

StatusOr<bool> FfmpegSource::decode_picture() {
  while (true) {
    const int received = decoder_->receive(*frame_);
    look_for_damage(received);
    if (received >= 0) {
      packets_without_frame_ = 0;
      return true;
    }
    if (received == AVERROR_EOF && !std::exchange(drains_, false)) return false;
    if (received == AVERROR_EOF) {
      decoder_->reset();
      RETURN_IF_ERROR(send_packet());
      continue;
    }
    if (received == AVERROR(ENOMEM)) return no_memory_for("decoding", file_->name());
    RETURN_IF_ERROR(received == AVERROR(EAGAIN) ? feed() : check_patience());
  }
}

// Gives the decoder the next packet of the video.
Status FfmpegSource::feed() {
  while (true) {
    ASSIGN_OR_RETURN(const bool more, demuxer_->read(*packet_));
    if (!more) {
      decoder_->send(nullptr);
      return ok_status();
    }
    if (packet_->stream_index != facts_.video.stream) continue;
    if (next_index_ == 0 && !first_clock_)
      first_clock_ = av_rescale_q(demuxer_->clock(), kMicroseconds, demuxer_->video().time_base);
    if (demuxer_->jumped()) jump_pts_ = packet_->dts != AV_NOPTS_VALUE ? packet_->dts : packet_->pts;
    note_anchor();
    if (!waits_for_random_access_) break;
  }
  drains_ = sequence_.comes_with(*packet_, demuxer_->video().codecpar->codec_id);
  if (!drains_) return send_packet();
  decoder_->send(nullptr);
  return ok_status();
}

Status FfmpegSource::send_packet() {
  RETURN_IF_ERROR(check_patience());
  packet_damaged_ = false;
  if ((packet_->flags & AV_PKT_FLAG_CORRUPT) != 0) note_damage();
  const int sent = decoder_->send(packet_.get(), is_leading_packet());
  look_for_damage(sent);
  if (sent == AVERROR(ENOMEM)) return no_memory_for("decoding", file_->name());
  return ok_status();
}

Status FfmpegSource::check_patience() {
  if (++packets_without_frame_ <= options_.max_bad_packets) return ok_status();
  return data_loss(
      "The input ({}) gives no frame for {} packets in a row (after frame {}); it is damaged from there on.",
      file_->name(), options_.max_bad_packets, next_index_);
}

void FfmpegSource::note_damage() {
  damage_seen_ = true;
  last_damage_index_ = next_index_;
  anchors_since_damage_ = 0;
  if (packet_damaged_) return;
  packet_damaged_ = true;
  if (mode_ == Mode::kFast && !decoder_->hardware()) return;  // will be counted when it is decoded carefully
  damaged_packets_++;
  if (packet_is_anchor_) anchors_.pop_back();
  packet_is_anchor_ = false;
  if (mode_ == Mode::kCareful && !phase_is_set_ && !phase_is_due_) find_phase_anchor();
}

// After a call of the decoder, which returned `result`.
void FfmpegSource::look_for_damage(int result) {
  const bool failed = result < 0 && result != AVERROR(EAGAIN) && result != AVERROR_EOF;
  const bool complained = decoder_->errors() != errors_seen_;
  const bool leading = result >= 0 && leading_before_ && frame_->pts < *leading_before_;
  const bool concealed = result >= 0 && mode_ == Mode::kFast && is_corrupt(*frame_) && !leading;
  errors_seen_ = decoder_->errors();
  if (failed || complained || concealed) note_damage();
}

// They stand between the packet at which decoding began and the next that is shown after it.
bool FfmpegSource::is_leading_packet() {
  if (!leading_may_follow_) return false;
  const bool leading = packet_->pts != AV_NOPTS_VALUE && packet_->pts < *leading_before_;
  leading_may_follow_ = leading || packet_->pts == *leading_before_;
  return leading;
}

void FfmpegSource::note_anchor() {
  packet_is_anchor_ = false;
  if (packet_->pts == AV_NOPTS_VALUE || !is_random_access(*packet_, *demuxer_->video().codecpar)) return;
  if (waits_for_random_access_) {
    leading_before_ = packet_->pts;
    leading_may_follow_ = true;
  }
  waits_for_random_access_ = false;
  packet_is_anchor_ = true;
  anchors_since_damage_++;
  anchors_.push_back({.position = packet_->pos,
                      .pts = packet_->pts,
                      .dts = packet_->dts != AV_NOPTS_VALUE ? packet_->dts : packet_->pts,
                      .clock = demuxer_->repair_state()});
  // Kept: those that a checkpoint after the frames seen so far could use, and all newer ones.
  while (anchors_.size() > kKeptAnchors && !recent_.empty() &&
         anchors_[kKeptAnchors].pts <= recent_.front().pts)
    anchors_.pop_front();
}

int64_t FfmpegSource::duration_of_frame() const {
  const Ratio rate = facts_.video.frame_rate;
  if (frame_->pkt_duration > 0) return frame_->pkt_duration;  // Demuxer has checked it
  if (!rate.known()) return 1;
  return std::max<int64_t>(1, av_rescale_q(1, {rate.den, rate.num}, to_av(facts_.video.time_base)));
}

// The frame's time after repair: one frame later where it is missing, half a frame later where it does not rise. The first follows the
// programme's clock.
int64_t FfmpegSource::place_in_time(int64_t raw, int64_t duration) {
  if (next_index_ == 0) return raw != AV_NOPTS_VALUE ? raw : first_clock_.value_or(0);
  if (raw != AV_NOPTS_VALUE && raw > last_pts_) return raw;
  repaired_timestamps_++;
  return last_pts_ + (raw == AV_NOPTS_VALUE ? duration : std::max<int64_t>(1, duration / 2));
}

// As players show it.
double FfmpegSource::seconds_of(int64_t pts) const {
  return double(pts) * facts_.video.time_base.value() - std::chrono::duration<double>(facts_.start).count();
}

// Of another format than the first frame's.
Status FfmpegSource::check_format(const VideoFormat& format, int64_t pts) const {
  const VideoFormat& expected = facts_.video.format;
  const bool is_size_alone = format.chroma == expected.chroma && format.bit_depth == expected.bit_depth;
  if (is_size_alone && options_.on_size_change != OnSizeChange::kFails) return ok_status();
  return invalid_argument(
      "The video changes from {}x{} {} to {}x{} {} at frame {} ({:.3f} s); cut the file there and submit the "
      "pieces{}.",
      expected.width, expected.height, describe(expected), format.width, format.height, describe(format),
      next_index_, seconds_of(pts),
      is_size_alone ? ", or choose what becomes of later pictures (on_size_change scale, split)" : "");
}

void FfmpegSource::look_for_changes(int64_t pts) {
  const PictureLook look{frame_->width, frame_->height, aspect_of(*demuxer_, *frame_), colour_of(*frame_)};
  if (settling_) return changes_.pass(look);
  changes_.look(look, next_index_, seconds_of(pts));
}

StatusOr<SourceFrame> FfmpegSource::make_frame() {
  const auto stored = AVPixelFormat(frame_->format);
  ASSIGN_OR_RETURN(const VideoFormat format, check_picture(stored, frame_->width, frame_->height));
  SourceFrame result;
  result.picture.format = format;
  result.index = next_index_;
  const int64_t raw = frame_->pts != AV_NOPTS_VALUE ? frame_->pts : frame_->pkt_dts;
  result.duration = duration_of_frame();
  result.pts = place_in_time(raw, result.duration);
  if (format != facts_.video.format) RETURN_IF_ERROR(check_format(format, result.pts));
  look_for_changes(result.pts);
  const int64_t gap = av_rescale_q(kDiscontinuitySeconds, {1, 1}, to_av(facts_.video.time_base));
  result.discontinuity =
      (next_index_ > 0 && result.pts - last_pts_ > gap) || (jump_pts_ && result.pts >= *jump_pts_);
  if (result.discontinuity) jump_pts_.reset();
  const FrameFields fields = fields_of(*frame_, *demuxer_->video().codecpar);
  result.interlaced = fields.interlaced;
  result.top_field_first = fields.top_first;
  result.repeats_field = frame_->repeat_pict > 0;
  result.key = frame_->key_frame != 0;
  result.corrupt = is_corrupt(*frame_);
  if (const AVFrameSideData* captions = av_frame_get_side_data(frame_.get(), AV_FRAME_DATA_A53_CC))
    result.captions.assign(reinterpret_cast<const char*>(captions->data), captions->size);

  if (dynamic_hdr_.empty()) dynamic_hdr_ = dynamic_hdr_of(*frame_);

  if (facts_.video.woven && pairs_.was_alone() && !settling_ && lone_fields_++ == 0)
    first_lone_ = next_index_;
  const int64_t position = frame_->pkt_pos;
  RETURN_IF_ERROR(hold_samples(result));
  next_index_++;
  last_pts_ = result.pts;
  if (recent_.size() == kSeenFrames) recent_.pop_front();
  recent_.push_back({.frame = result, .pts = raw, .position = position});
  return result;
}

// Lets `result` own the samples of frame_, as planes, or where they are on the GPU.
Status FfmpegSource::hold_samples(SourceFrame& result) {
  result.kept = decoder_->take_kept();
  if (decoder_->hardware()) (result.kept != nullptr ? frames_kept_ : frames_fetched_)++;
  if (result.kept != nullptr) return ok_status();
  Status no_memory = resource_exhausted("There is no memory for a frame ({}).", file_->name());
  if (is_planar(AVPixelFormat(frame_->format))) {
    const std::shared_ptr<AVFrame> owner(av_frame_alloc(), ReleaseByAddress<av_frame_free>());
    if (!owner) return no_memory;
    av_frame_move_ref(owner.get(), frame_.get());
    for (size_t plane = 0; plane < 3; plane++) {
      result.picture.plane[plane] = owner->data[plane];
      result.picture.stride_bytes[plane] = owner->linesize[plane];
    }
    result.owner = owner;
    return ok_status();
  }
  const PackedLayout layout = layout_planes(result.picture.format);
  if (!repacked_ || repacked_bytes_ != layout.bytes)
    repacked_.reset(av_buffer_pool_init(layout.bytes, nullptr));
  repacked_bytes_ = layout.bytes;
  const std::shared_ptr<AVBufferRef> owner(repacked_ ? av_buffer_pool_get(repacked_.get()) : nullptr,
                                           [](AVBufferRef* buffer) { av_buffer_unref(&buffer); });
  if (!owner) return no_memory;
  for (size_t plane = 0; plane < size_t(result.picture.format.planes()); plane++) {
    result.picture.plane[plane] = owner->data + layout.offset[plane];
    result.picture.stride_bytes[plane] = layout.stride_bytes[plane];
  }
  unpack(*frame_, result.picture);
  result.owner = owner;
  return ok_status();
}

std::vector<std::string> FfmpegSource::notes() const {
  std::vector<std::string> notes = notes_;
  if (!decoder_->note().empty()) notes.push_back(decoder_->note());
  if (decoder_->hardware()) notes.push_back("NVDEC decodes.");
  if (frames_kept_ > 0)
    notes.push_back(
        fmt::format("Frames stay on the GPU from the decoder to the filter ({}; through memory: {}).",
                    frames_kept_, frames_fetched_));
  if (facts_.video.repacked)
    notes.push_back(fmt::format("The samples are stored as {}; they are repacked without change.",
                                facts_.video.pixel_format));
  if (facts_.video.woven)
    notes.push_back(
        "The stream codes each field as a picture; two are woven to a frame, and the CPU decodes.");
  if (lone_fields_ > 0)
    notes.push_back(fmt::format(
        "Fields without their partner fill both fields of a frame (frames: {}, from frame {} on).",
        lone_fields_, first_lone_));
  if (!dynamic_hdr_.empty())
    notes.push_back(
        fmt::format("The {} metadata, which change from frame to frame, are left out; what is the same for "
                    "all frames stays.",
                    dynamic_hdr_));
  if (const int64_t damaged = counters().corrupt_packets; damaged > 0)
    notes.push_back(fmt::format("Damage was concealed (packets: {}).", damaged));
  if (repaired_timestamps_ > 0)
    notes.push_back(
        fmt::format("Missing or falling timestamps were repaired (frames: {}).", repaired_timestamps_));
  return notes;
}

StatusOr<std::unique_ptr<VideoSource>> VideoSource::open(InputFilePtr file, const SourceOptions& options) {
  ASSIGN_OR_RETURN(const auto examined, Demuxer::open(file, options.programme));
  ASSIGN_OR_RETURN(MediaFacts facts, gather_facts(*examined));
  SourceOptions possible = options;
  possible.hardware = options.hardware && !facts.video.woven;  // fields on a GPU are not woven
  auto source = std::make_unique<FfmpegSource>(std::move(file), possible, std::move(facts));
  RETURN_IF_ERROR(source->start(FfmpegSource::Mode::kFast, 0));
  return source;
}

}  // namespace weft::media
