// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/text.h"

#include <QCoreApplication>

#include "client/text.h"

namespace weft::gui {

QString clock_text(double seconds) { return QString::fromStdString(client::format_clock(seconds)); }

QString age_text(double seconds) { return QString::fromStdString(client::format_age(seconds)); }

QString bytes_text(int64_t bytes) { return QString::fromStdString(client::format_bytes(bytes)); }

QString choice_text(const std::string& name) {
  const QString words = QString::fromStdString(name).replace('-', ' ');
  return QCoreApplication::translate("Choices", words.toUtf8().constData());
}

}  // namespace weft::gui
