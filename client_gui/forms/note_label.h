// SPDX-License-Identifier: Apache-2.0
// Help next to a field, or what is wrong with it instead. It keeps the height of its help, and two lines at least, so that fields
// below do not move as errors come and go.
#pragma once

#include <QLabel>

namespace weft::gui {

class NoteLabel : public QLabel {
  Q_OBJECT

 public:
  NoteLabel(const QString& help, QWidget* parent);

  // Empty: nothing is wrong, the help is shown.
  void show_error(const QString& error);
  int heightForWidth(int width) const override;
  QSize minimumSizeHint() const override;

 private:
  const QString help_;
};

}  // namespace weft::gui
