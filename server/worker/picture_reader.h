// SPDX-License-Identifier: Apache-2.0
// Reads single frames of files for display. The last file stays open, so that the next frame costs
// the decoding of one frame, and an earlier frame that of a few.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "server/channel/file_descriptor.h"
#include "server/media/file.h"
#include "server/media/read/source/video_source.h"
#include "server/worker/texture/texture_picture.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

inline constexpr size_t kOpenPictureFiles = 2;  // an input and an output
// distance of the checkpoints from which an earlier frame can be decoded
inline constexpr int64_t kFramesBetweenCheckpoints = 32;
inline constexpr size_t kMostCheckpoints = 1024;  // limit for a file
// distance from which frames are counted before decoding is tried
inline constexpr int64_t kFarFrames = 250;

// Not thread-safe: one thread at a time may use it.
class PictureReader {
 public:
  PictureReader();
  ~PictureReader();

  // Answers a request. `descriptors` are those documented at ReadPicture. The answer describes the
  // picture in the shared memory, or contains an error.
  internal::v1::FromWorker answer(const internal::v1::ReadPicture& request,
                                  std::vector<channel::FileDescriptor> descriptors);

 private:
  struct Video;

  StatusOr<v1::PictureDescription> read(const internal::v1::ReadPicture& request,
                                        const media::InputFilePtr& file, int memory);
  StatusOr<v1::PictureDescription> read_frame(const internal::v1::ReadPicture& request,
                                              const media::InputFilePtr& file, int memory);
  // Returns the open video of a file. Opens the file unless it is the same as before and unchanged.
  StatusOr<Video*> open(const media::InputFilePtr& file);

  StatusOr<v1::PictureDescription> read_texture(const internal::v1::ReadPicture& request,
                                                const media::InputFile& file, int memory);

  TexturePictureReader textures_;
  std::list<Video> videos_;  // most recently used first
};

}  // namespace weft::worker
