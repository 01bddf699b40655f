// SPDX-License-Identifier: Apache-2.0
// Edits a server's address in a dialog: a Unix socket, or a host with optional TLS and token.
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
  // Creates a dialog that deletes itself after it is closed.
  ServerDialog(const ServerEndpoint& endpoint, QWidget* parent);

  // Returns the entered endpoint.
  ServerEndpoint endpoint() const;
  // Closes the dialog if the endpoint is valid; otherwise shows the error.
  void accept() override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QLineEdit* add_line(QFormLayout& form, const QString& title, const QString& name);
  // Adds a line for a file name with a button that selects a file.
  QLineEdit* add_file(QFormLayout& form, const QString& title, const QString& name);
  void show_endpoint(const ServerEndpoint& endpoint);
  void enable();
  void focus_endpoint();
  void fit_height();

  QRadioButton* local_;
  QRadioButton* remote_;
  QLineEdit *socket_, *host_, *roots_, *name_, *token_;
  QSpinBox* port_;
  QCheckBox *tls_, *keep_;
  QLabel* wrong_;
};

}  // namespace weft::gui
