// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/video_track.h"

#include <algorithm>
#include <cmath>

#include "server/media/ffmpeg.h"

namespace weft::media {

StatusOr<std::unique_ptr<VideoTrack>> VideoTrack::open(std::vector<FileLocation> segments) {
  if (segments.empty())
    return failed_precondition("There is no segment to write a file from (0, at least 1).");
  std::unique_ptr<VideoTrack> track(new VideoTrack());
  track->segments_ = std::move(segments);
  for (const FileLocation& location : track->segments_) {
    ASSIGN_OR_RETURN(const auto reader, SegmentReader::open(location));
    const Status added = track->add_segment(*reader);
    if (!added.ok())
      return failed_precondition("The segment ({}) does not fit the others: {}; start the job over.",
                                 location.name, message_of(added));
  }
  return track;
}

Status VideoTrack::add_segment(const SegmentReader& reader) {
  SegmentHeader header = reader.header();
  if (times_.empty()) header_ = header;
  if (header.first_frame != header_.first_frame + frames())
    return failed_precondition("it begins at frame {}, and the one before ends at {}", header.first_frame,
                               header_.first_frame + frames());
  header.segment = header_.segment;
  header.first_frame = header_.first_frame;
  if (header != header_)
    return failed_precondition("it was encoded with other settings than the first ({})", header.settings);

  std::vector<int64_t> times;
  for (const SegmentPacket& packet : reader.packets()) times.push_back(packet.pts);
  std::ranges::sort(times);
  if (times.empty() || !reader.packets()[0].key || std::ranges::adjacent_find(times) != times.end() ||
      (!times_.empty() && times[0] <= times_.back()))
    return failed_precondition("its frames do not follow those before");
  for (size_t i = 0; i < times.size(); i++) {
    const auto shown = std::ranges::lower_bound(times, reader.packets()[i].pts) - times.begin();
    reorder_ = std::max(reorder_, int64_t(i) - int64_t(shown));
  }
  times_.insert(times_.end(), times.begin(), times.end());
  return ok_status();
}

int64_t VideoTrack::decoding_time(int64_t number) const {
  if (number >= reorder_) return times_[size_t(number - reorder_)];
  // If the distance of the first two frames exceeds a frame's duration, frames are missing there.
  const Ratio rate = header_.frame_rate;
  const AVRational most = rate.known() ? AVRational{rate.den, rate.num} : AVRational{1, 1};
  const int64_t most_duration = std::max<int64_t>(av_rescale_q(1, most, to_av(header_.time_base)), 1);
  const int64_t duration = times_.size() > 1 ? std::min(times_[1] - times_[0], most_duration) : 1;
  return times_[0] - (reorder_ - number) * duration;
}

double VideoTrack::most_irregular() const {
  if (!header_.frame_rate.known()) return 0;
  const double unit = header_.time_base.value(), duration = 1 / header_.frame_rate.value();
  double most = 0;
  for (size_t i = 0; i < times_.size(); i++)
    most = std::max(most, std::abs(double(times_[i] - times_[0]) * unit - double(i) * duration));
  return most;
}

bool VideoTrack::has_constant_rate() const {
  const Ratio rate = header_.frame_rate;
  return !rate.known() || most_irregular() <= 1 / rate.value() / 2;
}

StatusOr<bool> VideoTrack::next(Packet& packet) {
  while (!reader_ || next_in_segment_ == reader_->packets().size()) {
    if (next_segment_ == segments_.size()) return false;
    ASSIGN_OR_RETURN(reader_, SegmentReader::open(segments_[next_segment_++]));
    next_in_segment_ = 0;
  }
  packet.info = reader_->packets()[next_in_segment_];
  packet.dts = decoding_time(next_packet_++);
  RETURN_IF_ERROR(reader_->read(next_in_segment_++, packet.data));
  return true;
}

}  // namespace weft::media
