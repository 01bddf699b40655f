// SPDX-License-Identifier: Apache-2.0
// Handles the mouse wheel and dropped files for all widgets of a window. The wheel changes a choice
// or a number only if the widget has the focus; otherwise it scrolls the surrounding area. Dropped
// files are handled by the window, also above text fields.
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

  // Returns true if the drag contains local files.
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
