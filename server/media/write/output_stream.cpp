// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/output_stream.h"

#include <algorithm>
#include <string_view>

#include "server/media/hdr10.h"
#include "server/media/pixel_format.h"
#include "server/media/write/metadata.h"

namespace weft::media {

namespace {

void copy_tags(AVDictionary** target, const AVDictionary* source, bool (*is_stale)(std::string_view)) {
  for (const AVDictionaryEntry* tag = nullptr;
       (tag = av_dict_get(source, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr;)
    if (!is_stale(tag->key)) av_dict_set(target, tag->key, tag->value, 0);
}

// Copies side data that remains valid after decoding, such as the rotation. Returns false without
// memory.
bool copy_side_data(AVStream& target, const AVStream& source) {
  constexpr AVPacketSideDataType kKept[] = {AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_STEREO3D,
                                            AV_PKT_DATA_SPHERICAL};
  for (int i = 0; i < source.nb_side_data; i++) {
    const AVPacketSideData& data = source.side_data[i];
    if (std::ranges::count(kKept, data.type) == 0) continue;
    uint8_t* copy = av_stream_new_side_data(&target, data.type, data.size);
    if (copy == nullptr) return false;
    std::copy_n(data.data, data.size, copy);
  }
  return true;
}

Status no_memory() { return resource_exhausted("There is no memory to describe the output's streams."); }

void describe_pictures(AVCodecParameters& parameters, const SegmentHeader& header) {
  parameters.width = header.format.width;
  parameters.height = header.format.height;
  parameters.format = av_get_pix_fmt(header.pixel_format.c_str());
  parameters.sample_aspect_ratio = to_av(header.sample_aspect_ratio);
  parameters.field_order = to_av(header.field_order);
  parameters.color_primaries = AVColorPrimaries(header.colour.primaries);
  parameters.color_trc = AVColorTransferCharacteristic(header.colour.transfer);
  parameters.color_space = AVColorSpace(header.colour.matrix);
  parameters.color_range = to_av(header.colour.range);
  parameters.chroma_location = AVChromaLocation(header.colour.chroma_location);
}

// Returns the source's codec tag if it means the same in the output's format; else 0, so that the
// muxer chooses.
unsigned tag_for(const AVOutputFormat& format, const AVCodecParameters& source) {
  if (format.codec_tag == nullptr) return 0;
  const bool same = av_codec_get_id(format.codec_tag, source.codec_tag) == source.codec_id;
  return same || av_codec_get_tag(format.codec_tag, source.codec_id) == 0 ? source.codec_tag : 0;
}

}  // namespace

Status add_video_stream(AVFormatContext& output, const ContainerEntry& container, const SegmentHeader& header,
                        int64_t reorder_frames, const AVStream& source, const CopiedPart& part) {
  AVStream* stream = avformat_new_stream(&output, nullptr);
  if (stream == nullptr) return no_memory();
  AVCodecParameters& parameters = *stream->codecpar;
  const AVCodecDescriptor* codec = avcodec_descriptor_get_by_name(header.codec.c_str());
  parameters.codec_type = AVMEDIA_TYPE_VIDEO;
  parameters.codec_id = codec != nullptr ? codec->id : AV_CODEC_ID_NONE;
  describe_pictures(parameters, header);
  parameters.profile = header.profile;
  parameters.level = header.level;
  parameters.bit_rate = header.bit_rate;
  parameters.video_delay = int(reorder_frames);
  // The tag hvc1 means that parameter sets are stored outside of the packets.
  const std::string_view muxer = output.oformat->name;
  if (parameters.codec_id == AV_CODEC_ID_HEVC && (muxer == "mp4" || muxer == "mov"))
    parameters.codec_tag = MKTAG('h', 'v', 'c', '1');
  if (!header.extradata.empty()) {
    parameters.extradata =
        static_cast<uint8_t*>(av_mallocz(header.extradata.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    if (parameters.extradata == nullptr) return no_memory();
    std::ranges::copy(header.extradata, parameters.extradata);
    parameters.extradata_size = int(header.extradata.size());
  }
  // AVI counts frames at its rate; other muxers accept any unit.
  const bool counts_frames = container.counts_frames && header.frame_rate.known();
  stream->time_base = counts_frames ? av_inv_q(to_av(header.frame_rate)) : to_av(header.time_base);
  stream->avg_frame_rate = stream->r_frame_rate = to_av(header.frame_rate);
  stream->sample_aspect_ratio = to_av(header.sample_aspect_ratio);
  stream->disposition = source.disposition;
  copy_tags(&stream->metadata, source.metadata, is_stale_stream_tag);
  translate_stream_tags(container, &stream->metadata);
  part.move_timecode(&stream->metadata, header.frame_rate);
  return copy_side_data(*stream, source) && add_hdr10(*stream, header.hdr10) ? ok_status() : no_memory();
}

Status add_copied_stream(AVFormatContext& output, const ContainerEntry& container, const AVStream& source) {
  AVStream* stream = avformat_new_stream(&output, nullptr);
  if (stream == nullptr || avcodec_parameters_copy(stream->codecpar, source.codecpar) < 0) return no_memory();
  stream->codecpar->codec_tag = tag_for(*output.oformat, *source.codecpar);
  stream->time_base = source.time_base;
  stream->avg_frame_rate = source.avg_frame_rate;
  stream->sample_aspect_ratio = source.sample_aspect_ratio;
  stream->disposition = source.disposition;
  copy_tags(&stream->metadata, source.metadata, [](std::string_view) { return false; });
  translate_stream_tags(container, &stream->metadata);
  return ok_status();
}

Status add_encoded_audio(AVFormatContext& output, const ContainerEntry& container, const AVStream& source,
                         const AVCodecContext& encoder) {
  AVStream* stream = avformat_new_stream(&output, nullptr);
  if (stream == nullptr || avcodec_parameters_from_context(stream->codecpar, &encoder) < 0)
    return no_memory();
  stream->codecpar->codec_tag = 0;
  stream->time_base = encoder.time_base;
  stream->disposition = source.disposition;
  copy_tags(&stream->metadata, source.metadata, is_stale_stream_tag);
  translate_stream_tags(container, &stream->metadata);
  return ok_status();
}

Status copy_chapters(AVFormatContext& output, const AVFormatContext& source, const CopiedPart& part) {
  if (source.nb_chapters == 0) return ok_status();
  output.chapters = static_cast<AVChapter**>(av_calloc(source.nb_chapters, sizeof(AVChapter*)));
  if (output.chapters == nullptr) return no_memory();
  for (unsigned i = 0; i < source.nb_chapters; i++) {
    AVChapter from = *source.chapters[i];
    if (!part.takes(from)) continue;
    auto* chapter = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
    if (chapter == nullptr) return no_memory();
    output.chapters[output.nb_chapters++] = chapter;
    chapter->id = from.id;
    chapter->time_base = from.time_base;
    chapter->start = from.start;
    chapter->end = from.end;
    av_dict_copy(&chapter->metadata, from.metadata, 0);
  }
  return ok_status();
}

void copy_metadata(AVFormatContext& output, const ContainerEntry& container, const AVFormatContext& source,
                   const SegmentHeader& video, const CopiedPart& part) {
  copy_tags(&output.metadata, source.metadata, is_stale_file_tag);
  translate_file_tags(container, &output.metadata);
  part.move_timecode(&output.metadata, video.frame_rate);
}

}  // namespace weft::media
