// SPDX-License-Identifier: Apache-2.0
// Finds streams that begin late: they appear, or their first packet appears, after the start of the
// file. For example, a broadcast has a second language for an hour, or declared audio begins after
// a minute.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "server/media/read/packets/demuxer.h"

namespace weft::media {

// Not thread-safe.
class StreamWatch {
 public:
  // `demuxer` must be newly opened, and must outlive this object.
  explicit StreamWatch(Demuxer& demuxer);

  // Returns true if any stream can begin late.
  bool expects_any() const;
  bool is_late(int stream) const;
  // Registers the next packet of a late stream. Packets of audio are decoded until rate and
  // channels are known, and these are set in the demuxer's stream.
  void see(const AVPacket& packet);
  // Returns other_streams() with the number of packets of late streams. Streams that appeared late
  // and have no packet are excluded.
  std::vector<StreamInfo> streams() const;

 private:
  struct Late {
    int64_t packets = 0;
    int64_t begin = AV_NOPTS_VALUE;  // first time, in the stream's unit
    CodecPtr decoder{};              // used until the format is known
    int packets_left = 0;            // number of packets that may still be decoded for the format
  };
  void find_format(AVStream& stream, Late& late, const AVPacket& packet);

  Demuxer& demuxer_;
  int known_;                 // number of streams at the start
  std::map<int, Late> late_;  // key: index of the stream
};

// Reads all packets of the file. `alive` is called repeatedly; its error ends the call. DATA_LOSS
// on an error of the disk.
StatusOr<std::vector<StreamInfo>> streams_of_whole_file(Demuxer& demuxer,
                                                        const std::function<Status()>& alive);

}  // namespace weft::media
