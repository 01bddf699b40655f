// SPDX-License-Identifier: Apache-2.0
// Finds copied audio streams that change their sample rate or channels. AAC in a transport stream
// declares both in each packet, but other containers declare them once for each track. So audio of
// each format gets its own track; otherwise players could not play it after the first change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/media/ffmpeg.h"

namespace weft::media {

// The format in an ADTS header (ISO/IEC 13818-7, 6.2).
struct AudioFormat {
  int profile = 0;        // 1: LC
  int sample_rate = 0;    // Hz
  int configuration = 0;  // channel configuration
  bool operator==(const AudioFormat&) const = default;

  int channels() const { return configuration == 7 ? 8 : configuration; }
};

// Reads the header of an AAC packet. Returns nullopt if there is no such header or it does not
// state the number of channels.
std::optional<AudioFormat> format_of_packet(const AVPacket& packet);

// Works in two passes: the first gives all packets to see() and calls finish(); the second requests
// the track of each packet with next().
class AudioChanges {
 public:
  // Registers the next packet of a copied stream.
  void see(const AVPacket& packet, const AVStream& stream);
  // Determines the tracks, after the last packet.
  void finish();

  bool any() const { return !tracks_.empty(); }
  // Returns a stream's tracks in the order of their begins, or an empty vector if one track is
  // enough.
  const std::vector<AudioFormat>& tracks(int stream) const;
  // Returns the index of the track for the stream's next packet.
  size_t next(int stream);

  // Returns a sentence for each stream that has more than one track. `start` is the source's time
  // of the output's time 0, in microseconds.
  std::vector<std::string> notes(int64_t start) const;

 private:
  // Consecutive packets of one format.
  struct Run {
    int64_t packets = 0;
    AudioFormat format{};
    int64_t begin = AV_NOPTS_VALUE;  // microseconds
    size_t track = 0;
  };
  struct Stream {
    std::string codec{};
    std::vector<Run> runs{};
    std::vector<AudioFormat> tracks{};
    size_t run = 0;  // run of the next packet
    int64_t packet_in_run = 0;
  };
  static std::vector<Run> long_runs(const std::vector<Run>& runs);

  std::map<int, Stream> streams_;
  std::map<int, std::vector<AudioFormat>> tracks_;  // tracks of each stream that has more than one
};

// Changes `parameters` to those of a track of this format.
void describe_audio(const AudioFormat& format, AVCodecParameters& parameters);

}  // namespace weft::media
