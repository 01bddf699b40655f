// SPDX-License-Identifier: Apache-2.0
// Says which servers are not live, since when and why; with a button to try again.
#pragma once

#include <QFrame>

#include "client_gui/models/fleet.h"

class QLabel;
class QPushButton;

namespace weft::gui {

class LinkBanner : public QFrame {
  Q_OBJECT

 public:
  explicit LinkBanner(Fleet& fleet, QWidget* parent = nullptr);

 private:
  void show_links();
  void retry();

  Fleet& fleet_;
  QLabel* text_;
  QPushButton* retry_;
};

}  // namespace weft::gui
