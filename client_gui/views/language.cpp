// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace weft::gui {

bool choose_language(const QString& name) {
  static QTranslator ours, of_qt;  // Qt's: the buttons of its dialogs, where its texts are installed
  const QString english = QStringLiteral("en");
  const QStringList languages = name == QStringLiteral("system")
                                    ? QLocale::system().uiLanguages() + QStringList(english)
                                    : QStringList(name);
  QCoreApplication::removeTranslator(&ours);
  QCoreApplication::removeTranslator(&of_qt);
  for (const QString& each : languages) {
    const QString language = each.section('-', 0, 0);
    if (language == english) return true;
    if (!ours.load(QStringLiteral(":/translations/weft_%1.qm").arg(language))) continue;
    QCoreApplication::installTranslator(&ours);
    if (of_qt.load(QStringLiteral("qtbase_") + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
      QCoreApplication::installTranslator(&of_qt);
    return true;
  }
  return false;
}

}  // namespace weft::gui
