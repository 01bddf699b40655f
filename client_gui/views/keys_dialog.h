// SPDX-License-Identifier: Apache-2.0
// Every key of the window and what it does, read off the window itself.
#pragma once

#include <QDialog>
#include <vector>

namespace weft::gui {

struct KeyText {
  QString view;  // where it works, by its title; empty: everywhere
  QString keys;  // "Ctrl+R"
  QString what;
};

// In the order of the views, and in each in the order of the keys, each once.
std::vector<KeyText> keys_of(const QWidget& window);

class KeysDialog : public QDialog {
  Q_OBJECT

 public:
  // Ends itself once it is closed.
  explicit KeysDialog(QWidget& window);
};

}  // namespace weft::gui
