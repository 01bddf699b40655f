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
  const QByteArray csv = to_csv(table, rows);
  auto* dialog = new QFileDialog(&parent, title, {}, SaveTable::tr("Comma-separated values (*.csv)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->selectFile(name);
  QObject::connect(dialog, &QFileDialog::fileSelected, &parent, [csv, title, &parent](const QString& chosen) {
    QSaveFile file(chosen);
    if (file.open(QIODevice::WriteOnly) && file.write(csv) == csv.size() && file.commit()) return;
    QMessageBox::warning(&parent, title,
                         SaveTable::tr("%1 cannot be written (%2).").arg(chosen, file.errorString()));
  });
  dialog->open();
}

}  // namespace weft::gui
