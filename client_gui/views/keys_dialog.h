// SPDX-License-Identifier: Apache-2.0
// Lists all keys and their actions, collected from the actions of the window.
#pragma once

#include <QDialog>
#include <vector>

namespace weft::gui {

struct KeyText {
  QString view;  // title of the view; empty: the key works everywhere
  QString keys;  // displayed key: "Ctrl+R"
  QString what;
};

// Returns each key once, ordered by view and key.
std::vector<KeyText> keys_of(const QWidget& window);

class KeysDialog : public QDialog {
  Q_OBJECT

 public:
  // Creates a dialog that deletes itself after it is closed.
  explicit KeysDialog(QWidget& window);
};

}  // namespace weft::gui
