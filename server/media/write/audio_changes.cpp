// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/audio_changes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::media {

namespace {

constexpr std::array<int, 13> kRates = {96000, 88200, 64000, 48000, 44100, 32000, 24000,
                                        22050, 16000, 12000, 11025, 8000,  7350};
// A run of fewer packets between other formats is treated as damage.
constexpr int64_t kLeastPackets = 8;
constexpr size_t kHeaderBytes = 7;

std::string text_of(const AudioFormat& format) {
  if (format.sample_rate == 0) return "channels that its header does not say";
  return fmt::format("{} channel{} at {} Hz", format.channels(), format.channels() == 1 ? "" : "s",
                     format.sample_rate);
}

}  // namespace

std::optional<AudioFormat> format_of_packet(const AVPacket& packet) {
  const uint8_t* const data = packet.data;
  if (size_t(std::max(packet.size, 0)) < kHeaderBytes || data[0] != 0xff || (data[1] & 0xf6) != 0xf0)
    return std::nullopt;
  const size_t rate = data[2] >> 2 & 15;
  const int configuration = (data[2] & 1) << 2 | data[3] >> 6;
  if (rate >= kRates.size() || configuration == 0) return std::nullopt;
  return AudioFormat{.profile = data[2] >> 6, .sample_rate = kRates[rate], .configuration = configuration};
}

void AudioChanges::see(const AVPacket& packet, const AVStream& stream) {
  if (stream.codecpar->codec_id != AV_CODEC_ID_AAC || stream.codecpar->extradata_size > 0) return;
  Stream& seen = streams_[packet.stream_index];
  seen.codec = avcodec_get_name(stream.codecpar->codec_id);
  const std::optional<AudioFormat> format = format_of_packet(packet);
  if (seen.runs.empty() || (format && seen.runs.back().packets > 0 && *format != seen.runs.back().format)) {
    seen.runs.push_back({.format = format.value_or(AudioFormat())});
    if (packet.pts != AV_NOPTS_VALUE)
      seen.runs.back().begin = av_rescale_q(packet.pts, stream.time_base, kMicroseconds);
  }
  seen.runs.back().packets++;
}

// Merges short runs with the previous run, or with the next one if there is no previous run.
std::vector<AudioChanges::Run> AudioChanges::long_runs(const std::vector<Run>& runs) {
  std::vector<Run> merged;
  int64_t ahead = 0;
  for (const Run& run : runs) {
    const bool goes_on =
        !merged.empty() && (run.packets < kLeastPackets || run.format == merged.back().format);
    if (goes_on) {
      merged.back().packets += run.packets;
    } else if (run.packets < kLeastPackets) {
      ahead += run.packets;
    } else {
      merged.push_back(run);
      merged.back().packets += std::exchange(ahead, 0);
    }
  }
  return merged;
}

void AudioChanges::finish() {
  for (auto& [index, stream] : streams_) {
    stream.runs = long_runs(stream.runs);
    for (Run& run : stream.runs) {
      auto track = std::ranges::find(stream.tracks, run.format);
      if (track == stream.tracks.end()) track = stream.tracks.insert(track, run.format);
      run.track = size_t(track - stream.tracks.begin());
    }
    if (stream.tracks.size() > 1) tracks_[index] = stream.tracks;
  }
}

const std::vector<AudioFormat>& AudioChanges::tracks(int stream) const {
  static const std::vector<AudioFormat> none;
  const auto found = tracks_.find(stream);
  return found != tracks_.end() ? found->second : none;
}

size_t AudioChanges::next(int stream) {
  if (!tracks_.contains(stream)) return 0;
  Stream& seen = streams_[stream];
  if (seen.packet_in_run >= seen.runs[seen.run].packets && seen.run + 1 < seen.runs.size()) {
    seen.run++;
    seen.packet_in_run = 0;
  }
  seen.packet_in_run++;
  return seen.runs[seen.run].track;
}

std::vector<std::string> AudioChanges::notes(int64_t start) const {
  std::vector<std::string> notes;
  for (const auto& [index, tracks] : tracks_) {
    const Stream& stream = streams_.at(index);
    const Run& change = stream.runs[1];
    const std::string when = change.begin == AV_NOPTS_VALUE
                                 ? ""
                                 : fmt::format(" at {:.3f} s", double(change.begin - start) / AV_TIME_BASE);
    notes.push_back(fmt::format(
        "The audio stream {} ({}) changes from {} to {}{}; it has {} tracks, as a track has one format. "
        "--audio aac "
        "makes one track of it.",
        index, stream.codec, text_of(stream.runs[0].format), text_of(change.format), when, tracks.size()));
  }
  return notes;
}

void describe_audio(const AudioFormat& format, AVCodecParameters& parameters) {
  parameters.sample_rate = format.sample_rate;
  parameters.profile = format.profile;
  av_channel_layout_uninit(&parameters.ch_layout);
  av_channel_layout_default(&parameters.ch_layout, format.channels());
}

}  // namespace weft::media
