// SPDX-License-Identifier: Apache-2.0
#include "client_gui/forms/note_label.h"

#include <algorithm>
#include <limits>

namespace weft::gui {
namespace {

constexpr int kLeastLines = 2;

}  // namespace

NoteLabel::NoteLabel(const QString& help, QWidget* parent) : QLabel(parent), help_(help) {
  setTextFormat(Qt::PlainText);
  setWordWrap(true);
  setAlignment(Qt::AlignLeft | Qt::AlignTop);
  show_error({});
}

void NoteLabel::show_error(const QString& error) {
  setText(error.isEmpty() ? help_ : error);
  // Palette roles, unlike colours, follow a change of the theme.
  setForegroundRole(error.isEmpty() ? QPalette::PlaceholderText : QPalette::BrightText);
  setAccessibleName(error.isEmpty() ? QString() : tr("Error: %1").arg(error));
}

// A width that does not depend on the longest word.
QSize NoteLabel::minimumSizeHint() const { return {1, kLeastLines * fontMetrics().lineSpacing()}; }

int NoteLabel::heightForWidth(int width) const {
  const QRect bounds(0, 0, width, std::numeric_limits<int>::max());
  const int help = fontMetrics().boundingRect(bounds, int(Qt::TextWordWrap), help_).height();
  return std::max({QLabel::heightForWidth(width), help, kLeastLines * fontMetrics().lineSpacing()});
}

}  // namespace weft::gui
