// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/outlined_style.h"

#include <QPainter>
#include <QPlainTextEdit>
#include <QStyleFactory>
#include <QStyleOption>

namespace weft::gui {
namespace {

// Fusion makes its outline of the window's colour by QColor::darker() of this (qfusionstyle_p_p.h, outline()).
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

// What cannot be used keeps Fusion's faint outline.
void OutlinedStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                  const QWidget* widget) const {
  const QPalette given = option->palette;
  const bool changes = is_outlined(element, widget) && (option->state & State_Enabled) != 0;
  // The style takes options of many types, which cannot be copied without knowing which: the caller's is lent.
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
