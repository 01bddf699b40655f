// SPDX-License-Identifier: Apache-2.0
// Single pictures of files, for people who look at them. What was open last stays open, so that the next picture costs one
// frame's decoding, and going back costs a few.
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

inline constexpr size_t kOpenPictureFiles = 2;       // an input and an output
inline constexpr int64_t kFramesBetweenPlaces = 32;  // to which going back is cheap
inline constexpr size_t kMostPlaces = 1024;          // of a file
inline constexpr int64_t kFarFrames = 250;           // from which on counting is tried before decoding

// For one thread.
class PictureReader {
 public:
  PictureReader();
  ~PictureReader();

  // `descriptors`: as ReadPicture says. The answer describes the picture whose samples are in the shared memory, or has an error.
  internal::v1::FromWorker answer(const internal::v1::ReadPicture& request,
                                  std::vector<channel::FileDescriptor> descriptors);

 private:
  struct Video;

  StatusOr<v1::PictureDescription> read(const internal::v1::ReadPicture& request,
                                        const media::InputFilePtr& file, int memory);
  StatusOr<v1::PictureDescription> read_frame(const internal::v1::ReadPicture& request,
                                              const media::InputFilePtr& file, int memory);
  // The file's, open already if it is the same as before, unchanged.
  StatusOr<Video*> open(const media::InputFilePtr& file);

  StatusOr<v1::PictureDescription> read_texture(const internal::v1::ReadPicture& request,
                                                const media::InputFile& file, int memory);

  TexturePictureReader textures_;
  std::list<Video> videos_;  // the one used last first
};

}  // namespace weft::worker
