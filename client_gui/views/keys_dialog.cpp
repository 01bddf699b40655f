// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/keys_dialog.h"

#include <QAbstractButton>
#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeySequence>
#include <QShortcut>
#include <QTabWidget>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <map>

namespace weft::gui {
namespace {

constexpr QSize kDialogSize(520, 560);

// Returns the text of a menu entry without the mnemonic mark and the dots.
QString plain(QString text) {
  return text.remove(QLatin1String(" ...")).remove(QLatin1String("...")).remove('&');
}

// Returns the title of the tab that contains the object, or an empty string if none does.
QString view_of(const QObject& object) {
  QString title;
  for (const QObject* each = &object; each != nullptr; each = each->parent()) {
    const auto* tabs =
        each->parent() == nullptr ? nullptr : qobject_cast<const QTabWidget*>(each->parent()->parent());
    const auto* page = qobject_cast<const QWidget*>(each);
    // For nested tabs, the outermost tab determines the view.
    if (tabs != nullptr && page != nullptr && tabs->indexOf(page) >= 0)
      title = tabs->tabText(tabs->indexOf(page));
  }
  return title;
}

class KeyTexts {
 public:
  void add(const QString& view, const QKeySequence& key, const QString& text) {
    if (key.isEmpty() || text.isEmpty()) return;
    QStringList& known = texts_[view][key.toString(QKeySequence::PortableText)];
    if (!known.contains(text)) known.push_back(text);
  }
  // Returns the keys: first those that work everywhere, then those of the views in the order of
  // `views`.
  std::vector<KeyText> in_order(const QStringList& views) const {
    std::vector<KeyText> keys;
    for (const QString& view : QStringList(QString()) + views)
      if (const auto found = texts_.find(view); found != texts_.end())
        for (const auto& [key, texts] : found->second)
          keys.push_back({view, key, texts.join(QStringLiteral("; "))});
    return keys;
  }

 private:
  std::map<QString, std::map<QString, QStringList>> texts_;
};

QStringList views_of(const QWidget& window) {
  const auto* tabs = window.findChild<QTabWidget*>();
  QStringList views;
  for (int i = 0; tabs != nullptr && i < tabs->count(); i++) views.push_back(tabs->tabText(i));
  return views;
}

// Adds the keys that widgets handle without an action.
void add_taken_keys(KeyTexts& texts, const QStringList& views) {
  const QString jobs = views.value(0), devices = views.value(1);
  texts.add(devices, QKeySequence(Qt::Key_Down), KeysDialog::tr("Next device"));
  texts.add(devices, QKeySequence(Qt::Key_Up), KeysDialog::tr("Previous device"));
  texts.add(devices, QKeySequence(Qt::Key_Plus), KeysDialog::tr("Devices: shorter time span"));
  texts.add(devices, QKeySequence(Qt::Key_Minus), KeysDialog::tr("Devices: longer time span"));
  texts.add(jobs, QKeySequence(Qt::Key_Left), KeysDialog::tr("Decisions: previous section"));
  texts.add(jobs, QKeySequence(Qt::Key_Right), KeysDialog::tr("Decisions: next section"));
  texts.add(jobs, QKeySequence(Qt::Key_Plus), KeysDialog::tr("Decisions: zoom in"));
  texts.add(jobs, QKeySequence(Qt::Key_Minus), KeysDialog::tr("Decisions: zoom out"));
  texts.add(jobs, QKeySequence(Qt::Key_Home), KeysDialog::tr("Decisions: whole input"));
  texts.add(jobs, QKeySequence(Qt::Key_Escape), KeysDialog::tr("Search: clear and leave"));
  texts.add(jobs, QKeySequence(Qt::Key_Return), KeysDialog::tr("Search: go to the jobs"));
  texts.add(jobs, QKeySequence(Qt::Key_Down), KeysDialog::tr("Search: go to the jobs"));
}

}  // namespace

std::vector<KeyText> keys_of(const QWidget& window) {
  KeyTexts texts;
  for (const QAction* action : window.findChildren<QAction*>()) {
    const QString text = action->toolTip().isEmpty() || action->toolTip() == action->iconText()
                             ? action->text()
                             : action->toolTip();
    for (const QKeySequence& key : action->shortcuts()) texts.add(view_of(*action), key, plain(text));
  }
  for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
    if (button->shortcut() != QKeySequence::mnemonic(button->text()))
      texts.add(view_of(*button), button->shortcut(), plain(button->text()));
  for (const QShortcut* shortcut : window.findChildren<QShortcut*>())
    texts.add(view_of(*shortcut), shortcut->key(), shortcut->whatsThis());
  const QStringList views = views_of(window);
  add_taken_keys(texts, views);
  return texts.in_order(views);
}

KeysDialog::KeysDialog(QWidget& window) : QDialog(&window) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Keys"));
  resize(kDialogSize);
  auto* list = new QTreeWidget(this);
  list->setAccessibleName(tr("Keys"));
  list->setRootIsDecorated(false);
  list->setAlternatingRowColors(true);
  list->setHeaderLabels({tr("Key"), tr("Action")});
  QTreeWidgetItem* group = nullptr;
  for (const KeyText& each : keys_of(window)) {
    const QString title = each.view.isEmpty() ? tr("Everywhere") : each.view;
    if (group == nullptr || group->text(0) != title) {
      group = new QTreeWidgetItem(list, {title});
      group->setFirstColumnSpanned(true);
      group->setExpanded(true);
      QFont font = list->font();
      font.setBold(true);
      group->setFont(0, font);
    }
    new QTreeWidgetItem(group, {QKeySequence(each.keys).toString(QKeySequence::NativeText), each.what});
  }
  list->header()->resizeSections(QHeaderView::ResizeToContents);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(list);
  layout->addWidget(buttons);
}

}  // namespace weft::gui
