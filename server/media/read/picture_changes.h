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
  void start(const PictureLook& first) { first_ = now_ = first; }
  // The next frame's, silently: on the way to a place.
  void pass(const PictureLook& look) { now_ = look; }
  // The frame to come follows none of those that were passed.
  void forget() { now_ = first_; }
  void look(const PictureLook& look, int64_t index, double seconds);

  // Sentences, of the first changes.
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  PictureLook first_, now_;
  std::vector<std::string> texts_;
};

}  // namespace weft::media
