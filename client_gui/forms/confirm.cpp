// SPDX-License-Identifier: Apache-2.0
#include "client_gui/forms/confirm.h"

#include <QMessageBox>

namespace weft::gui {

void confirm(QWidget& parent, const QString& title, const QString& question, std::function<void()> act) {
  auto* box =
      new QMessageBox(QMessageBox::Question, title, question, QMessageBox::Yes | QMessageBox::No, &parent);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setDefaultButton(QMessageBox::No);
  QObject::connect(box, &QMessageBox::accepted, &parent, std::move(act));
  box->open();
}

}  // namespace weft::gui
