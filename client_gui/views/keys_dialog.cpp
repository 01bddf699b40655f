// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/keys_dialog.h"

#include <QAbstractButton>
#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeySequence>
#include <QShortcut>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <map>

namespace weft::gui {
namespace {

constexpr QSize kDialogSize(520, 560);

// A menu's text without what marks its key, and without the dots that announce a dialog.
QString plain(QString text) {
  return text.remove(QLatin1String(" ...")).remove(QLatin1String("...")).remove('&');
}

}  // namespace

std::vector<KeyText> keys_of(const QWidget& window) {
  std::map<QString, QStringList> texts;
  const auto add = [&](const QKeySequence& key, const QString& text) {
    QStringList& known = texts[key.toString(QKeySequence::PortableText)];
    if (!key.isEmpty() && !text.isEmpty() && !known.contains(text)) known.push_back(text);
  };
  for (const QAction* action : window.findChildren<QAction*>()) {
    const QString text = action->toolTip().isEmpty() || action->toolTip() == action->iconText()
                             ? action->text()
                             : action->toolTip();
    for (const QKeySequence& key : action->shortcuts()) add(key, plain(text));
  }
  for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
    if (button->shortcut() != QKeySequence::mnemonic(button->text()))
      add(button->shortcut(), plain(button->text()));
  for (const QShortcut* shortcut : window.findChildren<QShortcut*>())
    add(shortcut->key(), shortcut->whatsThis());
  add(QKeySequence(Qt::Key_Down), KeysDialog::tr("The next device"));
  add(QKeySequence(Qt::Key_Up), KeysDialog::tr("The device before"));
  add(QKeySequence(Qt::Key_Plus), KeysDialog::tr("Devices: less time"));
  add(QKeySequence(Qt::Key_Minus), KeysDialog::tr("Devices: more time"));
  add(QKeySequence(Qt::Key_Escape), KeysDialog::tr("Search: clear it and leave"));
  add(QKeySequence(Qt::Key_Return), KeysDialog::tr("Search: go to the jobs"));
  add(QKeySequence(Qt::Key_Down), KeysDialog::tr("Search: go to the jobs"));
  std::vector<KeyText> keys;
  for (const auto& [key, each] : texts)
    if (!each.isEmpty()) keys.push_back({key, each.join(QStringLiteral("; "))});
  return keys;
}

KeysDialog::KeysDialog(QWidget& window) : QDialog(&window) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Keys"));
  resize(kDialogSize);
  auto* list = new QTreeWidget(this);
  list->setAccessibleName(tr("Keys"));
  list->setRootIsDecorated(false);
  list->setAlternatingRowColors(true);
  list->setHeaderLabels({tr("Key"), tr("What it does")});
  for (const KeyText& each : keys_of(window))
    new QTreeWidgetItem(list, {QKeySequence(each.keys).toString(QKeySequence::NativeText), each.what});
  list->header()->resizeSections(QHeaderView::ResizeToContents);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(list);
  layout->addWidget(buttons);
}

}  // namespace weft::gui
