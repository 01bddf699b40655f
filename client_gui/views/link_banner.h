// SPDX-License-Identifier: Apache-2.0
// Says which servers are not live, since when and why; with buttons to try again and to correct where one is.
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

 signals:
  // Of a server that is not reached: it may be somewhere else.
  void edit_wanted(int server);

 private:
  void show_links();
  void edit();
  void retry();

  Fleet& fleet_;
  QLabel* text_;
  QPushButton* edit_;
  QPushButton* retry_;
};

}  // namespace weft::gui
