// SPDX-License-Identifier: Apache-2.0
// Which version this is, what it is made with, and under which licences.
#pragma once

#include <QDialog>

namespace weft::gui {

class AboutDialog : public QDialog {
  Q_OBJECT

 public:
  // Ends itself once it is closed.
  explicit AboutDialog(QWidget* parent);
};

}  // namespace weft::gui
