// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/copied_part.h"

#include <algorithm>

#include "server/media/write/timecode.h"

namespace weft::media {

namespace {

// Largest distance between audio or subtitles and the frames of the same time, in any file that
// plays.
constexpr int64_t kInterleavedSeconds = 30;
// Time after which an audio decoder's output no longer depends on its start.
constexpr AVRational kSettling = {1, 1};

}  // namespace

CopiedPart::CopiedPart(const SourcePart& part, const Demuxer& source)
    : source_(source), part_(part), video_unit_(source.video().time_base), start_(source.start()) {
  if (!part.begin) return;
  start_ = *part.begin;
  start_unit_ = video_unit_;
}

bool CopiedPart::takes(AVPacket& packet) {
  const AVStream& stream = *source_.context().streams[packet.stream_index];
  if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) return true;
  const int64_t time = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  const auto index = size_t(packet.stream_index);
  if (index >= inside_.size()) inside_.resize(index + 1, char(!part_.begin));
  char& inside = inside_[index];
  if (time == AV_NOPTS_VALUE) return inside != 0;
  const AVRational unit = stream.time_base;
  const bool lasts = stream.codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE && packet.duration > 0;
  if (lasts) return shorten(packet, unit);
  inside = char(!(part_.begin && av_compare_ts(time, unit, *part_.begin, video_unit_) < 0) &&
                !(part_.end && av_compare_ts(time, unit, *part_.end, video_unit_) >= 0));
  return inside != 0;
}

bool CopiedPart::shorten(AVPacket& packet, AVRational unit) const {
  const int64_t shown = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  int64_t begin = shown, end = shown + packet.duration;
  if (part_.begin) begin = std::max(begin, av_rescale_q(*part_.begin, video_unit_, unit));
  if (part_.end) end = std::min(end, av_rescale_q(*part_.end, video_unit_, unit));
  if (begin >= end) return false;
  packet.duration = end - begin;
  if (begin != shown) packet.pts = packet.dts = begin;
  return true;
}

std::optional<int64_t> CopiedPart::begin_in(AVRational unit) const {
  return part_.begin ? std::optional(av_rescale_q(*part_.begin, video_unit_, unit)) : std::nullopt;
}

std::optional<int64_t> CopiedPart::end_in(AVRational unit) const {
  return part_.end ? std::optional(av_rescale_q(*part_.end, video_unit_, unit)) : std::nullopt;
}

bool CopiedPart::is_near(const AVPacket& packet) const {
  const AVRational unit = source_.context().streams[packet.stream_index]->time_base;
  const int64_t time = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  if (time == AV_NOPTS_VALUE) return true;
  const auto begin = begin_in(unit), end = end_in(unit);
  return !(begin && time < *begin - av_rescale_q(1, kSettling, unit)) && !(end && time >= *end);
}

bool CopiedPart::is_over(const AVPacket& packet) const {
  if (!part_.end || packet.stream_index != source_.video().index || packet.dts == AV_NOPTS_VALUE)
    return false;
  const int64_t margin = av_rescale_q(kInterleavedSeconds, {1, 1}, video_unit_);
  return packet.dts > *part_.end + margin;
}

bool CopiedPart::takes(AVChapter& chapter) const {
  const AVRational unit = chapter.time_base;
  if (chapter.start == AV_NOPTS_VALUE) return false;  // the demuxer removed an impossible time
  chapter.end = std::max(chapter.start, chapter.end);
  if (part_.end) {
    const int64_t end = av_rescale_q(*part_.end, video_unit_, unit);
    if (chapter.start >= end) return false;
    chapter.end = std::min(chapter.end, end);
  }
  const int64_t start = start_in(unit);
  if (part_.begin && chapter.end <= start) return false;
  chapter.start = std::max<int64_t>(0, chapter.start - start);
  chapter.end = std::max(chapter.start, chapter.end - start);
  return true;
}

void CopiedPart::move_timecode(AVDictionary** tags, Ratio output_rate) const {
  const AVDictionaryEntry* tag = av_dict_get(*tags, "timecode", nullptr, 0);
  if (tag == nullptr) return;
  const auto moved =
      timecode_at(tag->value, from_av(source_.video().avg_frame_rate), part_.first_frame, output_rate);
  av_dict_set(tags, std::string(tag->key).c_str(), moved ? moved->text.c_str() : nullptr, 0);
}

}  // namespace weft::media
