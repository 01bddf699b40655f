// SPDX-License-Identifier: Apache-2.0
// The devices of the servers, a strip each, and why others cannot be used.
#pragma once

#include <QWidget>
#include <vector>

#include "client_gui/models/fleet.h"

class QComboBox;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace weft::gui {

class DeviceStrip;

class DevicesView : public QWidget {
  Q_OBJECT

 public:
  explicit DevicesView(Fleet& fleet, QWidget* parent = nullptr);

  // Only the server's; 0: all. A device that is named is brought into view.
  void set_scope(int server, const QString& device);
  // Top to bottom.
  const std::vector<DeviceStrip*>& strips() const { return strips_; }
  DeviceStrip* strip(int server, const QString& device) const;

  // How much time the strips show, in seconds: from one start of the program to the next.
  double span() const;
  void set_span(double seconds);

 signals:
  void span_changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void refresh_server(int server);
  bool has_devices_as_shown() const;
  void rebuild();
  // False: the key means nothing here.
  bool take_key(const DeviceStrip& at, int key);
  void show_notes();
  void share_height();
  std::vector<int> shown_servers() const;

  Fleet& fleet_;
  int server_ = 0;
  QComboBox* spans_;
  QScrollArea* area_;
  QVBoxLayout* list_;
  QLabel* notes_;
  std::vector<DeviceStrip*> strips_;
};

}  // namespace weft::gui
