// SPDX-License-Identifier: Apache-2.0
// A file's packets, read through a descriptor, with times that run on across jumps of a broadcast's clock. Two demuxers
// of the same file give the same packets with the same times, so that a frame and the sound beside it, read apart,
// still belong together.
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

// Used by one thread at a time.
class Demuxer {
 public:
  // INVALID_ARGUMENT: not a media file; no video stream; no such programme. Finds the streams and chooses the video (choose_video).
  // Nothing but the file is opened, whatever it refers to.
  static StatusOr<std::unique_ptr<Demuxer>> open(InputFilePtr file, int programme = 0);

  AVFormatContext& context() { return *context_; }
  const AVFormatContext& context() const { return *context_; }
  AVStream& video() { return *context_->streams[video_stream_]; }
  const AVStream& video() const { return *context_->streams[video_stream_]; }
  const InputFile& file() const { return *file_; }
  // Streams may begin anywhere: transport and program streams say which they have as they go on.
  bool may_gain_streams() const;
  // The time that players show as 0, in microseconds.
  int64_t start() const { return start_; }
  // The time of the packet with a time that was read last, of any stream of the video's programme, in microseconds; before the first,
  // start().
  int64_t clock() const { return clock_; }

  // The next packet of any stream; false at the end. All times lie within kLatestTime of 0: INVALID_ARGUMENT where the video's do
  // not; those of other streams go. DATA_LOSS when the disk fails.
  StatusOr<bool> read(AVPacket& packet);
  // Once read() has given the end: what is missing of the file, in a sentence without a full stop; "" for nothing.
  std::string shortage() const;
  bool jumped() const { return jumped_; }  // the video's clock, at the packet read last

  // So that read() goes on at or before the place, whose packet had these times and repair state. False when the format cannot.
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
  int read_error_ = 0;  // of the system, 0: none
  IoPtr io_;
  InputPtr context_;  // goes before io_
  int video_stream_ = -1;
  int64_t start_ = 0;
  int64_t clock_ = 0;
  std::vector<char> is_foreign_;  // by stream: of another programme
  JumpRepair repair_;
  Extent extent_;
  bool is_at_end_ = false;
  bool shrank_ = false;           // the file, since it was opened
  bool ended_in_packet_ = false;  // as FFmpeg's demuxer says
  bool jumped_ = false;
};

}  // namespace weft::media
