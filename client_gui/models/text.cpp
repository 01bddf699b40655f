// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/text.h"

#include <QCoreApplication>

#include "client/text.h"

namespace weft::gui {
namespace {

struct Age {
  Q_DECLARE_TR_FUNCTIONS(Age)
};

}  // namespace

QString clock_text(double seconds) { return QString::fromStdString(client::format_clock(seconds)); }
QString duration_text(double seconds) { return QString::fromStdString(client::format_duration(seconds)); }

QString age_text(double seconds) {
  const QString age = QString::fromStdString(client::format_age(seconds));
  const QString number = age.section(' ', 0, 0), unit = age.section(' ', 1);
  if (unit == QLatin1String("s")) return Age::tr("%1 s").arg(number);
  if (unit == QLatin1String("min")) return Age::tr("%1 min").arg(number);
  if (unit == QLatin1String("h")) return Age::tr("%1 h").arg(number);
  return Age::tr("%1 d").arg(number);
}

QString bytes_text(int64_t bytes) { return QString::fromStdString(client::format_bytes(bytes)); }

QString counted(int64_t number, const QString& one, const QString& several) {
  return number == 1 ? one : several.arg(number);
}

}  // namespace weft::gui
