// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/text.h"

#include "client/text.h"

namespace weft::gui {

QString clock_text(double seconds) { return QString::fromStdString(client::format_clock(seconds)); }

QString age_text(double seconds) { return QString::fromStdString(client::format_age(seconds)); }

QString bytes_text(int64_t bytes) { return QString::fromStdString(client::format_bytes(bytes)); }

}  // namespace weft::gui
