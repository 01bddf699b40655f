// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QSettings>
#include <QStringList>
#include <QTranslator>
#include <algorithm>

namespace weft::gui {
namespace {

constexpr char kKey[] = "window/language";

struct LanguageText {
  Q_DECLARE_TR_FUNCTIONS(LanguageText)
};

}  // namespace

std::vector<Language> languages() {
  return {{QStringLiteral("system"), LanguageText::tr("Language of the s&ystem")},
          {QStringLiteral("en"), QStringLiteral("English")},
          {QStringLiteral("ja"), QStringLiteral("日本語")}};
}

QString language_names() {
  QStringList names;
  for (const Language& each : languages()) names.push_back(each.name);
  return names.join(QStringLiteral(", "));
}

QString stored_language() {
  const std::vector<Language> known = languages();
  const QString name = QSettings().value(kKey).toString();
  const bool is_known =
      std::any_of(known.begin(), known.end(), [&](const Language& each) { return each.name == name; });
  return is_known ? name : known.front().name;
}

void store_language(const QString& name) { QSettings().setValue(kKey, name); }

bool choose_language(const QString& name) {
  static QTranslator ours, of_qt;  // of_qt: translations of dialog buttons
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
