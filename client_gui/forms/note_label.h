// SPDX-License-Identifier: Apache-2.0
// Shows the help or the error of a field. The label keeps the height of the help, at least two
// lines, so that fields below do not move.
#pragma once

#include <QLabel>

namespace weft::gui {

class NoteLabel : public QLabel {
  Q_OBJECT

 public:
  NoteLabel(const QString& help, QWidget* parent);

  // Shows the error, or the help if `error` is empty.
  void show_error(const QString& error);
  int heightForWidth(int width) const override;
  QSize minimumSizeHint() const override;

 private:
  const QString help_;
};

}  // namespace weft::gui
