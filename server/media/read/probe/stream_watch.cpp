// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/probe/stream_watch.h"

#include <algorithm>
#include <chrono>

#include "server/media/read/probe/stream_info.h"

namespace weft::media {

namespace {

constexpr int kDecodedPackets = 100;  // for a stream of unknown format

bool knows_format(const AVCodecParameters& parameters) {
  return parameters.sample_rate > 0 && parameters.ch_layout.nb_channels > 0;
}

CodecPtr open_decoder(const AVStream& stream) {
  const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
  CodecPtr decoder(codec != nullptr ? avcodec_alloc_context3(codec) : nullptr);
  if (!decoder || avcodec_parameters_to_context(decoder.get(), stream.codecpar) < 0) return nullptr;
  decoder->pkt_timebase = stream.time_base;
  decoder->thread_count = 1;
  return avcodec_open2(decoder.get(), codec, nullptr) >= 0 ? std::move(decoder) : nullptr;
}

}  // namespace

StreamWatch::StreamWatch(Demuxer& demuxer) : demuxer_(demuxer), known_(int(demuxer.context().nb_streams)) {
  for (const StreamInfo& stream : other_streams(demuxer))
    if (stream.no_format) late_[stream.stream];
}

bool StreamWatch::expects_any() const { return !late_.empty() || demuxer_.may_gain_streams(); }

bool StreamWatch::is_late(int stream) const { return stream >= known_ || late_.contains(stream); }

void StreamWatch::see(const AVPacket& packet) {
  AVStream& stream = *demuxer_.context().streams[packet.stream_index];
  Late& late = late_[packet.stream_index];
  if (late.packets == 0) late.packets_left = kDecodedPackets;
  late.packets++;
  if (late.begin == AV_NOPTS_VALUE) late.begin = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO && late.packets_left > 0)
    find_format(stream, late, packet);
}

void StreamWatch::find_format(AVStream& stream, Late& late, const AVPacket& packet) {
  const LogScope log;
  late.packets_left--;
  if (!late.decoder) late.decoder = open_decoder(stream);
  const FramePtr frame(av_frame_alloc());
  const bool is_decoded = late.decoder && frame && avcodec_send_packet(late.decoder.get(), &packet) >= 0 &&
                          avcodec_receive_frame(late.decoder.get(), frame.get()) >= 0;
  if (is_decoded) {
    const unsigned tag = stream.codecpar->codec_tag;
    avcodec_parameters_from_context(stream.codecpar, late.decoder.get());
    stream.codecpar->codec_tag = tag;
    if (knows_format(*stream.codecpar)) late.packets_left = 0;
  }
  if (late.packets_left == 0) late.decoder.reset();
}

std::vector<StreamInfo> StreamWatch::streams() const {
  std::vector<StreamInfo> streams = other_streams(demuxer_);
  std::erase_if(streams, [&](const StreamInfo& each) {
    const auto late = late_.find(each.stream);
    return each.stream >= known_ && (late == late_.end() || late->second.packets == 0);
  });
  for (StreamInfo& each : streams) {
    const auto late = late_.find(each.stream);
    if (late == late_.end()) continue;
    each.packets = late->second.packets;
    each.late = each.packets > 0;
    const AVStream& stream = *demuxer_.context().streams[each.stream];
    const int64_t begin = late->second.begin != AV_NOPTS_VALUE
                              ? av_rescale_q(late->second.begin, stream.time_base, kMicroseconds)
                              : demuxer_.start();
    each.begin = std::chrono::microseconds(begin - demuxer_.start());
  }
  return streams;
}

StatusOr<std::vector<StreamInfo>> streams_of_whole_file(Demuxer& demuxer,
                                                        const std::function<Status()>& alive) {
  StreamWatch watch(demuxer);
  const PacketPtr packet(av_packet_alloc());
  if (!packet) return resource_exhausted("There is no memory to read the input ({}).", demuxer.file().name());
  while (watch.expects_any()) {
    if (alive) RETURN_IF_ERROR(alive());
    ASSIGN_OR_RETURN(const bool more, demuxer.read(*packet));
    if (!more) break;
    if (watch.is_late(packet->stream_index)) watch.see(*packet);
  }
  return watch.streams();
}

}  // namespace weft::media
