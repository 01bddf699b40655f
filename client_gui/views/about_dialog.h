// SPDX-License-Identifier: Apache-2.0
// Shows the version, the libraries and the licences in a dialog.
#pragma once

#include <QDialog>

namespace weft::gui {

class AboutDialog : public QDialog {
  Q_OBJECT

 public:
  // Creates a dialog that deletes itself after it is closed.
  explicit AboutDialog(QWidget* parent);
};

}  // namespace weft::gui
