// SPDX-License-Identifier: Apache-2.0
// From finished segments and the source to the final file: video from the segments, sound, subtitles,
// chapters, attachments and metadata from the source.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/media_facts.h"
#include "server/media/write/segment_file.h"
#include "server/media/write/video_encoder.h"

namespace weft::media {

// What the output will hold.
struct OutputPlan {
  std::string container{};           // FFmpeg's muxer: "matroska"; "" for the encoder null
  std::vector<int> copied{};         // streams of the source, by index, in the order of the output
  std::vector<int> encoded{};        // of these the sound that is encoded anew
  std::vector<std::string> notes{};  // a sentence for each stream that is left out
};

// What becomes of streams that are not carried: left out with a note, or an error. Sound that begins with the file and that the
// container cannot hold is an error in any case.
enum class Unsupported { kDrop, kRefuse };

// What becomes of sound.
enum class SoundChoice { kCopy, kAac, kFlac, kNone };

// What becomes of the streams that are no video.
struct CopyChoices {
  Unsupported unsupported = Unsupported::kDrop;
  SoundChoice audio = SoundChoice::kCopy;
  std::map<int, SoundChoice> audio_streams{};  // in place of `audio`, of the source's streams by index
  bool subtitles = true;                       // false: left out

  SoundChoice sound(int stream) const {
    const auto own = audio_streams.find(stream);
    return own != audio_streams.end() ? own->second : audio;
  }
};

// Can `name` (a file name; its extension chooses: mkv, mp4, m4v, mov, ts, m2ts, mts, webm, avi, nut, y4m)
// hold what `encoder` (a name of EncoderSettings) gives, and the source's other streams? INVALID_ARGUMENT
// naming the stream, the containers that can and the options that help. What begins late, or has no format near the start, is for finish() to say.
StatusOr<OutputPlan> check_output(std::string_view name, std::string_view encoder, const MediaFacts& facts,
                                  const CopyChoices& choices = {});

// What becomes of interlaced pictures, as a sentence, where the stream that the encoder gives does not say that they are; "" where it
// does, and for progressive ones. The containers mkv, mp4, mov and y4m say it too.
std::string fields_note(std::string_view name, std::string_view encoder, const OutputVideo& video);

// That static HDR metadata is lost, as a sentence, where neither the encoder nor the container holds it; else "".
std::string hdr10_note(std::string_view name, std::string_view encoder, const OutputVideo& video);

// A sentence for each of the video's side data that the output will not have.
std::vector<std::string> side_data_notes(std::string_view name, std::string_view encoder,
                                         const VideoFacts& video);

// A sentence for each stream, and for the file, of whose tags, titles, languages, flags and chapters something is lost.
std::vector<std::string> metadata_notes(std::string_view name, std::string_view encoder,
                                        const MediaFacts& facts, const OutputPlan& plan);

// The encoder that "auto" stands for: "raw" for y4m, "svt-av1" for webm, else "x264".
std::string encoder_for(std::string_view name);

// What of the source belongs to the video: packets, and chapters, from one time to another, in the video stream's unit. Time 0 of the
// output is `begin`.
struct SourcePart {
  int64_t first_frame = 0;         // of the source, for timecodes
  std::optional<int64_t> begin{};  // absent: with the source
  std::optional<int64_t> end{};    // absent: with the source
};

// Before the work: what of an output is known then.
struct TrialRequest {
  InputFilePtr source{};
  int programme = 0;
  std::string name{};     // of the final file
  SegmentHeader video{};  // what the encoder says of its stream
  OutputPlan plan{};
  CopyChoices choices{};
};

// Whether the container takes the header and the first packets of the streams that are copied, as finish() would write them.
// INVALID_ARGUMENT naming the stream that it refuses and the options that help. Reads some megabytes of the source at most.
Status try_output(const TrialRequest& request);

struct FinishRequest {
  std::vector<FilePlace> segments{};  // in order, at least one
  InputFilePtr source{};
  std::string name{};  // the final file's name: its extension chooses the container
  FilePlace output{};  // the temporary file to write; created or emptied
  SourcePart part{};
  int programme = 0;  // of the source: whose video was worked on
  CopyChoices choices{};
  int64_t expected_frames = 0;
  // Called some times a second at most with the frames written; an error stops and comes out of finish().
  std::function<Status(int64_t frames)> progress{};
};

struct FinishResult {
  int64_t frames = 0;
  int64_t bytes = 0;
  std::vector<std::string> notes{};  // streams left out, times repaired
};

// Writes, counts and syncs the file; its bytes depend on segments and source alone. Frames keep their times,
// less the source's start or the part's begin. Of a part, whole packets are copied: those of sound that begin in it; subtitles that are
// shown in it, for so long. DATA_LOSS for a damaged segment, FAILED_PRECONDITION for segments that do not
// belong together, RESOURCE_EXHAUSTED for a full disk, INTERNAL when the frames are not as many as expected.
// Streams that begin late (StreamWatch) become tracks as the others; the file is written twice then. INVALID_ARGUMENT when one is
// refused. The encoder null writes no file.
StatusOr<FinishResult> finish(const FinishRequest& request);

}  // namespace weft::media
