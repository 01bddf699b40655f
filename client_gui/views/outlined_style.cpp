// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/outlined_style.h"

#include <QPainter>
#include <QPlainTextEdit>
#include <QStyleFactory>
#include <QStyleOption>

namespace weft::gui {
namespace {

// The argument of QColor::darker() in Fusion's outline() (qfusionstyle_p_p.h).
constexpr int kFusionDarkens = 140;

bool is_outlined(QStyle::PrimitiveElement element, const QWidget* widget) {
  switch (element) {
    case QStyle::PE_IndicatorCheckBox:
    case QStyle::PE_IndicatorRadioButton:
    case QStyle::PE_FrameLineEdit:
      return true;
    case QStyle::PE_Frame:
      return qobject_cast<const QPlainTextEdit*>(widget) != nullptr;
    default:
      return false;
  }
}

}  // namespace

OutlinedStyle::OutlinedStyle(const QColor& outline)
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))),
      window_(outline.lighter(kFusionDarkens)) {}

// Draws visible outlines. Disabled controls keep the faint outline of Fusion.
void OutlinedStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                  const QWidget* widget) const {
  const QPalette given = option->palette;
  const bool changes = is_outlined(element, widget) && (option->state & State_Enabled) != 0;
  // Style options have many types and cannot be copied, so the option of the caller is modified and
  // then restored.
  auto* lent = const_cast<QStyleOption*>(option);
  if (changes) lent->palette.setColor(QPalette::Window, window_);
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  lent->palette = given;
}

void OutlinedStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                       QPainter* painter, const QWidget* widget) const {
  const QPalette given = option->palette;
  const bool changes =
      (control == CC_ComboBox || control == CC_SpinBox) && (option->state & State_Enabled) != 0;
  auto* lent = const_cast<QStyleOptionComplex*>(option);
  if (changes) lent->palette.setColor(QPalette::Window, window_);
  QProxyStyle::drawComplexControl(control, option, painter, widget);
  lent->palette = given;
}

}  // namespace weft::gui
