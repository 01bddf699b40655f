// SPDX-License-Identifier: Apache-2.0
// Shows a banner about servers without a connection, with buttons to reconnect and to edit the
// server.
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
  // Requests a dialog to edit an unreachable server.
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
