// SPDX-License-Identifier: Apache-2.0
// Every key of the window and what it does, read off the window itself.
#pragma once

#include <QDialog>
#include <vector>

namespace weft::gui {

struct KeyText {
  QString keys;  // "Ctrl+R"
  QString what;
};

// In the order of the keys, each once: two views may have the same key.
std::vector<KeyText> keys_of(const QWidget& window);

class KeysDialog : public QDialog {
  Q_OBJECT

 public:
  // Ends itself once it is closed.
  explicit KeysDialog(QWidget& window);
};

}  // namespace weft::gui
