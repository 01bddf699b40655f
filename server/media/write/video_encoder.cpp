// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/video_encoder.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <span>

#include "server/media/encoder_session.h"
#include "server/media/pixel_format.h"
#include "server/media/write/duration_bits.h"
#include "server/media/write/encoder_clock.h"
#include "server/media/write/encoder_table.h"
#include "server/media/write/pass_files.h"
#include "server/media/write/rate_buffer.h"
#include "server/media/write/widen.h"

namespace weft::media {

namespace {

// Shares code between both kinds of encoder: settings, header, times of the frames sent.
class EncoderBase : public VideoEncoder {
 public:
  EncoderBase(const EncoderEntry& entry, const EncoderSettings& settings, const OutputVideo& video)
      : entry_(entry), video_(video), settings_(settings_text(entry, settings)) {}

  SegmentHeader header(int64_t segment, int64_t first_frame) const override {
    SegmentHeader header;
    header.segment = segment;
    header.first_frame = first_frame;
    header.encoder = entry_.name;
    header.settings = settings_;
    header.codec = entry_.codec == AV_CODEC_ID_NONE ? "" : avcodec_get_name(entry_.codec);
    header.format = video_.format;
    const char* const stored = av_get_pix_fmt_name(planar_format(video_.format));
    header.pixel_format = stored != nullptr ? stored : "";
    header.time_base = video_.time_base;
    header.frame_rate = video_.frame_rate;
    header.sample_aspect_ratio = video_.sample_aspect_ratio;
    header.field_order = video_.field_order;
    header.colour = video_.colour;
    header.hdr10 = video_.hdr10;
    return header;
  }

 protected:
  Status check(const PictureView& picture, int64_t pts, int64_t duration) {
    if (picture.format != video_.format)
      return internal_error("The encoder got a picture of {}x{} {}, not of {}x{} {}.", picture.format.width,
                            picture.format.height, describe(picture.format), video_.format.width,
                            video_.format.height, describe(video_.format));
    if (duration < 1 || (!times_.empty() && pts <= times_.back().pts))
      return internal_error("The encoder got a frame whose time does not rise (pts {}, duration {}).", pts,
                            duration);
    times_.push_back({.pts = pts, .duration = duration});
    return ok_status();
  }

  const EncoderEntry& entry_;
  const OutputVideo video_;
  const std::string settings_;
  std::vector<SegmentPacket> times_;  // times of the frames sent, by frame number in the segment
};

// Implements "raw", which writes the samples with packed planes and rows, and "null", which writes
// empty packets.
class PlainEncoder final : public EncoderBase {
 public:
  using EncoderBase::EncoderBase;

  Status send(const PictureView& picture, int64_t pts, int64_t duration, SegmentWriter& writer) override {
    RETURN_IF_ERROR(check(picture, pts, duration));
    if (entry_.codec == AV_CODEC_ID_RAWVIDEO) copy_samples(picture);
    return writer.add({.pts = pts, .duration = duration, .key = true}, samples_);
  }
  void set_captions(std::string) override {}
  Status flush(SegmentWriter&) override { return ok_status(); }
  PassBits pass_bits() const override { return {}; }

 private:
  void copy_samples(const PictureView& picture) {
    const VideoFormat& format = picture.format;
    samples_.resize(format.packed_bytes());
    uint8_t* target = samples_.data();
    for (int plane = 0; plane < format.planes(); plane++) {
      const size_t row_bytes = size_t(format.plane_width(plane)) * size_t(format.sample_bytes());
      for (int row = 0; row < format.plane_height(plane); row++, target += row_bytes)
        std::copy_n(picture.plane[size_t(plane)] + row * picture.stride_bytes[size_t(plane)], row_bytes,
                    target);
    }
  }

  std::vector<uint8_t> samples_;
};

class FfmpegEncoder final : public EncoderBase {
 public:
  using EncoderBase::EncoderBase;
  ~FfmpegEncoder() override;

  Status start(const EncoderSettings& settings);
  SegmentHeader header(int64_t segment, int64_t first_frame) const override;
  Status send(const PictureView& picture, int64_t pts, int64_t duration, SegmentWriter& writer) override;
  void set_captions(std::string captions) override { captions_ = std::move(captions); }
  Status flush(SegmentWriter& writer) override;
  PassBits pass_bits() const override { return pass_bits_; }

 private:
  bool is_first_pass() const { return pass_.number == 1; }
  // Returns the format of the encoded frames.
  VideoFormat stored_format() const {
    return *format_of(context_->pix_fmt, video_.format.width, video_.format.height);
  }
  void describe_video();
  void end_early();
  Status open(const AVCodec& codec, const EncoderSettings& settings);
  Status make_frame();
  Status attach_captions();
  Status encode(const AVFrame& frame, SegmentWriter& writer);
  Status take_packets(SegmentWriter& writer);
  Status write_statistics(SegmentWriter& writer);
  Status failed(int result, std::string_view doing, const LogScope& log) const;

  CodecPtr context_;
  FramePtr frame_;
  PacketPtr packet_;
  std::optional<Widener> widener_;  // converts pictures that the encoder does not accept unchanged
  // holds frames until their offsets are known
  std::optional<DurationBits> duration_bits_;
  std::optional<EncoderClock> clock_;
  std::string captions_;  // captions of the next picture
  int64_t packets_ = 0;
  EncoderPass pass_;                       // without statistics
  std::unique_ptr<PassFiles> pass_files_;  // null if there is one pass
  PassBits pass_bits_;
  std::optional<EncoderSession> session_;  // empty for a software encoder
  bool opened_ = false;
  bool flushed_ = false;
};

// Locks the opening and closing of SVT-AV1 encoders. SVT-AV1 1.4 keeps a list of the machine's
// processors in memory that all encoders share: each encoder writes the list when it is opened and
// frees it when it is closed.
std::unique_lock<std::mutex> keep_others_out(const EncoderEntry& entry) {
  static std::mutex mutex;
  return entry.codec == AV_CODEC_ID_AV1 ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
}

FfmpegEncoder::~FfmpegEncoder() {
  if (opened_ && !flushed_) end_early();
  const auto alone = keep_others_out(entry_);
  context_.reset();
}

// Ends the stream before SVT-AV1 is closed. SVT-AV1 blocks forever when it is closed without an end
// of stream, or with an end of stream and no frame.
void FfmpegEncoder::end_early() {
  if (entry_.codec != AV_CODEC_ID_AV1) return;
  const LogScope log;
  if (times_.empty() && make_frame().ok()) avcodec_send_frame(context_.get(), frame_.get());
  avcodec_send_frame(context_.get(), nullptr);
  while (avcodec_receive_packet(context_.get(), packet_.get()) >= 0) av_packet_unref(packet_.get());
}

Status FfmpegEncoder::start(const EncoderSettings& settings) {
  ASSIGN_OR_RETURN(const AVPixelFormat pixel_format, choose_pixel_format(entry_, video_.format));
  const AVCodec* codec = avcodec_find_encoder_by_name(std::string(entry_.ffmpeg_name).c_str());
  context_.reset(avcodec_alloc_context3(codec));
  frame_.reset(av_frame_alloc());
  packet_.reset(av_packet_alloc());
  if (!context_ || !frame_ || !packet_)
    return resource_exhausted("There is no memory for the encoder {}.", entry_.name);
  context_->pix_fmt = pixel_format;
  if (stored_format() != video_.format) widener_.emplace(video_);
  context_->thread_count = settings.threads > 0 ? settings.threads : default_encoder_threads();
  context_->flags |=
      // stores parameter sets apart from packets; the container chooses their place
      AV_CODEC_FLAG_GLOBAL_HEADER;
  describe_video();
  return open(*codec, settings);
}

void FfmpegEncoder::describe_video() {
  const Ratio rate = video_.encoder_rate();
  context_->width = video_.format.width;
  context_->height = video_.format.height;
  clock_.emplace(video_, entry_.reads_times);
  context_->time_base = clock_->time_base();
  context_->ticks_per_frame = clock_->ticks_per_frame();
  context_->framerate = to_av(rate);
  context_->sample_aspect_ratio = to_av(video_.sample_aspect_ratio);
  context_->color_primaries = AVColorPrimaries(video_.colour.primaries);
  context_->color_trc = AVColorTransferCharacteristic(video_.colour.transfer);
  context_->colorspace = AVColorSpace(video_.colour.matrix);
  context_->color_range = to_av(video_.colour.range);
  context_->chroma_sample_location = AVChromaLocation(video_.colour.chroma_location);
  context_->field_order = to_av(video_.field_order);
  if (is_interlaced(video_.field_order) && fields_of(entry_, video_.format) == Fields::kCoded)
    context_->flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;
}

// Returns an error if a library ignored an option. Libraries only warn about options that they do
// not support.
Status find_ignored_option(const EncoderEntry& entry, const LogScope& log) {
  for (const LogScope::Line& line : log.lines())
    for (const char* const complaint :
         {"Error parsing option", "Unknown option", "Invalid value for", "bad option"})
      if (line.text.find(complaint) != std::string::npos)
        return invalid_argument("The encoder {} does not take an option ({}); correct it or leave it out.",
                                entry.name, line.text);
  return ok_status();
}

Status FfmpegEncoder::open(const AVCodec& codec, const EncoderSettings& settings) {
  Dictionary options;
  if (codec.id == AV_CODEC_ID_FFV1)
    options.set("slices",
                std::to_string(ffv1_slices(context_->pix_fmt, video_.format.width, video_.format.height)));
  RETURN_IF_ERROR(collect_options(entry_, settings, video_.hdr10, options));
  RETURN_IF_ERROR(set_rate_buffer(entry_, settings, video_, options));
  if (entry_.on_gpu && settings.gpu >= 0 && options.find("gpu") == nullptr)
    options.set("gpu", std::to_string(settings.gpu));
  if (entry_.takes_offsets && settings.duration_weight > 0 && video_.least_duration > 0)
    duration_bits_.emplace(settings.duration_weight, video_.least_duration);
  if (settings.pass.number > 0) {
    pass_ = {.number = settings.pass.number, .mean_rate = settings.pass.mean_rate};
    pass_files_ = std::make_unique<PassFiles>(entry_, settings.pass.folder);
    RETURN_IF_ERROR(pass_files_->prepare(settings, *context_, options));
  }
  const LogScope log;
  const auto alone = keep_others_out(entry_);
  const int result = avcodec_open2(context_.get(), &codec, options.address());
  opened_ = result >= 0;
  if (opened_ && entry_.on_gpu) session_.emplace();
  // avcodec_open2() removes the options that it uses from the dictionary, even on failure.
  if (const AVDictionaryEntry* unknown = options.first(); unknown != nullptr && result >= 0)
    return invalid_argument("The encoder option ({}) is unknown to {}; correct it or leave it out.",
                            unknown->key, entry_.name);
  if (result < 0) return failed(result, "opened", log);
  return find_ignored_option(entry_, log);
}

Status FfmpegEncoder::failed(int result, std::string_view doing, const LogScope& log) const {
  const std::string message = fmt::format("The encoder {} cannot be {} for {}x{} {} pictures: {}{}.",
                                          entry_.name, doing, video_.format.width, video_.format.height,
                                          describe(video_.format), error_text(result), log.remark());
  // NVENC refuses a session with one of several errors, by the version of the driver.
  const bool names_session = message.find("OpenEncodeSession") != std::string::npos ||
                             message.find("out of memory") != std::string::npos;
  if (entry_.on_gpu && doing == "opened" && (names_session || result == AVERROR(ENOMEM)))
    return refused_session(message);
  if (result == AVERROR(ENOMEM)) return make_status(StatusCode::kResourceExhausted, message);
  if (entry_.on_gpu) return make_status(StatusCode::kUnavailable, message);
  return make_status(
      result == AVERROR_EXTERNAL || doing == "opened" ? StatusCode::kInvalidArgument : error_code(result),
      message);
}

SegmentHeader FfmpegEncoder::header(int64_t segment, int64_t first_frame) const {
  SegmentHeader header = EncoderBase::header(segment, first_frame);
  header.format = stored_format();
  header.pixel_format = av_get_pix_fmt_name(context_->pix_fmt);
  header.profile = context_->profile;
  header.level = context_->level;
  header.bit_rate = pass_.number > 0 ? pass_.mean_rate : context_->bit_rate;
  header.extradata.assign(context_->extradata, context_->extradata + context_->extradata_size);
  return header;
}

// Allocates a new frame for send(), because the encoder may still use earlier ones.
Status FfmpegEncoder::make_frame() {
  av_frame_unref(frame_.get());
  frame_->format = context_->pix_fmt;
  frame_->width = context_->width;
  frame_->height = context_->height;
  if (av_frame_get_buffer(frame_.get(), 0) < 0)
    return resource_exhausted("There is no memory for a frame of the encoder {}.", entry_.name);
  frame_->sample_aspect_ratio = context_->sample_aspect_ratio;
  frame_->interlaced_frame = is_interlaced(video_.field_order);
  frame_->top_field_first = video_.field_order == ScanOrder::kTopFirst;
  frame_->color_primaries = context_->color_primaries;
  frame_->color_trc = context_->color_trc;
  frame_->colorspace = context_->colorspace;
  frame_->color_range = context_->color_range;
  frame_->chroma_location = context_->chroma_sample_location;
  return ok_status();
}

Status FfmpegEncoder::attach_captions() {
  const std::string captions = std::exchange(captions_, {});
  if (captions.empty()) return ok_status();
  AVFrameSideData* const data = av_frame_new_side_data(frame_.get(), AV_FRAME_DATA_A53_CC, captions.size());
  if (data == nullptr)
    return resource_exhausted("There is no memory for the captions of a frame ({}).", entry_.name);
  std::copy(captions.begin(), captions.end(), data->data);
  return ok_status();
}

Status FfmpegEncoder::send(const PictureView& picture, int64_t pts, int64_t duration, SegmentWriter& writer) {
  RETURN_IF_ERROR(check(picture, pts, duration));
  RETURN_IF_ERROR(make_frame());
  pack(widener_ ? widener_->widen(picture) : picture, *frame_);
  RETURN_IF_ERROR(attach_captions());
  frame_->pts = clock_->time_of_next(pts);
  frame_->pkt_duration = 1;
  if (!duration_bits_) return encode(*frame_, writer);
  FramePtr frame = std::exchange(frame_, FramePtr(av_frame_alloc()));
  if (!frame_) return resource_exhausted("There is no memory for a frame of the encoder {}.", entry_.name);
  return duration_bits_->add(std::move(frame), duration,
                             [&](const AVFrame& complete) { return encode(complete, writer); });
}

Status FfmpegEncoder::encode(const AVFrame& frame, SegmentWriter& writer) {
  const LogScope log;
  const int result = avcodec_send_frame(context_.get(), &frame);
  if (result < 0) return failed(result, "used", log);
  return take_packets(writer);
}

Status FfmpegEncoder::take_packets(SegmentWriter& writer) {
  while (true) {
    const LogScope log;
    const int result = avcodec_receive_packet(context_.get(), packet_.get());
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return ok_status();
    if (result < 0) return failed(result, "used", log);
    const std::optional<size_t> number = clock_->number_of(packet_->pts);
    if (!number)
      return internal_error("The encoder {} gives a packet of the time {}, at which it got no frame.",
                            entry_.name, packet_->pts);
    SegmentPacket packet = times_[*number];
    packet.key = (packet_->flags & AV_PKT_FLAG_KEY) != 0;
    if (packets_ == 0 && !packet.key)
      return internal_error("The encoder {} begins without a keyframe.", entry_.name);
    if (!is_first_pass()) RETURN_IF_ERROR(writer.add(packet, {packet_->data, size_t(packet_->size)}));
    packets_++;
    av_packet_unref(packet_.get());
  }
}

Status FfmpegEncoder::flush(SegmentWriter& writer) {
  if (duration_bits_)
    RETURN_IF_ERROR(duration_bits_->flush([&](const AVFrame& frame) { return encode(frame, writer); }));
  const LogScope log;
  const int result = avcodec_send_frame(context_.get(), nullptr);
  if (result < 0) return failed(result, "finished", log);
  RETURN_IF_ERROR(take_packets(writer));
  flushed_ = true;
  if (packets_ != int64_t(times_.size()))
    return internal_error("The encoder {} gives {} packets for {} frames.", entry_.name, packets_,
                          times_.size());
  return is_first_pass() ? write_statistics(writer) : ok_status();
}

Status FfmpegEncoder::write_statistics(SegmentWriter& writer) {
  context_.reset();  // the library completes its files when it is closed
  ASSIGN_OR_RETURN(const std::string statistics, pass_files_->read());
  ASSIGN_OR_RETURN(pass_bits_, bits_of(statistics));
  const std::span data(reinterpret_cast<const uint8_t*>(statistics.data()), statistics.size());
  for (size_t i = 0; i < times_.size(); i++)
    RETURN_IF_ERROR(writer.add(times_[i], i + 1 < times_.size() ? std::span<const uint8_t>() : data));
  return ok_status();
}

}  // namespace

StatusOr<std::unique_ptr<VideoEncoder>> VideoEncoder::open(const EncoderSettings& settings,
                                                           const OutputVideo& video) {
  ASSIGN_OR_RETURN(const EncoderEntry* entry, find_encoder(settings.encoder));
  if (!entry->ffmpeg_name.empty()) {
    auto encoder = std::make_unique<FfmpegEncoder>(*entry, settings, video);
    RETURN_IF_ERROR(encoder->start(settings));
    return encoder;
  }
  RETURN_IF_ERROR(choose_pixel_format(*entry, video.format).status());
  Dictionary options;
  RETURN_IF_ERROR(collect_options(*entry, settings, video.hdr10, options));
  return std::make_unique<PlainEncoder>(*entry, settings, video);
}

Status check_encoder(const EncoderSettings& settings, const OutputVideo& video) {
  return VideoEncoder::open(settings, video).status();
}

StatusOr<SegmentHeader> encoder_header(const EncoderSettings& settings, const OutputVideo& video) {
  const auto encoder = VideoEncoder::open(settings, video);
  if (is_refused_session(encoder.status())) return SegmentHeader();
  RETURN_IF_ERROR(encoder.status());
  return (*encoder)->header(0, 0);
}

}  // namespace weft::media
