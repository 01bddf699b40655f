// SPDX-License-Identifier: Apache-2.0
// Reads a file's packets through a descriptor, with times that continue across jumps of a
// broadcast's clock. Two demuxers of one file return the same packets with the same times, so that
// a frame and its audio, read separately, stay in sync.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/media/ffmpeg.h"
#include "server/media/file.h"
#include "server/media/read/packets/extent.h"
#include "server/media/read/packets/jump_repair.h"

namespace weft::media {

// Not thread-safe.
class Demuxer {
 public:
  // Opens a file, finds its streams and chooses the video (choose_video). Opens no other file, even
  // if the file refers to others. INVALID_ARGUMENT: not a media file; no video stream; no such
  // program.
  static StatusOr<std::unique_ptr<Demuxer>> open(InputFilePtr file, int programme = 0);

  AVFormatContext& context() { return *context_; }
  const AVFormatContext& context() const { return *context_; }
  AVStream& video() { return *context_->streams[video_stream_]; }
  const AVStream& video() const { return *context_->streams[video_stream_]; }
  const InputFile& file() const { return *file_; }
  // Returns true if streams may begin anywhere in the file: transport and program streams can
  // declare more streams later.
  bool may_gain_streams() const;
  // Returns the time that players show as 0, in microseconds.
  int64_t start() const { return start_; }
  // Returns the time of the last packet read that had a time, of any stream of the video's
  // programme, in microseconds; start() before the first packet.
  int64_t clock() const { return clock_; }

  // Reads the next packet of any stream; returns false at the end. All times lie within kLatestTime
  // of 0: an impossible time of the video is INVALID_ARGUMENT, and one of another stream is
  // removed. DATA_LOSS on an error of the disk.
  StatusOr<bool> read(AVPacket& packet);
  // Returns, after the end, a sentence without a full stop about a missing part of the file, or an
  // empty string.
  std::string shortage() const;
  bool jumped() const { return jumped_; }  // true if the video's clock jumped at the last packet

  // Moves so that read() continues at or before `position`, the position of a packet that had these
  // times and this repair state. Returns false if the format cannot seek.
  bool seek(int64_t position, int64_t pts, int64_t dts, const std::vector<int64_t>& repair_state);
  std::vector<int64_t> repair_state() const { return repair_.state(); }

 private:
  explicit Demuxer(InputFilePtr file) : file_(std::move(file)) {}
  Status open_context();
  void forget_impossible_times();
  Status check_times(AVPacket& packet) const;
  void follow_clock(const AVPacket& packet);
  static int read_bytes(void* self, uint8_t* target, int count);
  static int64_t seek_bytes(void* self, int64_t offset, int whence);

  InputFilePtr file_;
  int64_t offset_ = 0;
  int read_error_ = 0;  // error number of the system; 0: none
  IoPtr io_;
  InputPtr context_;  // declared after io_, so that it is destroyed first
  int video_stream_ = -1;
  int64_t start_ = 0;
  int64_t clock_ = 0;
  std::vector<char> is_unsupported_;  // by stream: 1 if it belongs to another program
  JumpRepair repair_;
  Extent extent_;
  bool is_at_end_ = false;
  bool shrank_ = false;           // the file became shorter after it was opened
  bool ended_in_packet_ = false;  // FFmpeg's demuxer reported an end within a packet
  bool jumped_ = false;
};

}  // namespace weft::media
