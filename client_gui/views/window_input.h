// SPDX-License-Identifier: Apache-2.0
// The mouse wheel and dropped files in a window, at any widget under the pointer. The wheel changes a choice or a number only where it has
// the focus, and otherwise scrolls what surrounds it. Files belong to the window, also over fields that take dropped text.
#pragma once

#include <QObject>

class QDropEvent;
class QMimeData;
class QWidget;

namespace weft::gui {

class WindowInput : public QObject {
  Q_OBJECT

 public:
  explicit WindowInput(QWidget& window);

  // Whether a drag has files of this machine.
  static bool has_files(const QMimeData& dragged);

 signals:
  void files_dropped(const QMimeData& files);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool take_drag(const QWidget& over, QDropEvent& event);

  QWidget& window_;
};

}  // namespace weft::gui
