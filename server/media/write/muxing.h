// SPDX-License-Identifier: Apache-2.0
// Writes a container in one pass over the segments and the source, or checks that it can be
// written.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/media/read/probe/stream_watch.h"
#include "server/media/write/audio_changes.h"
#include "server/media/write/audio_tracks.h"
#include "server/media/write/container.h"
#include "server/media/write/copied_part.h"
#include "server/media/write/output_stream.h"
#include "server/media/write/video_track.h"

namespace weft::media {

// Calls the caller's progress function at most once every 200 ms.
class ProgressReporter {
 public:
  explicit ProgressReporter(const std::function<Status(int64_t)>& report) : report_(report) {}
  Status frames(int64_t count);

 private:
  const std::function<Status(int64_t)>& report_;
  std::chrono::steady_clock::time_point last_{};
};

class Muxing {
 public:
  struct Parts {
    std::string name{};  // name of the output, for messages
    CopyChoices choices{};
    SourcePart part{};
    bool constant_rate = true;  // false: the output declares no frame rate
    std::function<Status(int64_t frames)> progress{};
    std::function<Status()> file_status = ok_status;  // returns the state of the output file
    // The source is required. The other pointers may be null.
    Demuxer* source = nullptr;
    StreamWatch* watch = nullptr;    // receives packets of streams that begin late
    AudioChanges* finds = nullptr;   // receives the packets of copied audio
    AudioChanges* routes = nullptr;  // chooses the track of each audio packet
  };
  explicit Muxing(Parts parts);

  // Writes the header. `described` holds the source's streams with their formats.
  Status start(AVIOContext* io, const ContainerEntry& container, const OutputPlan& plan,
               const AVFormatContext& described, const SegmentHeader& video, int64_t reorder_frames);
  Status write_packets(VideoTrack& track);
  Status finish();
  // Checks the container instead of write_packets() and finish(): passes the first packets of each
  // copied stream to it. On an error `index` is the index of the refused stream, or -1.
  Status try_packets(int& index);

  int64_t repaired_times() const { return repaired_; }
  std::vector<std::string> audio_notes() const { return audio_.notes(); }

 private:
  struct Target {
    int stream = -1;  // index in the output
    int64_t last_dts = AV_NOPTS_VALUE;
    int64_t packets = 0;
  };
  Status write_header(const ContainerEntry& container);
  StatusOr<bool> read_video(VideoTrack& track);
  Status add_streams(const ContainerEntry& container, const OutputPlan& plan,
                     const AVFormatContext& described);
  Status add_copied(const ContainerEntry& container, const AVStream& from);
  StatusOr<bool> read_copied();
  // Returns the target of the current packet, or null if the packet is not copied.
  StatusOr<Target*> place_copied();
  bool take_encoded();
  Status fill_video(const VideoTrack::Packet& from);
  void move_in_time(AVPacket& packet, AVRational unit, Target& target);
  int64_t delay_of(const AVStream& to) const;
  bool video_is_next() const;
  bool has_tried_all() const;
  Status write(AVPacket& packet);
  Status failed(int result, std::string_view doing, const LogScope& log) const;

  Parts parts_;
  OutputPtr output_;
  PacketPtr video_{av_packet_alloc()};
  PacketPtr copied_{av_packet_alloc()};
  VideoTrack::Packet buffer_;
  AVRational video_unit_{};
  Target video_target_{.stream = 0};
  // by the source's stream: usually one target; none if the stream is not copied
  std::vector<std::vector<Target>> targets_;
  std::vector<uint8_t> in_band_;  // parameter sets to insert before each keyframe
  CopiedPart part_;
  AudioTracks audio_{part_};
  bool source_has_ended_ = false;
  ProgressReporter progress_;
  int64_t frames_ = 0;  // number of frames written
  int64_t repaired_ = 0;
};

}  // namespace weft::media
