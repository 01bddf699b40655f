// SPDX-License-Identifier: Apache-2.0
// Streams that begin late: a file is open, its streams are known, and while it is read another one begins. A broadcast gets a
// second language for an hour; sound is announced and its first packet comes after a minute.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "server/media/read/packets/demuxer.h"

namespace weft::media {

// Used by one thread at a time.
class StreamWatch {
 public:
  // A demuxer that was just opened; it outlives the watch.
  explicit StreamWatch(Demuxer& demuxer);

  // Whether a stream can begin late at all.
  bool expects_any() const;
  bool is_late(int stream) const;
  // Takes the next packet of a late stream. Packets of sound are decoded until rate and channels are known, and the demuxer's
  // stream gets them.
  void see(const AVPacket& packet);
  // other_streams() without those that began late and have no packet; the packets of late streams are counted.
  std::vector<StreamFacts> streams() const;

 private:
  struct Late {
    int64_t packets = 0;
    int64_t begin = AV_NOPTS_VALUE;  // in the stream's unit
    CodecPtr decoder{};              // until the format is known
    int packets_left = 0;            // that may be decoded for it
  };
  void find_format(AVStream& stream, Late& late, const AVPacket& packet);

  Demuxer& demuxer_;
  int known_;                 // streams at the start
  std::map<int, Late> late_;  // by stream
};

// Reads all packets of the file. `alive` is called now and then; its error ends the search. DATA_LOSS when the disk fails.
StatusOr<std::vector<StreamFacts>> streams_of_whole_file(Demuxer& demuxer,
                                                         const std::function<Status()>& alive);

}  // namespace weft::media
