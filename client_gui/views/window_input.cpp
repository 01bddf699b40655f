// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/window_input.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QMimeData>
#include <QUrl>
#include <algorithm>

namespace weft::gui {
namespace {

bool is_changed_by_wheel(const QWidget& widget) {
  return qobject_cast<const QComboBox*>(&widget) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr;
}

}  // namespace

WindowInput::WindowInput(QWidget& window) : QObject(&window), window_(window) {
  window_.setAcceptDrops(true);
  qApp->installEventFilter(this);
}

bool WindowInput::has_files(const QMimeData& dragged) {
  const QList<QUrl> urls = dragged.urls();
  return std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); });
}

bool WindowInput::eventFilter(QObject* watched, QEvent* event) {
  auto* const widget = qobject_cast<QWidget*>(watched);
  if (widget == nullptr) return false;
  switch (event->type()) {
    case QEvent::Show:  // set before the first wheel event can change the focus
      if (is_changed_by_wheel(*widget) && widget->focusPolicy() == Qt::WheelFocus)
        widget->setFocusPolicy(Qt::StrongFocus);
      return false;
    case QEvent::Wheel:
      if (!is_changed_by_wheel(*widget) || widget->hasFocus()) return false;
      event->ignore();  // passes the event to the parent
      return true;
    case QEvent::DragEnter:
    case QEvent::DragMove:
    case QEvent::Drop:
      return take_drag(*widget, static_cast<QDropEvent&>(*event));
    default:
      return false;
  }
}

bool WindowInput::take_drag(const QWidget& over, QDropEvent& event) {
  if (over.window() != &window_ || !has_files(*event.mimeData())) return false;
  if (event.possibleActions().testFlag(Qt::CopyAction)) event.setDropAction(Qt::CopyAction);
  event.accept();
  if (event.type() == QEvent::Drop) emit files_dropped(*event.mimeData());
  return true;
}

}  // namespace weft::gui
