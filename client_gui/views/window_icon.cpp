// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/window_icon.h"

#include <QPainter>
#include <QPixmap>

namespace weft::gui {
namespace {

constexpr int kSizes[] = {16, 24, 32, 48, 64, 128, 256};
constexpr int kThreads = 3;  // number of threads per direction
constexpr QRgb kWarp = 0xff2f6fd6, kWeft = 0xffe69f00;

// Draws the n-th thread over the whole width or height of the icon.
void draw_thread(QPainter& painter, double size, int n, bool is_weft) {
  const double step = size / kThreads, thick = step * 0.72;
  const double at = step * n + (step - thick) / 2;
  const QRectF thread = is_weft ? QRectF(0, at, size, thick) : QRectF(at, 0, thick, size);
  painter.fillRect(thread, QColor(is_weft ? kWeft : kWarp));
}

QPixmap icon_of(int size) {
  QPixmap pixmap(size, size);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  for (int n = 0; n < kThreads; n++) draw_thread(painter, size, n, false);
  for (int row = 0; row < kThreads; row++)
    for (int column = 0; column < kThreads; column++) {
      if ((row + column) % 2 != 0) continue;  // the thread is under the other one here
      const double step = double(size) / kThreads;
      painter.setClipRect(QRectF(step * column, step * row, step, step));
      draw_thread(painter, size, row, true);
    }
  painter.setClipping(false);
  return pixmap;
}

}  // namespace

QIcon window_icon() {
  QIcon icon;
  for (const int size : kSizes) icon.addPixmap(icon_of(size));
  return icon;
}

}  // namespace weft::gui
