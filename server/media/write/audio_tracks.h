// SPDX-License-Identifier: Apache-2.0
// Encodes the audio streams of an output that are not copied: one encoder for each stream, and
// their packets in order of time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/media/write/audio_encoder.h"
#include "server/media/write/copied_part.h"

namespace weft::media {

// Not thread-safe.
class AudioTracks {
 public:
  explicit AudioTracks(const CopiedPart& part) : part_(part) {}

  // Adds a stream and returns its encoder, which this object owns. Errors are those of
  // AudioEncoder::open().
  StatusOr<const AudioEncoder*> add(const AVStream& source, AVCodecID codec, bool has_global_header);
  bool has(int stream) const { return encoders_.contains(stream); }
  // Returns true if an encoder inserts padding before its input.
  bool has_padding() const;

  // Sends a packet of a stream that was added.
  Status send(const AVPacket& packet);
  // Ends all streams.
  Status end();
  // Returns the next encoded packet in `packet`, with the index of the source's stream and times in
  // `unit`. Returns false if no packet is ready.
  bool take(AVPacket& packet, AVRational* unit);

  std::vector<std::string> notes() const;

 private:
  const CopiedPart& part_;
  std::map<int, std::unique_ptr<AudioEncoder>> encoders_;  // key: index of the source's stream
};

}  // namespace weft::media
