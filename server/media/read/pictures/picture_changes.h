// SPDX-License-Identifier: Apache-2.0
// Detects changes of size, aspect ratio or colour within a stream, and reports each change once per
// file. A consumer that continues with the first format reports that itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/media/media_info.h"

namespace weft::media {

// Properties that all frames of most files share.
struct PictureFormat {
  int width = 0, height = 0;
  Ratio pixel_aspect{};
  Colour colour{};
  bool operator==(const PictureFormat&) const = default;
};

class PictureChanges {
 public:
  // Begins with the format of the first frame. `splits`: frames of another size begin an output of
  // their own, which has their aspect ratio and colours.
  void start(const PictureFormat& first, bool splits = false) {
    first_ = now_ = first;
    splits_ = splits;
    is_lost_ = false;
  }
  // Sets the format of the next frame without a report, while the source moves to a position.
  void pass(const PictureFormat& format) { now_ = format; }
  // Makes the next frame independent of the frames that were passed.
  void forget() {
    now_ = first_;
    is_lost_ = splits_;
  }
  void observe(const PictureFormat& format, int64_t index, double seconds);

  // Returns the format of the newest frame.
  const PictureFormat& now() const { return now_; }
  // Returns sentences about the first changes.
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  PictureFormat first_, now_;
  bool splits_ = false;
  bool is_lost_ = false;  // the next frame's format is the first of its output
  std::vector<std::string> texts_;
};

}  // namespace weft::media
