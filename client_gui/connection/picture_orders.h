// SPDX-License-Identifier: Apache-2.0
// Defines requests for pictures and their results.
#pragma once

#include <QMetaType>
#include <QString>
#include <cstdint>
#include <memory>

#include "client_gui/pictures/picture.h"

namespace weft::gui {

// A request for one picture of a job's input or output.
struct PictureOrder {
  QString job;
  bool is_output = false;
  int64_t index = 0;
  int longest_side = 0;  // longest side of the scaled picture in pixels; 0: full size

  bool operator==(const PictureOrder&) const = default;
};

struct PictureResult {
  PictureOrder order;
  std::shared_ptr<const Picture> picture;  // null: `error` states the reason
  QString error;                           // one sentence
  // true: no daemon answered, so that a later attempt may succeed
  bool is_lost = false;
};

}  // namespace weft::gui
