// SPDX-License-Identifier: Apache-2.0
// Converts statistics of an encoder's first pass to files and back. The libraries x264 and x265
// write files in the first pass, and read them in the second pass. In between, the statistics are
// data, which the caller keeps: the text file, a zero byte, and the file of the propagated costs of
// blocks ("mbtree", "cutree"), if there is one.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "server/media/ffmpeg.h"
#include "server/media/write/encoder_table.h"
#include "server/media/write/output_types.h"
#include "server/media/write/video_encoder.h"

namespace weft::media {

// Returns the sums over the frames of a library's statistics. DATA_LOSS if there is no frame.
StatusOr<PassBits> bits_of(std::string_view statistics);

// Owns the files of one encoder's statistics.
class PassFiles {
 public:
  // The files lie in `folder`, an existing one.
  PassFiles(const EncoderEntry& entry, const std::string& folder);
  ~PassFiles();  // removes the files
  PassFiles(const PassFiles&) = delete;
  PassFiles& operator=(const PassFiles&) = delete;

  // Sets the options and flags of the pass, and writes the files for a second pass.
  // RESOURCE_EXHAUSTED for a full disk, UNAVAILABLE without a folder.
  Status prepare(const EncoderSettings& settings, AVCodecContext& context, Dictionary& options) const;
  // Returns the statistics of a first pass. The encoder must be closed. DATA_LOSS if they are
  // missing.
  StatusOr<std::string> read() const;

 private:
  const EncoderEntry& entry_;
  const std::string path_;
};

}  // namespace weft::media
