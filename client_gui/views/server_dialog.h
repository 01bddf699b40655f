// SPDX-License-Identifier: Apache-2.0
// Asks where a server is and how it is reached: a Unix socket, or a host with or without TLS and a token.
#pragma once

#include <QDialog>

#include "client_gui/models/fleet.h"

class QCheckBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QRadioButton;
class QSpinBox;

namespace weft::gui {

class ServerDialog : public QDialog {
  Q_OBJECT

 public:
  // Ends itself once it is closed.
  ServerDialog(const ServerPlace& place, QWidget* parent);

  // As it is filled in.
  ServerPlace place() const;
  // Only for a place that a connection can be made to; what is wrong is said there.
  void accept() override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QLineEdit* add_line(QFormLayout& form, const QString& title, const QString& name);
  // A line for a file, with a button that chooses one.
  QLineEdit* add_file(QFormLayout& form, const QString& title, const QString& name);
  void show_place(const ServerPlace& place);
  void enable();
  void focus_place();
  void make_room();

  QRadioButton* local_;
  QRadioButton* remote_;
  QLineEdit *socket_, *host_, *roots_, *name_, *token_;
  QSpinBox* port_;
  QCheckBox *tls_, *keep_;
  QLabel* wrong_;
};

}  // namespace weft::gui
