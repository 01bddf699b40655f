// SPDX-License-Identifier: Apache-2.0
// Copied sound that changes its rate or channels. AAC of transport streams says both with each packet, a container with tracks once for
// a track: sound of each format gets a track of its own, or players could not play what follows the first change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/media/ffmpeg.h"

namespace weft::media {

// As a header of ADTS says it (ISO/IEC 13818-7, 6.2).
struct SoundFormat {
  int profile = 0;        // 1: LC
  int sample_rate = 0;    // Hz
  int configuration = 0;  // of channels
  bool operator==(const SoundFormat&) const = default;

  int channels() const { return configuration == 7 ? 8 : configuration; }
};

// Of a packet of AAC; nullopt where it has no such header, or one that leaves the channels to what follows.
std::optional<SoundFormat> format_of_packet(const AVPacket& packet);

// One pass over the packets sees them, a second one asks for each where it goes.
class SoundChanges {
 public:
  // The next packet of a stream that is copied.
  void see(const AVPacket& packet, const AVStream& stream);
  // Nothing follows: finds the tracks.
  void finish();

  bool any() const { return !tracks_.empty(); }
  // Of a stream's tracks in the order of their begins; empty where one is enough.
  const std::vector<SoundFormat>& tracks(int stream) const;
  // The number of the track that the stream's next packet belongs to.
  size_t next(int stream);

  // A sentence for each stream that has more than one track. `start`: the time that is 0 in the output, in microseconds.
  std::vector<std::string> notes(int64_t start) const;

 private:
  // Packets of a format that follow each other.
  struct Run {
    int64_t packets = 0;
    SoundFormat format{};
    int64_t begin = AV_NOPTS_VALUE;  // microseconds
    size_t track = 0;
  };
  struct Stream {
    std::string codec{};
    std::vector<Run> runs{};
    std::vector<SoundFormat> tracks{};
    size_t run = 0;  // of the next packet
    int64_t packet_in_run = 0;
  };
  static std::vector<Run> long_runs(const std::vector<Run>& runs);

  std::map<int, Stream> streams_;
  std::map<int, std::vector<SoundFormat>> tracks_;  // of streams with more than one
};

// `parameters` become those of a track of this format.
void describe_sound(const SoundFormat& format, AVCodecParameters& parameters);

}  // namespace weft::media
