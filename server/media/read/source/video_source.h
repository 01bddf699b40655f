// SPDX-License-Identifier: Apache-2.0
// The frames of a file, one after another, as planes in memory; and the way back to a place in the middle
// that gives the very same frames.
//
//   ASSIGN_OR_RETURN(auto source, VideoSource::open(file, {}));
//   while (true) {
//     ASSIGN_OR_RETURN(std::optional<SourceFrame> frame, source->next());
//     if (!frame) break;                                   // the end
//     ...
//     if (frame->index + 1 == boundary) journal(source->checkpoint());   // before the next next()
//   }
//
// and after a crash, on a source freshly opened with checkpoint.hardware:
//
//   RETURN_IF_ERROR(source->resume(checkpoint));           // next() gives frame checkpoint.next_index
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/frame_hash.h"
#include "server/media/media_facts.h"
#include "server/media/read/pictures/frame_fetch.h"
#include "server/media/read/pictures/picture_changes.h"

namespace weft::media {

// Of the pictures, within a video.
enum class OnSizeChange {
  kFails,   // it ends the stream with an error
  kPasses,  // frames come as they are, for one output
  kSplits,  // frames come as they are, for an output of each size
};

struct SourceOptions {
  int programme = 0;      // whose video is taken; 0: of the one with the largest picture
  int threads = 0;        // that decode; 0 chooses by the machine (at most 16)
  bool hardware = true;   // decode with NVDEC where there is one that knows the format
  int cuda_ordinal = -1;  // which GPU's NVDEC; -1: the driver's first
  FrameFetch* fetch =
      nullptr;  // plans how NVDEC's frames come off that GPU; outlives the source; null: as they come
  // Frames stay on that GPU where `fetch` keeps them (FrameFetch::keep). False: all come to memory.
  bool keeps_frames = true;
  OnSizeChange on_size_change = OnSizeChange::kFails;
  int max_bad_packets = 1000;  // so many packets in a row that give no frame end the stream with DATA_LOSS
  // Called for each frame that is decoded only to find a place (resume, damage), which may take minutes. Its error
  // ends the call that waits.
  std::function<Status()> alive = nullptr;
};

// A decoded frame. The samples live as long as `owner` or a copy of it does; nobody writes to them. With SourceOptions::fetch they may
// be on the GPU instead.
struct SourceFrame {
  PictureView picture{};
  int64_t index = 0;     // 0, 1, 2 ... in the order they are shown
  int64_t pts = 0;       // in facts().video.time_base; strictly rising
  int64_t duration = 0;  // in the same unit, at least 1: what the stream says, else one frame of its rate
  bool interlaced = false;
  bool top_field_first = false;  // of an interlaced frame
  bool repeats_field = false;    // soft telecine: a field of it is to be shown again
  bool key = false;
  bool corrupt = false;        // the decoder concealed damage in it
  bool discontinuity = false;  // time jumped (more than 10 s, or back) before this frame
  std::string
      captions{};  // closed captions that came with it (ATSC A/53 part 4: three bytes each); mostly none
  std::shared_ptr<const void> owner{};
  std::shared_ptr<const void> kept{};  // what FrameFetch::keep() gave: the picture has a format and no planes
};
// Frames that were given and that the source itself still holds.
inline constexpr size_t kSeenFrames = 4;

// A place between two frames, as plain data. serialise() and parse_checkpoint() turn it into bytes and back.
struct SourceCheckpoint {
  // A place in the file where decoding can begin and gives right frames from its pts on.
  struct Anchor {
    int64_t position = -1;  // byte in the file
    int64_t pts = 0;
    int64_t dts = 0;
    std::vector<int64_t> clock{};  // state of the time repair there
  };
  // A frame just before the place.
  struct Seen {
    int64_t pts = 0;        // as decoded
    int64_t position = -1;  // byte of its packet in the file; -1 unknown
    uint64_t hash = 0;      // hash_picture
  };
  int64_t next_index = 0;  // the frame that next() gives
  int64_t last_pts = 0;    // of frame next_index - 1, as given
  int64_t file_bytes = 0;
  bool careful = false;           // damage was near: one thread decoded
  bool hardware = false;          // which decoder gave the frames: theirs may differ
  int reorder_frames = 0;         // what the decoder had learnt of the stream's reordering
  std::vector<Anchor> anchors{};  // newest last
  std::vector<Seen> seen{};       // the last frames, in order
  int64_t corrupt_packets = 0;    // the counters so far
  int64_t repaired_timestamps = 0;
};
std::string serialise(const SourceCheckpoint& checkpoint);
StatusOr<SourceCheckpoint> parse_checkpoint(std::string_view bytes);  // DATA_LOSS

// How many frames' times are wanted: the first `frames`, or those up to the first that is shown at or after `pts`.
struct FrameLimit {
  int64_t frames = std::numeric_limits<int64_t>::max();
  int64_t pts = std::numeric_limits<int64_t>::max();
};

// Which frame is shown when, read from the packets alone.
struct FrameTimes {
  std::vector<int64_t> pts{};                       // of frame 0, 1, 2 ... as the packets have them
  std::vector<SourceCheckpoint::Anchor> anchors{};  // in their order
  bool is_whole = false;                            // there are no more frames
};

struct SourceCounters {
  int64_t frames = 0;               // given so far
  int64_t corrupt_packets = 0;      // that the demuxer or the decoder complained of
  int64_t repaired_timestamps = 0;  // missing or not rising
};

// Used by one thread at a time. Decodes on threads of its own.
class VideoSource {
 public:
  // Errors as probe()'s.
  static StatusOr<std::unique_ptr<VideoSource>> open(InputFilePtr file, const SourceOptions& options);
  virtual ~VideoSource() = default;

  virtual const MediaFacts& facts() const = 0;

  // The next frame, nullopt at the end. Damage is concealed and counted. DATA_LOSS when too many packets in a
  // row give no frame, and when a file ends without any; INVALID_ARGUMENT when the format changes, or the
  // size where that fails. An error stays.
  virtual StatusOr<std::optional<SourceFrame>> next() = 0;

  // The place before the frame that next() will give. Hashes the last frames: about a millisecond each.
  virtual SourceCheckpoint checkpoint() const = 0;

  // Goes to the place. Decodes from an anchor if the codec promises that what follows is independent of what
  // came before, checks every frame kept in `seen` (time, place in the file, hash), and else decodes from the
  // start, with the same check. FAILED_PRECONDITION when the file is not the one of the checkpoint, or the
  // decoder gives other frames: then only starting over helps. Call before the first next(). Near damage
  // this takes longer: the frames since the damage, or since the start, are decoded again by one thread.
  virtual Status resume(const SourceCheckpoint& checkpoint) = 0;

  // Of the first frames up to the limit, where there are so many: reads their packets, without decoding. Nullopt: frames cannot be
  // counted so, as the file is damaged, begins in the middle of a group of pictures, or has times that are missing (program
  // streams), twice the same or jump.
  virtual StatusOr<std::optional<FrameTimes>> frame_times(const FrameLimit& limit) = 0;

  // Goes to a frame by what frame_times() gave, decoding from an anchor: its samples are those that decoding from the start gives.
  // False, at the start of the file: there is no such way, or frames do not come at their times. Call before the first next().
  virtual StatusOr<bool> skip_to(int64_t index, const FrameTimes& times) = 0;

  virtual SourceCounters counters() const = 0;
  virtual bool hardware() const = 0;  // NVDEC decodes
  // NVDEC is asked to decode: the first frame says whether it does.
  virtual bool asks_hardware() const = 0;
  // Frames that resume() decoded and threw away; 0 before.
  virtual int64_t frames_skipped() const = 0;
  // Once next() has given the end: what is missing of the file, as far as its container tells, in a sentence without a full stop; ""
  // for nothing.
  virtual std::string shortage() const = 0;
  // Sentences about what was chosen and what was repaired, for the job's log.
  virtual std::vector<std::string> notes() const = 0;
  // Of the frame that next() gave last; before the first, what the file says.
  virtual const PictureLook& look() const = 0;
  // Sentences about where size, aspect or colours changed, in the frames given so far.
  virtual const std::vector<std::string>& changes() const = 0;
};

}  // namespace weft::media
