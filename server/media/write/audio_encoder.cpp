// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/audio_encoder.h"

#include <algorithm>
#include <array>

namespace weft::media {

namespace {

// Differences of times, in seconds, up to which there is no gap or overlap: containers round times
// to milliseconds.
constexpr AVRational kRounding = {1, 100};
constexpr int kSilenceSamples = 1024;        // samples of silence that are added at once
constexpr int64_t kBitsPerChannel = 96'000;  // bits per second, of AAC
constexpr int kFlacBits = 24;
constexpr int kPacketSamples = 4096;  // samples of a packet, for an encoder that accepts any number

int rate_for(const AVCodec& codec, int rate) {
  if (codec.supported_samplerates == nullptr) return rate;
  for (const int* each = codec.supported_samplerates; *each != 0; each++)
    if (*each == rate) return rate;
  return 48'000;
}

AVSampleFormat format_for(const AVCodec& codec, const AVCodecContext& decoder) {
  if (codec.id != AV_CODEC_ID_FLAC) return codec.sample_fmts[0];
  const AVSampleFormat packed = av_get_packed_sample_fmt(decoder.sample_fmt);
  return packed == AV_SAMPLE_FMT_U8 || packed == AV_SAMPLE_FMT_S16 ? AV_SAMPLE_FMT_S16 : AV_SAMPLE_FMT_S32;
}

}  // namespace

AVCodecID codec_of(AudioChoice audio) {
  if (audio == AudioChoice::kAac) return AV_CODEC_ID_AAC;
  return audio == AudioChoice::kFlac ? AV_CODEC_ID_FLAC : AV_CODEC_ID_NONE;
}

Status AudioEncoder::failed(int result, std::string_view doing) const {
  return make_status(
      result == AVERROR(ENOMEM) ? StatusCode::kResourceExhausted : StatusCode::kInvalidArgument,
      fmt::format("The audio stream {} ({}) cannot be {}: {}; use --audio copy or none.", stream_, name_,
                  doing, error_text(result)));
}

StatusOr<std::unique_ptr<AudioEncoder>> AudioEncoder::open(const AVStream& source, AVCodecID codec,
                                                           const Part& part, bool has_global_header) {
  const LogScope log;
  std::unique_ptr<AudioEncoder> audio(new AudioEncoder());
  audio->stream_ = source.index;
  audio->name_ = avcodec_get_name(source.codecpar->codec_id);
  audio->unit_ = source.time_base;
  RETURN_IF_ERROR(audio->open_decoder(source));
  RETURN_IF_ERROR(audio->open_encoder(source, codec, has_global_header));
  const AVRational to = audio->time_base();
  if (part.begin) audio->begin_ = av_rescale_q(*part.begin, source.time_base, to);
  if (part.end) audio->end_ = av_rescale_q(*part.end, source.time_base, to);
  return audio;
}

Status AudioEncoder::open_decoder(const AVStream& source) {
  const AVCodec* codec = avcodec_find_decoder(source.codecpar->codec_id);
  if (codec == nullptr) return failed(AVERROR_DECODER_NOT_FOUND, "decoded");
  decoder_.reset(avcodec_alloc_context3(codec));
  if (!decoder_ || !frame_) return failed(AVERROR(ENOMEM), "decoded");
  int result = avcodec_parameters_to_context(decoder_.get(), source.codecpar);
  decoder_->pkt_timebase = source.time_base;
  decoder_->thread_count = 1;
  if (result >= 0) result = avcodec_open2(decoder_.get(), codec, nullptr);
  return result < 0 ? failed(result, "decoded") : ok_status();
}

Status AudioEncoder::open_encoder(const AVStream& source, AVCodecID id, bool has_global_header) {
  const AVCodec* codec = avcodec_find_encoder(id);
  if (codec == nullptr) return failed(AVERROR_ENCODER_NOT_FOUND, "encoded");
  const AVChannelLayout& layout = source.codecpar->ch_layout;
  int result = AVERROR(EINVAL);
  // First the named channels, then the default layout for their number.
  for (const bool is_named : {true, false}) {
    encoder_.reset(avcodec_alloc_context3(codec));
    if (!encoder_) return failed(AVERROR(ENOMEM), "encoded");
    encoder_->sample_rate = rate_for(*codec, source.codecpar->sample_rate);
    encoder_->sample_fmt = format_for(*codec, *decoder_);
    if (is_named && layout.order == AV_CHANNEL_ORDER_NATIVE)
      av_channel_layout_copy(&encoder_->ch_layout, &layout);
    else
      av_channel_layout_default(&encoder_->ch_layout, layout.nb_channels);
    encoder_->time_base = {1, encoder_->sample_rate};
    encoder_->thread_count = 1;
    encoder_->flags |= AV_CODEC_FLAG_BITEXACT | (has_global_header ? AV_CODEC_FLAG_GLOBAL_HEADER : 0);
    if (id == AV_CODEC_ID_AAC) encoder_->bit_rate = kBitsPerChannel * layout.nb_channels;
    if (encoder_->sample_fmt == AV_SAMPLE_FMT_S32) encoder_->bits_per_raw_sample = kFlacBits;
    result = avcodec_open2(encoder_.get(), codec, nullptr);
    if (result >= 0) break;
  }
  if (result < 0) return failed(result, fmt::format("encoded as {}", avcodec_get_name(id)));
  fifo_.reset(av_audio_fifo_alloc(encoder_->sample_fmt, encoder_->ch_layout.nb_channels, kPacketSamples));
  return fifo_ ? ok_status() : failed(AVERROR(ENOMEM), "encoded");
}

Status AudioEncoder::send(const AVPacket* packet) {
  const LogScope log;
  const int sent = avcodec_send_packet(decoder_.get(), packet);
  if (sent == AVERROR(ENOMEM)) return failed(sent, "decoded");
  if (sent < 0 && packet != nullptr) bad_packets_++;  // the packet's samples become silence
  RETURN_IF_ERROR(take_frames());
  if (packet != nullptr) return encode(false);
  if (leap_) RETURN_IF_ERROR(take_leap(std::nullopt));
  RETURN_IF_ERROR(convert(nullptr));
  return encode(true);
}

Status AudioEncoder::take_frames() {
  while (true) {
    const int received = avcodec_receive_frame(decoder_.get(), frame_.get());
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return ok_status();
    if (received == AVERROR(ENOMEM)) return failed(received, "decoded");
    if (received < 0) {
      bad_packets_++;
      continue;
    }
    RETURN_IF_ERROR(take_frame());
  }
}

int64_t AudioEncoder::position_of(const AVFrame& frame) const {
  return av_rescale_q(frame.pts, unit_, time_base());
}

bool AudioEncoder::leaps(int64_t insert) const {
  return next_ && std::abs(insert - *next_) > int64_t{kLongestSilenceSeconds} * encoder_->sample_rate;
}

Status AudioEncoder::take_frame() {
  const bool has_time = frame_->pts != AV_NOPTS_VALUE;
  if (leap_) RETURN_IF_ERROR(take_leap(has_time ? std::optional(position_of(*frame_)) : std::nullopt));
  if (has_time && leaps(position_of(*frame_))) {
    leap_.reset(av_frame_clone(frame_.get()));
    return leap_ ? ok_status() : failed(AVERROR(ENOMEM), "decoded");
  }
  RETURN_IF_ERROR(insert(*frame_));
  return convert(frame_.get());
}

// Adds the frame with the leap. `next` is the time of the frame that follows. If `next` continues
// the frame before the leap, the leap's time is wrong and is ignored.
Status AudioEncoder::take_leap(std::optional<int64_t> next) {
  const FramePtr frame = std::move(leap_);
  if (next && !leaps(*next)) {
    wrong_times_++;
    frame->pts = AV_NOPTS_VALUE;
  }
  RETURN_IF_ERROR(insert(*frame));
  return convert(frame.get());
}

// Adds silence or a gap up to the frame's time. Samples before the end of existing ones are dropped
// when the frame is added.
Status AudioEncoder::insert(const AVFrame& frame) {
  if (frame.pts == AV_NOPTS_VALUE) {
    if (!next_) next_ = encoded_to_ = begin_.value_or(0);
    return ok_status();
  }
  const int64_t belongs = position_of(frame);
  if (!next_) {
    next_ = belongs;
    encoded_to_ = begin_ ? std::max(*begin_, belongs) : belongs;
    return ok_status();
  }
  const int64_t apart = belongs - *next_;
  const int64_t rounding = av_rescale_q(1, kRounding, time_base());
  if (std::abs(apart) <= rounding) return ok_status();
  if (apart < 0) {
    cuts_++;
    next_ = belongs;  // add() drops the overlapping samples
    return ok_status();
  }
  if (leaps(belongs)) return leave_gap(belongs);
  silences_++;
  silent_samples_ += apart;
  return add_silence(apart);
}

// Continues at time `end`. An incomplete encoder frame is completed with silence, because encoders
// accept one only at the end.
Status AudioEncoder::leave_gap(int64_t end) {
  gaps_++;
  gap_samples_ += end - *next_;
  if (const int begun = av_audio_fifo_size(fifo_.get()) % whole_frame(); begun > 0)
    RETURN_IF_ERROR(add_silence(whole_frame() - begun));
  next_ = end;
  if (av_audio_fifo_size(fifo_.get()) == 0) encoded_to_ = std::max(encoded_to_, end);
  return ok_status();
}

Status AudioEncoder::add_silence(int64_t count) {
  uint8_t** samples = nullptr;
  const int channels = encoder_->ch_layout.nb_channels;
  int result = av_samples_alloc_array_and_samples(&samples, nullptr, channels, kSilenceSamples,
                                                  encoder_->sample_fmt, 0);
  if (result < 0) return failed(result, "encoded");
  av_samples_set_silence(samples, 0, kSilenceSamples, channels, encoder_->sample_fmt);
  Status status = ok_status();
  for (; count > 0 && status.ok(); count -= kSilenceSamples) {
    status = add(samples, int(std::min<int64_t>(count, kSilenceSamples)));
    if (status.ok()) status = encode(false);
  }
  av_freep(&samples[0]);
  av_freep(&samples);
  return status;
}

// Converts a frame to the encoder's format; null flushes the resampler.
Status AudioEncoder::convert(const AVFrame* frame) {
  if (frame == nullptr && !resampler_) return ok_status();
  const bool is_same =
      frame == nullptr || (resampler_ && frame->format == from_format_ && frame->sample_rate == from_rate_ &&
                           av_channel_layout_compare(&frame->ch_layout, &from_layout_) == 0);
  if (!is_same) {
    RETURN_IF_ERROR(convert(nullptr));
    from_format_ = AVSampleFormat(frame->format);
    from_rate_ = frame->sample_rate;
    if (frame->ch_layout.order == AV_CHANNEL_ORDER_NATIVE)
      av_channel_layout_copy(&from_layout_, &frame->ch_layout);
    else
      av_channel_layout_default(&from_layout_, frame->ch_layout.nb_channels);
    SwrContext* made = nullptr;
    int result = swr_alloc_set_opts2(&made, &encoder_->ch_layout, encoder_->sample_fmt, encoder_->sample_rate,
                                     &from_layout_, from_format_, from_rate_, 0, nullptr);
    resampler_.reset(made);
    if (result >= 0) result = swr_init(made);
    if (result < 0) return failed(result, "converted");
  }
  const int capacity = swr_get_out_samples(resampler_.get(), frame != nullptr ? frame->nb_samples : 0);
  if (capacity <= 0) return ok_status();
  uint8_t** samples = nullptr;
  if (av_samples_alloc_array_and_samples(&samples, nullptr, encoder_->ch_layout.nb_channels, capacity,
                                         encoder_->sample_fmt, 0) < 0)
    return failed(AVERROR(ENOMEM), "converted");
  const int count =
      swr_convert(resampler_.get(), samples, capacity,
                  frame != nullptr ? const_cast<const uint8_t**>(frame->extended_data) : nullptr,
                  frame != nullptr ? frame->nb_samples : 0);
  Status status = count < 0 ? failed(count, "converted") : add(samples, count);
  av_freep(&samples[0]);
  av_freep(&samples);
  return status;
}

// Adds samples at time next_. Samples outside the part, and samples before the end of existing
// ones, are dropped.
Status AudioEncoder::add(uint8_t** samples, int count) {
  const int64_t held = encoded_to_ + av_audio_fifo_size(fifo_.get());
  const int64_t first = std::max({*next_, held, begin_.value_or(*next_)});
  const int64_t last = std::min(*next_ + count, end_.value_or(*next_ + count));
  const int64_t skipped = first - *next_;
  cut_samples_ += std::clamp<int64_t>(held - std::max(*next_, begin_.value_or(*next_)), 0, count);
  *next_ += count;
  if (first >= last) return ok_status();
  const bool is_planar = av_sample_fmt_is_planar(encoder_->sample_fmt) != 0;
  const int channels = encoder_->ch_layout.nb_channels;
  const int64_t step = int64_t{av_get_bytes_per_sample(encoder_->sample_fmt)} * (is_planar ? 1 : channels);
  std::array<void*, AV_NUM_DATA_POINTERS> planes{};
  for (int i = 0; i < (is_planar ? std::min(channels, int(planes.size())) : 1); i++)
    planes[size_t(i)] = samples[i] + skipped * step;
  const int written = av_audio_fifo_write(fifo_.get(), planes.data(), int(last - first));
  return written < 0 ? failed(written, "encoded") : ok_status();
}

int AudioEncoder::whole_frame() const {
  return encoder_->frame_size > 0 ? encoder_->frame_size : kPacketSamples;
}

Status AudioEncoder::encode(bool is_last) {
  const int whole = whole_frame();
  while (av_audio_fifo_size(fifo_.get()) >= whole) RETURN_IF_ERROR(encode_frame(whole));
  if (!is_last) return ok_status();
  if (const int rest = av_audio_fifo_size(fifo_.get()); rest > 0) RETURN_IF_ERROR(encode_frame(rest));
  return give(nullptr);
}

Status AudioEncoder::encode_frame(int samples) {
  const FramePtr frame(av_frame_alloc());
  if (!frame) return failed(AVERROR(ENOMEM), "encoded");
  frame->nb_samples = samples;
  frame->format = encoder_->sample_fmt;
  frame->sample_rate = encoder_->sample_rate;
  int result = av_channel_layout_copy(&frame->ch_layout, &encoder_->ch_layout);
  if (result >= 0) result = av_frame_get_buffer(frame.get(), 0);
  if (result >= 0)
    result = av_audio_fifo_read(fifo_.get(), reinterpret_cast<void**>(frame->extended_data), samples);
  if (result < 0) return failed(result, "encoded");
  frame->pts = encoded_to_;
  encoded_to_ += samples;
  return give(frame.get());
}

Status AudioEncoder::give(const AVFrame* frame) {
  int result = avcodec_send_frame(encoder_.get(), frame);
  while (result >= 0) {
    PacketPtr packet(av_packet_alloc());
    if (!packet) return failed(AVERROR(ENOMEM), "encoded");
    result = avcodec_receive_packet(encoder_.get(), packet.get());
    if (result >= 0) encoded_.push_back(std::move(packet));
  }
  return result == AVERROR(EAGAIN) || result == AVERROR_EOF ? ok_status() : failed(result, "encoded");
}

PacketPtr AudioEncoder::take() {
  if (encoded_.empty()) return nullptr;
  PacketPtr packet = std::move(encoded_.front());
  encoded_.pop_front();
  return packet;
}

std::string AudioEncoder::note() const {
  if (silences_ + gaps_ + cuts_ + bad_packets_ + wrong_times_ == 0) return "";
  const auto seconds = [&](int64_t samples) { return double(samples) / encoder_->sample_rate; };
  return fmt::format(
      "The audio stream {} ({}) is not whole: {} gaps are silent ({:.3f} s in all), {} gaps of more than {} "
      "s "
      "have no packets ({:.3f} s), {} overlaps are cut ({:.3f} s), {} packets cannot be decoded, {} times "
      "are "
      "wrong and not followed.",
      stream_, name_, silences_, seconds(silent_samples_), gaps_, kLongestSilenceSeconds,
      seconds(gap_samples_), cuts_, seconds(cut_samples_), bad_packets_, wrong_times_);
}

}  // namespace weft::media
