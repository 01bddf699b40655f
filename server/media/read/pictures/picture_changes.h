// SPDX-License-Identifier: Apache-2.0
// Where a stream's pictures turn into others: another size, aspect or colour. A file says each once; who goes on with the first ones
// tells of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/media/media_facts.h"

namespace weft::media {

// What is the same for all frames of most files.
struct PictureLook {
  int width = 0, height = 0;
  Ratio pixel_aspect{};
  Colour colour{};
  bool operator==(const PictureLook&) const = default;
};

class PictureChanges {
 public:
  // `splits`: pictures of another size begin an output of their own, which has their aspect and colours.
  void start(const PictureLook& first, bool splits = false) {
    first_ = now_ = first;
    splits_ = splits;
    is_lost_ = false;
  }
  // The next frame's, silently: on the way to a place.
  void pass(const PictureLook& look) { now_ = look; }
  // The frame to come follows none of those that were passed.
  void forget() {
    now_ = first_;
    is_lost_ = splits_;
  }
  void look(const PictureLook& look, int64_t index, double seconds);

  // Of the frame that came last.
  const PictureLook& now() const { return now_; }
  // Sentences, of the first changes.
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  PictureLook first_, now_;
  bool splits_ = false;
  bool is_lost_ = false;  // the next frame's look is an output's first
  std::vector<std::string> texts_;
};

}  // namespace weft::media
