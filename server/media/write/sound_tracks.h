// SPDX-License-Identifier: Apache-2.0
// The sound of an output that is encoded anew: an encoder a stream, and its packets in their order.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/media/write/copied_part.h"
#include "server/media/write/sound_encoder.h"

namespace weft::media {

// Used by one thread at a time.
class SoundTracks {
 public:
  explicit SoundTracks(const CopiedPart& part) : part_(part) {}

  // Errors as SoundEncoder::open's. The encoder stays here.
  StatusOr<const SoundEncoder*> add(const AVStream& source, AVCodecID codec, bool has_global_header);
  bool has(int stream) const { return encoders_.contains(stream); }
  // Whether an encoder gives more at its beginning than the sound that it is of.
  bool has_padding() const;

  // A packet of a stream that is here.
  Status send(const AVPacket& packet);
  // No packet follows.
  Status end();
  // The next encoded packet, with the source's stream and the source's time; false: there is none yet.
  bool take(AVPacket& packet, AVRational* unit);

  std::vector<std::string> notes() const;

 private:
  const CopiedPart& part_;
  std::map<int, std::unique_ptr<SoundEncoder>> encoders_;  // by the source's stream
};

}  // namespace weft::media
