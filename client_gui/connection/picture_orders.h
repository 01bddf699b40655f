// SPDX-License-Identifier: Apache-2.0
// Pictures that are asked for, and what comes of it.
#pragma once

#include <QMetaType>
#include <QString>
#include <cstdint>
#include <memory>

#include "client_gui/pictures/picture.h"

namespace weft::gui {

// Which picture of what a job reads or wrote.
struct PictureOrder {
  QString job;
  bool is_output = false;
  int64_t index = 0;
  int longest_side = 0;  // of a smaller picture; 0: as it is

  bool operator==(const PictureOrder&) const = default;
};

struct PictureResult {
  PictureOrder order;
  std::shared_ptr<const Picture> picture;  // null: see error
  QString error;                           // a sentence
  bool is_lost = false;                    // no daemon answered: it may come later
};

}  // namespace weft::gui
