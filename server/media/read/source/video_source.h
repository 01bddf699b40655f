// SPDX-License-Identifier: Apache-2.0
// Decodes the frames of a file in order, as planes in memory, and returns to a checkpoint in the
// middle, from which the same frames follow.
//
//   ASSIGN_OR_RETURN(auto source, VideoSource::open(file, {}));
//   while (true) {
//     ASSIGN_OR_RETURN(std::optional<SourceFrame> frame, source->next());
//     if (!frame) break;                                   // the end
//     ...
//     if (frame->index + 1 == boundary) journal(source->checkpoint());   // before the next next()
//   }
//
// After a crash, on a newly opened source with checkpoint.hardware:
//
//   RETURN_IF_ERROR(source->resume(checkpoint));  // next() returns frame checkpoint.next_index
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantisers.h"
#include "base/status.h"
#include "server/media/file.h"
#include "server/media/frame_hash.h"
#include "server/media/media_info.h"
#include "server/media/read/pictures/frame_fetch.h"
#include "server/media/read/pictures/picture_changes.h"

namespace weft::media {

// The treatment of a change of the frame size within a video.
enum class OnSizeChange {
  kFails,   // the stream ends with an error
  kPasses,  // frames are returned with their sizes, for one output
  kSplits,  // frames are returned with their sizes, for one output of each size
};

struct SourceOptions {
  int programme = 0;      // number of the program; 0: the one with the largest picture
  int threads = 0;        // decoding threads; 0: chosen by the machine (at most 16)
  bool hardware = true;   // decodes with NVDEC if it is available and supports the format
  int cuda_ordinal = -1;  // GPU for NVDEC; -1: the driver's first
  // schedules the transfer of NVDEC's frames from that GPU; must outlive the source; null: no
  // schedule
  FrameFetch* fetch = nullptr;
  // keeps frames on that GPU if `fetch` can (FrameFetch::keep); false: all frames are copied to
  // memory
  bool keeps_frames = true;
  OnSizeChange on_size_change = OnSizeChange::kFails;
  // returns the quantisers of frames (SourceFrame::quantisers); the CPU then decodes
  bool quantisers = false;
  // number of consecutive packets without a frame that ends the stream with DATA_LOSS
  int max_bad_packets = 1000;
  // Called for each frame that is decoded only to reach a position (resume, damage), which may take
  // minutes. Its error ends the call in progress.
  std::function<Status()> alive = nullptr;
};

// A decoded frame. The samples exist as long as `owner` or a copy of it, and are never changed.
// With SourceOptions::fetch they may be on the GPU instead.
struct SourceFrame {
  PictureView picture{};
  int64_t index = 0;  // 0, 1, 2 ... in the order of display
  int64_t pts = 0;    // time in the unit info().video.time_base; strictly increasing
  // in the same unit, at least 1: the stream's value, or else one frame at its rate
  int64_t duration = 0;
  bool interlaced = false;
  bool top_field_first = false;  // valid for an interlaced frame
  bool repeats_field = false;    // soft telecine: one of its fields is to be shown again
  int repeated_frames = 0;       // number of times that the whole frame is to be shown again
  bool key = false;
  bool corrupt = false;        // the decoder concealed damage in the frame
  bool discontinuity = false;  // the time jumped before this frame (more than 10 s, or back)
  // closed captions of the frame (ATSC A/53 part 4: three bytes each); usually empty
  std::string captions{};
  FrameQuantisers quantisers{};  // with SourceOptions::quantisers, if the decoder exports them
  std::shared_ptr<const void> owner{};
  // handle from FrameFetch::keep(); `picture` then has a format and no planes
  std::shared_ptr<const void> kept{};
};
// Number of returned frames that the source itself still holds.
inline constexpr size_t kSeenFrames = 4;

// A position between two frames, as plain data. serialise() and parse_checkpoint() convert it to
// bytes and back.
struct SourceCheckpoint {
  // A position in the file where decoding can begin; frames from its pts on are correct.
  struct Anchor {
    int64_t position = -1;  // offset in the file
    int64_t pts = 0;
    int64_t dts = 0;
    std::vector<int64_t> clock{};  // state of the time repair at the anchor
  };
  // A frame just before the checkpoint.
  struct Seen {
    int64_t pts = 0;        // decoded time
    int64_t position = -1;  // offset of the frame's packet in the file; -1: unknown
    uint64_t hash = 0;      // hash_picture() of the frame
  };
  int64_t next_index = 0;  // index of the next frame
  int64_t last_pts = 0;    // time of frame next_index - 1, after repair
  int64_t file_bytes = 0;
  bool careful = false;           // one thread decoded, because of damage nearby
  bool hardware = false;          // NVDEC decoded; frames of the CPU's decoder may differ
  int reorder_frames = 0;         // the decoder's estimate of the stream's reordering
  std::vector<Anchor> anchors{};  // newest last
  std::vector<Seen> seen{};       // the last frames before the checkpoint, in order
  int64_t corrupt_packets = 0;    // counters at the checkpoint
  int64_t repaired_timestamps = 0;
};
std::string serialise(const SourceCheckpoint& checkpoint);
StatusOr<SourceCheckpoint> parse_checkpoint(std::string_view bytes);  // DATA_LOSS if damaged

// Limits the frame times to return: the first `frames` ones, or those up to the first frame shown
// at or after `pts`.
struct FrameLimit {
  int64_t frames = std::numeric_limits<int64_t>::max();
  int64_t pts = std::numeric_limits<int64_t>::max();
};

// The times of frames, read from the packets without decoding.
struct FrameTimes {
  std::vector<int64_t> pts{};                       // times of frames 0, 1, 2 ... in the packets
  std::vector<SourceCheckpoint::Anchor> anchors{};  // in the order of the file
  bool is_whole = false;                            // all frames of the file are included
};

struct SourceCounters {
  int64_t frames = 0;               // number of frames returned
  int64_t corrupt_packets = 0;      // number of packets with errors of the demuxer or the decoder
  int64_t repaired_timestamps = 0;  // number of missing or non-increasing times
};

// Not thread-safe. Uses its own threads for decoding.
class VideoSource {
 public:
  // Opens a file. Errors are those of probe().
  static StatusOr<std::unique_ptr<VideoSource>> open(InputFilePtr file, const SourceOptions& options);
  virtual ~VideoSource() = default;

  virtual const MediaInfo& info() const = 0;

  // Returns the next frame, or nullopt at the end. Damage is concealed and counted. DATA_LOSS if
  // too many consecutive packets give no frame, or if the file ends without any frame;
  // INVALID_ARGUMENT if the format changes, or the size with OnSizeChange::kFails. After an error,
  // all calls return it.
  virtual StatusOr<std::optional<SourceFrame>> next() = 0;

  // Returns the position before the frame that next() will return. Hashes the last frames, about a
  // millisecond each.
  virtual SourceCheckpoint checkpoint() const = 0;

  // Moves to the checkpoint. Decodes from an anchor if the codec guarantees independence of earlier
  // data, and compares every frame in `seen` (time, offset in the file, hash). Otherwise, or if
  // frames differ, decodes from the start, with the same comparison. FAILED_PRECONDITION if the
  // file is not the checkpoint's, or the decoder returns other frames: the job must start over.
  // Must be called before the first next(). Takes longer near damage: one thread decodes the frames
  // since the damage, or since the start, again.
  virtual Status resume(const SourceCheckpoint& checkpoint) = 0;

  // Returns the times of the first frames up to the limit or to the end, from their packets,
  // without decoding. Returns nullopt if frames cannot be counted this way: the file is damaged,
  // begins in the middle of a group of pictures, or has missing (program streams), repeated or
  // jumping times.
  virtual StatusOr<std::optional<FrameTimes>> frame_times(const FrameLimit& limit) = 0;

  // Moves to a frame by the result of frame_times(), and decodes from an anchor. The samples equal
  // those of decoding from the start. Returns false, at the start of the file, if that is
  // impossible or frames do not have the counted times. Must be called before the first next().
  virtual StatusOr<bool> skip_to(int64_t index, const FrameTimes& times) = 0;

  virtual SourceCounters counters() const = 0;
  virtual bool hardware() const = 0;  // true if NVDEC decodes
  // Returns true if NVDEC was requested. hardware() is valid from the first frame on.
  virtual bool asks_hardware() const = 0;
  // Returns the number of frames that were decoded and dropped to reach a position.
  virtual int64_t frames_skipped() const = 0;
  // Returns, after the end, a sentence without a full stop about a missing part of the file, as far
  // as the container declares it; or an empty string.
  virtual std::string shortage() const = 0;
  // Returns sentences about choices and repairs, for the job's log. Damage is in counters().
  virtual std::vector<std::string> notes() const = 0;
  // Returns the format of the last frame from next(); before the first frame, the file's
  // declaration.
  virtual const PictureFormat& format() const = 0;
  // Returns sentences about changes of size, aspect ratio or colours in the frames returned so far.
  virtual const std::vector<std::string>& changes() const = 0;
};

}  // namespace weft::media
