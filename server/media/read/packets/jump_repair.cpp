// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/jump_repair.h"

#include <algorithm>
#include <cstdlib>

namespace weft::media {

namespace {

// Seconds. kBack is the least step back that is a jump, as in FFmpeg's program; smaller steps are
// disorder. kOn is the least deviation from the prediction.
constexpr AVRational kBack = {1, 10};
constexpr AVRational kOn = {10, 1};
// Largest difference of time, in seconds, between neighbouring packets in a file.
constexpr AVRational kInterleaving = {3, 1};
// A return to the old clock within kStrayTimes seconds after a jump, exact to kExactly seconds,
// shows that only a few times were wrong.
constexpr AVRational kStrayTimes = {1, 1};
constexpr AVRational kExactly = {1, 50};

// Saturated arithmetic: sums of times of 62 bits and shifts stay defined, although they may be
// wrong.
int64_t sum(int64_t a, int64_t b) { return av_sat_add64(a, b); }
int64_t difference(int64_t a, int64_t b) { return av_sat_sub64(a, b); }
// The minimum is excluded, because its negation overflows.
int64_t distance(int64_t a, int64_t b) { return std::llabs(std::max(difference(a, b), -INT64_MAX)); }

int64_t units(AVRational seconds, AVRational base) { return av_rescale_q(1, seconds, base); }

}  // namespace

void JumpRepair::start(const AVFormatContext& context, int video_stream) {
  active_ = (context.iformat->flags & AVFMT_TS_DISCONT) != 0;
  video_stream_ = video_stream;
  video_base_ = context.streams[video_stream]->time_base;
}

JumpRepair::Clock& JumpRepair::clock_of(int stream) {
  if (size_t(stream) >= clocks_.size()) clocks_.resize(size_t(stream) + 1);
  return clocks_[size_t(stream)];
}

// Separates the other streams from the video after its jump, because they reach the jump later.
// Streams that reached it just before the video keep following it.
void JumpRepair::part_streams() {
  for (Clock& clock : clocks_) {
    const bool was_first = !clock.follows && clock.left_at != kNone &&
                           difference(jumped_at_, clock.left_at) <= units(kInterleaving, video_base_);
    clock.follows = was_first;
    clock.left_at = kNone;
    // the next step is caused by the shift, not by the stream's clock
    if (was_first) clock.last = kNone;
  }
}

// Changes offset_ if the video's clock jumps. Returns true for a jump, and false for the end of
// stray times.
bool JumpRepair::follow_video(int64_t given, bool is_decoding_time) {
  const Clock video = clock_of(video_stream_);
  if (video.expected == kNone) return false;
  const int64_t back = units(kBack, video_base_);
  const int64_t shifted = sum(given, offset_);
  const int64_t step = difference(shifted, video.expected);
  const bool falls = is_decoding_time && video.last != kNone && sum(shifted, back) < video.last;
  const bool was_stray =
      step > back && jumped_at_ != kNone &&
      difference(video.expected, jumped_at_) <= units(kStrayTimes, video_base_) &&
      distance(sum(given, previous_offset_), video.expected) <= units(kExactly, video_base_);
  const bool jump = !was_stray && (falls || distance(shifted, video.expected) > units(kOn, video_base_));
  if (!jump && !was_stray) return false;
  const int64_t before = offset_;
  offset_ = jump ? difference(video.expected, given) : previous_offset_;
  previous_offset_ = before;
  jumped_at_ = video.expected;
  part_streams();
  return jump;
}

// Returns true if a stream that does not follow the video is on the video's side of the jump again.
bool JumpRepair::rejoins(const Clock& clock, int64_t given, int64_t shift_of_video, const AVStream& stream) {
  const int64_t video = clock_of(video_stream_).expected;
  const int64_t window = units(kInterleaving, video_base_);
  if (clock.left_at == kNone && jumped_at_ != kNone && difference(video, jumped_at_) > window) return true;
  // If the stream's packets are rare, the video's time predicts the next packet's time better than
  // the previous packet does.
  const int64_t now = av_rescale_q(video, video_base_, stream.time_base);
  const bool is_dense = distance(clock.expected, now) <= units(kInterleaving, stream.time_base);
  const int64_t should_be = is_dense ? clock.expected : now;
  return distance(sum(given, shift_of_video), should_be) <= distance(sum(given, clock.shift), should_be);
}

int64_t JumpRepair::shift_beside_video(int64_t given, const AVStream& stream) {
  const int64_t shift_of_video = av_rescale_q(offset_, video_base_, stream.time_base);
  const int64_t video = clock_of(video_stream_).expected;
  Clock& clock = clock_of(stream.index);
  if (video == kNone || clock.expected == kNone) {
    clock.follows = true;
    return shift_of_video;
  }
  const auto falls = [&](int64_t time) {
    return clock.last != kNone && sum(time, units(kBack, stream.time_base)) < clock.last;
  };
  const int64_t there = sum(given, shift_of_video);
  const bool is_far =
      distance(there, av_rescale_q(video, video_base_, stream.time_base)) > units(kOn, stream.time_base);
  if (!is_far && !clock.follows && rejoins(clock, given, shift_of_video, stream)) {
    clock.follows = true;
    return shift_of_video;
  }
  if (clock.follows && !is_far && !falls(there)) return shift_of_video;
  if (clock.follows) clock.left_at = video;
  clock.follows = false;
  const bool goes_on = is_far || falls(sum(given, clock.shift));
  return goes_on ? difference(clock.expected, given) : clock.shift;
}

bool JumpRepair::apply(AVPacket& packet, const AVStream& stream) {
  if (!active_) return false;
  const bool is_decoding_time = packet.dts != AV_NOPTS_VALUE;
  const int64_t given = is_decoding_time ? packet.dts : packet.pts;
  if (given == AV_NOPTS_VALUE) return false;
  const bool is_video = stream.index == video_stream_;
  const bool jump = is_video && follow_video(given, is_decoding_time);
  const int64_t shift = is_video ? offset_ : shift_beside_video(given, stream);
  if (packet.dts != AV_NOPTS_VALUE) packet.dts = sum(packet.dts, shift);
  if (packet.pts != AV_NOPTS_VALUE) packet.pts = sum(packet.pts, shift);
  Clock& clock = clock_of(stream.index);
  clock.shift = shift;
  clock.expected = sum(sum(given, shift), std::max<int64_t>(packet.duration, 0));
  // Presentation times without decoding times rise and fall.
  if (is_decoding_time || !is_video) clock.last = sum(given, shift);
  return jump;
}

std::vector<int64_t> JumpRepair::state() const {
  const auto video = size_t(video_stream_);
  return {offset_, previous_offset_, jumped_at_, video < clocks_.size() ? clocks_[video].expected : kNone};
}

void JumpRepair::restore(const std::vector<int64_t>& state) {
  if (state.size() != 4) return;
  offset_ = state[0];
  previous_offset_ = state[1];
  jumped_at_ = state[2];
  clocks_.clear();
  clock_of(video_stream_).expected = state[3];
}

}  // namespace weft::media
