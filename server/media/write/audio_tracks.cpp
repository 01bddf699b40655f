// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/audio_tracks.h"

#include <algorithm>

namespace weft::media {

StatusOr<const AudioEncoder*> AudioTracks::add(const AVStream& source, AVCodecID codec,
                                               bool has_global_header) {
  const AudioEncoder::Part part{part_.begin_in(source.time_base), part_.end_in(source.time_base)};
  ASSIGN_OR_RETURN(auto encoder, AudioEncoder::open(source, codec, part, has_global_header));
  return (encoders_[source.index] = std::move(encoder)).get();
}

bool AudioTracks::has_padding() const {
  return std::ranges::any_of(encoders_,
                             [](const auto& each) { return each.second->encoder().initial_padding > 0; });
}

Status AudioTracks::send(const AVPacket& packet) {
  if (!part_.is_near(packet)) return ok_status();
  return encoders_.at(packet.stream_index)->send(&packet);
}

Status AudioTracks::end() {
  for (auto& [stream, encoder] : encoders_) RETURN_IF_ERROR(encoder->send(nullptr));
  return ok_status();
}

bool AudioTracks::take(AVPacket& packet, AVRational* unit) {
  int first = -1;
  for (const auto& [stream, encoder] : encoders_) {
    const AVPacket* const next = encoder->next();
    if (next == nullptr) continue;
    if (first < 0 || av_compare_ts(next->dts, encoder->time_base(), encoders_[first]->next()->dts,
                                   encoders_[first]->time_base()) < 0)
      first = stream;
  }
  if (first < 0) return false;
  *unit = encoders_[first]->time_base();
  const PacketPtr taken = encoders_[first]->take();
  av_packet_unref(&packet);
  av_packet_move_ref(&packet, taken.get());
  packet.stream_index = first;
  return true;
}

std::vector<std::string> AudioTracks::notes() const {
  std::vector<std::string> notes;
  for (const auto& [stream, encoder] : encoders_)
    if (std::string note = encoder->note(); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace weft::media
