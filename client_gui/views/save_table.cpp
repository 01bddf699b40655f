// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/save_table.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QMessageBox>
#include <QSaveFile>

#include "client_gui/models/export.h"

namespace weft::gui {
namespace {

struct SaveTable {
  Q_DECLARE_TR_FUNCTIONS(SaveTable)
};

}  // namespace

void save_table(QWidget& parent, const QString& title, const QString& name, const QAbstractItemModel& table,
                const std::vector<int>& rows) {
  save_bytes(parent, title, name, SaveTable::tr("Comma-separated values (*.csv)"), to_csv(table, rows));
}

void save_bytes(QWidget& parent, const QString& title, const QString& name, const QString& type,
                const QByteArray& bytes) {
  auto* dialog = new QFileDialog(&parent, title, {}, type);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->selectFile(name);
  const auto write = [bytes, title, &parent](const QString& chosen) {
    QSaveFile file(chosen);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return;
    QMessageBox::warning(&parent, title,
                         SaveTable::tr("%1 cannot be written (%2).").arg(chosen, file.errorString()));
  };
  QObject::connect(dialog, &QFileDialog::fileSelected, &parent, write);
  dialog->open();
}

}  // namespace weft::gui
