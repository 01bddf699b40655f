// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/probe/repeat_flags.h"

#include <algorithm>

namespace weft::media {

namespace {

// Limit on the packets of all streams at one place, for files with little video.
constexpr int kMostPackets = 2000;

using ParserPtr = std::unique_ptr<AVCodecParserContext,
                                  decltype([](AVCodecParserContext* parser) { av_parser_close(parser); })>;

// Returns true if one of the next kSampledPictures pictures repeats a field.
bool repeats_here(Demuxer& demuxer, AVCodecContext& codec, AVPacket& packet) {
  const ParserPtr parser(av_parser_init(codec.codec_id));
  if (!parser) return false;
  parser->flags |= PARSER_FLAG_COMPLETE_FRAMES;
  int pictures = 0;
  for (int packets = 0; packets < kMostPackets && pictures < kSampledPictures; packets++) {
    const auto more = demuxer.read(packet);
    if (!more.ok() || !*more) return false;
    if (packet.stream_index != demuxer.video().index) continue;
    uint8_t* parsed = nullptr;
    int bytes = 0;
    av_parser_parse2(parser.get(), &codec, &parsed, &bytes, packet.data, packet.size, packet.pts, packet.dts,
                     packet.pos);
    // A parser states the fields of a picture less one: 2 with a repeated field, 3 for two frames.
    if (parser->repeat_pict > 1) return true;
    pictures++;
  }
  return false;
}

}  // namespace

bool repeats_fields(Demuxer& demuxer) {
  const AVCodecParameters& parameters = *demuxer.video().codecpar;
  if (parameters.codec_id != AV_CODEC_ID_MPEG2VIDEO && parameters.codec_id != AV_CODEC_ID_H264) return false;
  const CodecPtr codec(avcodec_alloc_context3(nullptr));
  const PacketPtr packet(av_packet_alloc());
  if (!codec || !packet || avcodec_parameters_to_context(codec.get(), &parameters) < 0) return false;
  AVFormatContext& context = demuxer.context();
  const int64_t duration = std::max<int64_t>(context.duration, 0);
  for (int place = 0; place < kSampledPlaces; place++) {
    const int64_t time = demuxer.start() + duration * place / kSampledPlaces;
    if (av_seek_frame(&context, -1, time, AVSEEK_FLAG_BACKWARD) < 0) return false;
    if (repeats_here(demuxer, *codec, *packet)) return true;
    if (duration == 0) return false;
  }
  return false;
}

}  // namespace weft::media
